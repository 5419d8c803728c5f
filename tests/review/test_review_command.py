"""`tengen review` as a process."""

import json
import signal
import subprocess
import time

from cli_helpers import COMMAND, PATIENCE_S, tengen

GAME = "(;SZ[5]KM[0.5]PB[Ann]PW[Bob];B[cc];W[bb];B[bc];W[dd];B[cb];W[ba])"
QUICK = ("--playouts", "20", "threads=1", "seed=1", "memory_mib=16")


def test_folder_then_nothing_left_to_do(tmp_path):
    games = tmp_path / "games"
    games.mkdir()
    (games / "one.sgf").write_text(GAME)
    (games / "two.sgf").write_text(GAME.replace("Ann", "Eve"))
    (games / "none.sgf").write_text("hello")
    out = tmp_path / "out"
    done = tengen("review", games, "-o", out, *QUICK)
    assert done.code == 0, done.errors
    assert "2 games reviewed, 0 reviewed before, 1 skipped" in done.output
    assert "none.sgf" in done.output
    assert "one: 6 moves" in done.errors
    files = {path.name for path in out.iterdir()}
    endings = ("html", "sgf", "json")
    assert files == {"index.html"} | {f"{n}.{end}" for n in ("one", "two") for end in endings}
    again = tengen("review", games, "-o", out, "--json", *QUICK)
    figures = json.loads(again.output)
    assert (figures["done"], figures["done_before"], figures["partial"]) == (0, 2, False)
    assert [game["name"] for game in figures["games"]] == ["one", "two"]


def test_only_broken_files(tmp_path):
    (tmp_path / "none.sgf").write_text("hello")
    (tmp_path / "othello.sgf").write_text("(;GM[2]SZ[8];B[d3])")
    done = tengen(
        "review", tmp_path / "none.sgf", tmp_path / "othello.sgf", "-o", tmp_path / "out", *QUICK
    )
    assert done.code == 2
    assert "0 games reviewed, 0 reviewed before, 2 skipped" in done.output
    assert "not a game of Go: GM[2] is Othello" in done.output


def test_minimum_loss_of_a_mistake(tmp_path):
    (tmp_path / "one.sgf").write_text(GAME)
    command = ["review", tmp_path / "one.sgf", "-o", tmp_path / "out", *QUICK]
    assert tengen(*command, "--mistake", "500").code == 0
    data = json.loads((tmp_path / "out" / "one.json").read_text())
    assert data["mistake_points"] == 500
    assert not any(move["mistake"] for move in data["moves"])
    assert tengen(*command, "--mistake", "0").code == 2


def test_source_error_is_reported_once(tmp_path):
    (tmp_path / "one.sgf").write_text(GAME)
    (tmp_path / "ideas.py").write_text("def broken(position):\n    raise ValueError('my bug')\n")
    source = f"{tmp_path / 'ideas.py'}:broken"
    command = ["review", tmp_path / "one.sgf", "-o", tmp_path / "out", "--prior", source, *QUICK]
    done = tengen(*command)
    assert done.code == 0, done.errors
    assert done.output.count("my bug") == 1


def test_ctrl_c_keeps_estimates(tmp_path):
    (tmp_path / "one.sgf").write_text(GAME)
    out = tmp_path / "out"
    # The signal may arrive before or during the first search; both must end soon.
    command = ["review", tmp_path / "one.sgf", "-o", out, "--seconds", "36000", *QUICK[2:]]
    partial = out / "one.partial"
    running = subprocess.Popen(
        [*COMMAND, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        _wait_for(partial.exists)
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
    assert running.returncode == 130
    assert "run the same command again to resume" in output
    assert partial.exists()


def _wait_for(condition):
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.05)
