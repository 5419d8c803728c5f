"""`tengen games stat`."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tengen.cli.games import as_json
from tengen.cli.main import main
from tengen.records import GameCounts, count_games, new_stop
from tengen.util import TengenError

GAMES = b"""(;SZ[9]KM[7]RE[B+R];B[aa];W[bb])(;SZ[9]KM[7]RE[W+1.5];B[aa];W[aa])
(;SZ[13]HA[2]RE[Draw];B[aa];W[bb];B[cc])"""


@pytest.fixture
def folder(tmp_path):
    for number in range(30):
        (tmp_path / f"{number}.sgf").write_bytes(GAMES)
    (tmp_path / "readme.txt").write_text("no game")
    return tmp_path


@pytest.mark.parametrize("workers", [1, 2])
def test_counts(folder, workers):
    counts = GameCounts()
    for batch_counts in count_games([str(folder)], workers, new_stop()):
        counts += batch_counts
    result = as_json(counts, 1.0, False)
    assert (result["games"], result["files"], result["moves"]) == (90, 30, 180)
    assert result["sizes"] == {"9x9": 60, "13x13": 30}
    assert result["winners"] == {"black": 30, "white": 30, "none": 30}
    assert result["endings"] == {"resign": 30, "score": 30, "draw": 30}
    assert result["problems"] == {"illegal_move": 30, "other_file": 1}
    assert result["lengths"]["median"] == 2


def test_json_is_one_object(folder, capsys):
    assert main(["games", "stat", "--workers", "1", "--json", str(folder)]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 90


def test_tables(folder, capsys):
    assert main(["games", "stat", "--workers", "1", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "90 games" in out
    assert "illegal move: 30" in out
    assert "Other files ignored: 1" in out


@pytest.mark.parametrize("options", [["no/such/path"], ["--workers", "0", "."]])
def test_invalid_input_gives_a_one_line_error(options):
    with pytest.raises(TengenError) as caught:
        main(["games", "stat", *options])
    assert "\n" not in str(caught.value)


def test_stopping_keeps_partial_counts(folder):
    stop = new_stop()
    counts = GameCounts()
    for number, batch_counts in enumerate(count_games([str(folder)] * 50, 1, stop)):
        counts += batch_counts
        if number == 2:
            stop.set()
    assert 0 < counts.games < 50 * 90


def interrupted(folder, workers, after_s):
    """Run the command and interrupt it after some seconds; return exit code and output."""
    command = [sys.executable, "-m", "tengen.cli.main", "games", "stat", "--json"]
    process = subprocess.Popen(
        [*command, "--workers", workers, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(after_s)
    os.killpg(process.pid, signal.SIGINT)
    out, error = process.communicate(timeout=60)
    return process.returncode, out, error


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupt_prints_partial_counts(folder, workers):
    (folder / "large.sgf").write_bytes(GAMES * 100_000)
    # On a slow machine the first interrupt may come before counting has started.
    for after_s in (3, 8, 25):
        code, out, error = interrupted(folder, workers, after_s)
        assert code == 130, error
        assert b"Traceback" not in error
        if out and json.loads(out)["games"]:
            break
    result = json.loads(out)
    assert result["partial"] is True
    assert 0 < result["games"] < 300_000
