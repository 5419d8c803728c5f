"""Games in the terminal."""

import io
import os
import re
import signal
import subprocess

import pytest
from cli_helpers import COMMAND, PATIENCE_S, tengen
from rich.console import Console

from tengen.board import PASS, Color, Position, rules_named
from tengen.engine import EngineSettings, create_engine
from tengen.records import read_games
from tengen.web import TerminalGame

WORDS = ["play", "--text", "playouts=40", "threads=1", "seed=1", "memory_mib=8", "--size", "5"]


def play(*lines, words=(), **environment):
    outcome = tengen(*WORDS, *words, typed="\n".join(lines) + "\n", **environment)
    assert outcome.code == 0
    assert outcome.errors == ""
    return outcome.output


def test_commands(tmp_path):
    path = tmp_path / "my game.sgf"
    output = play(
        "help",
        "C3",
        "C3",
        "I3",
        "Z99",
        "D" + "4" * 5000,
        "nonsense [/red] [bold]",
        "",
        "hint",
        "score",
        "undo",
        "undo",
        "c3",
        "save",
        f"save {path}",
        "save /no/such/folder/game.sgf",
        "get nonsense",
        "quit",
    )
    assert "two passes end the game" in output
    assert "illegal move B C3" in output
    assert "invalid vertex 'I3': use a letter and a number like D4, or pass" in output
    assert "invalid vertex 'Z99'" in output
    assert "nonsense" in output
    searched = r"\(\d+% win rate for (Black|White), \d+ visits"
    assert re.search(rf"Tengen would (play [A-E][1-5]|play pass|resign) {searched}\)\.", output)
    assert re.search(rf"Tengen plays [A-E][1-5] {searched}", output)
    assert re.search(r"Estimate: \w+ leads by [\d.]+ ± [\d.]+ points \(\d+ visits\)", output)
    assert "there is no move of yours to undo" in output
    assert "file name missing: use save FILE" in output
    assert "use get NET with one of b15c192, b10c384" in output
    assert "cannot write '/no/such/folder/game.sgf'" in output
    assert output.endswith("Goodbye.\n")
    (record,) = read_games(path)
    position = record.position()
    assert (record.black, record.white, record.rows) == ("You", "Tengen", 5)
    assert position.vertex(record.moves[0].move) == "C3"
    assert len(record.moves) == 2


def test_save_after_two_passes(tmp_path):
    path = tmp_path / "game.sgf"
    output = play(*["pass"] * 60, "B2", f"save {path}", words=["--komi", "400"])
    assert "Both players passed." in output
    assert "the game is over; use save, score, undo, help, quit" in output
    (record,) = read_games(path)
    assert record.result_text.startswith("W+")
    assert [move.move for move in record.moves[-2:]] == [PASS, PASS]


@pytest.mark.parametrize(
    ("rules", "handicap", "text"),
    [
        ("japanese", 0, "Black 5 points, White 5 points, komi 0.5: W+0.5"),
        ("chinese", 0, "Black 10 points, White 10 points, komi 0.5: W+0.5"),
        (
            "chinese",
            5,
            "Black 10 points, White 10 points, komi 0.5 and 5 for handicap stones: W+5.5",
        ),
    ],
)
def test_score_follows_the_rules(rules, handicap, text):
    position = Position.from_diagram(
        "/".join([".XO."] * 5), rules=rules_named(rules).with_komi(0.5)
    )
    position.handicap = handicap
    console = Console(file=io.StringIO(), width=100)
    TerminalGame(position, Color.BLACK, None, console).score([])
    assert console.file.getvalue().splitlines()[-1] == text


def test_resign(tmp_path):
    path = tmp_path / "game.sgf"
    output = play("C3", "resign", f"save {path}", "undo", "quit")
    assert "You resign: W+R." in output
    assert "game over> " in output
    assert next(iter(read_games(path))).result_text == "W+R"


def test_handicap_and_white():
    output = play("quit", words=["--size", "9", "--handicap", "2", "--color", "black"])
    assert "Tengen plays" in output, "White moves first"
    output = play("quit", words=["--color", "W"])
    assert "white to play> " in output


def test_invalid_utf8_input():
    outcome = tengen(*WORDS, typed=b"\xff\xfe\x00\nC3\n")
    assert outcome.code == 0
    assert "invalid vertex" in outcome.output
    assert "Tengen plays" in outcome.output


def test_ascii_terminal():
    output = play("C3", PYTHONIOENCODING="ascii")
    assert "X" in output
    assert "O" in output


def test_last_move_in_parentheses():
    output = play("E3", words=["resign=0"])
    assert re.search(r"\([●○]\)", output)


def test_source_error_is_reported_once(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text("def unlucky(position):\n    raise ValueError('[no] idea')\n")
    output = play("C3", "C2", words=["--prior", f"{path}:unlucky"])
    assert " ".join(output.split()).count("source unlucky failed in ideas.py, line 2: ") == 1
    assert "ValueError('[no] idea')" in " ".join(output.split())


@pytest.mark.parametrize("typed", [b"", b"C3\n", b"C3"])
def test_end_of_input(typed):
    outcome = tengen(*WORDS, typed=typed)
    assert (outcome.code, outcome.errors) == (0, "")
    assert outcome.output.endswith("Goodbye.\n")


def test_interrupt_at_the_prompt():
    process = subprocess.Popen(
        [*COMMAND, *WORDS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    output = b""
    while b"to play> " not in output:
        output += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_auto_level_shows_the_estimate(tmp_path):
    words = ["--level", "auto", "--reply-time", "0"]
    for games in ("0 games", "1 game"):
        output = play("resign", "quit", words=words, XDG_DATA_HOME=str(tmp_path))
        assert re.search(rf"you are about \d+[kd] \(\d+k to \d+[kd]\), {games}\.", output)
    assert re.search(r"You are about \d+k \(\d+k to \d+k\), 2 games\.", output)


def test_hint_at_a_level_has_full_strength():
    output = play("hint", "quit", words=["--level", "30k", "--reply-time", "0"])
    assert re.search(r"Tengen would play \w+ \(\d+% win rate for Black, 40 visits\)", output)
    assert "get b15c192" not in output.split("Tengen would")[0]


@pytest.mark.parametrize("text", ["-1", "2,1", "1,2,3", "soon", "11"])
def test_invalid_reply_time(text):
    outcome = tengen("play", "--text", f"--reply-time={text}")
    assert outcome.code == 2
    assert "reply time must be MIN,MAX" in outcome.errors


def test_levels_wait_before_a_move(monkeypatch):
    waits = []
    monkeypatch.setattr("tengen.web.terminal.time.sleep", waits.append)
    for level, expected in (("25k", 1), ("strongest", 0)):
        waits.clear()
        words = [f"level={level}", "playouts=40", "threads=1", "memory_mib=8", "seed=1"]
        engine = create_engine(EngineSettings().with_overrides(words))
        typed = iter(["C3", "quit"])
        console = Console(file=io.StringIO())
        TerminalGame(
            Position(5),
            Color.BLACK,
            engine,
            console,
            lambda _, t=typed: next(t),
            reply_s=(9e9, 9e9),
        ).play()
        assert len([seconds for seconds in waits if seconds > 1e9]) == expected
