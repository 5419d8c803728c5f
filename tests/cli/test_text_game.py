"""A game typed into the terminal."""

import io
import os
import re
import signal
import subprocess

import pytest
from cli_helpers import COMMAND, PATIENCE_S, tengen
from rich.console import Console

from tengen.board.colour import Colour
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.board.rules import rules_named
from tengen.records.reader import read_games
from tengen.terminal.game import TextGame

WORDS = ["play", "--text", "playouts=40", "threads=1", "seed=1", "memory_mib=8", "--size", "5"]


def play(*lines, words=(), **environment):
    outcome = tengen(*WORDS, *words, typed="\n".join(lines) + "\n", **environment)
    assert outcome.code == 0
    assert outcome.errors == ""
    return outcome.output


def test_a_whole_game(tmp_path):
    path = tmp_path / "my game.sgf"
    said = play(
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
        "quit",
    )
    assert "two passes end the game" in said
    assert "illegal move B C3" in said
    assert "invalid vertex 'I3': write it like D4, or pass" in said
    assert "invalid vertex 'Z99'" in said
    assert "nonsense" in said
    assert re.search(r"Tengen would (play [A-E][1-5]|play pass|resign)\.", said)
    assert re.search(r"Black has \d+ points, White \d+, komi 7.5: [BW]\+\d", said)
    assert re.search(r"\d+ of 25 points are still open: this says little yet", said)
    assert "there is no move of yours to take back" in said
    assert "name a file: save game.sgf" in said
    assert "cannot write '/no/such/folder/game.sgf'" in said
    assert said.endswith("good-bye\n")
    (record,) = read_games(path)
    position = record.position()
    assert (record.black, record.white, record.rows) == ("You", "Tengen", 5)
    assert position.vertex(record.moves[0].move) == "C3"
    assert len(record.moves) == 2


def test_two_passes_end_the_game_and_it_can_be_saved(tmp_path):
    path = tmp_path / "game.sgf"
    said = play(*["pass"] * 60, "B2", f"save {path}", words=["--komi", "400"])
    assert "Both passed." in said
    assert "the game is over: save, score, undo, help, quit" in said
    (record,) = read_games(path)
    assert record.result_text.startswith("W+")
    assert [move.move for move in record.moves[-2:]] == [PASS, PASS]


@pytest.mark.parametrize(
    ("rules", "handicap", "told"),
    [
        ("japanese", 0, "Black has 5 points, White 5, komi 0.5: W+0.5"),
        ("chinese", 0, "Black has 10 points, White 10, komi 0.5: W+0.5"),
        ("chinese", 5, "Black has 10 points, White 10, komi 0.5 and 5 for handicap stones: W+5.5"),
    ],
)
def test_the_score_is_told_as_the_rules_count(rules, handicap, told):
    position = Position.from_diagram(
        "/".join([".XO."] * 5), rules=rules_named(rules).with_komi(0.5)
    )
    position.handicap = handicap
    console = Console(file=io.StringIO(), width=100)
    TextGame(position, Colour.BLACK, None, console).score([])
    assert console.file.getvalue().splitlines()[-1] == told


def test_resigning(tmp_path):
    path = tmp_path / "game.sgf"
    said = play("C3", "resign", f"save {path}", "undo", "quit")
    assert "You resign: W+R." in said
    assert "game over> " in said
    assert next(iter(read_games(path))).result_text == "W+R"


def test_as_white_with_handicap():
    said = play("quit", words=["--size", "9", "--handicap", "2", "--colour", "black"])
    assert "Tengen plays" in said, "White moves first"
    said = play("quit", words=["--color", "W"])
    assert "white to play> " in said


def test_bytes_that_are_no_text():
    outcome = tengen(*WORDS, typed=b"\xff\xfe\x00\nC3\n")
    assert outcome.code == 0
    assert "invalid vertex" in outcome.output
    assert "Tengen plays" in outcome.output


def test_a_terminal_without_unicode():
    said = play("C3", PYTHONIOENCODING="ascii")
    assert "X" in said
    assert "O" in said


def test_the_last_move_stands_in_brackets():
    said = play("E3", words=["resign=0"])
    assert re.search(r"\([●○]\)", said)


def test_a_source_that_raises_is_named_once(tmp_path):
    path = tmp_path / "ideas.py"
    path.write_text("def unlucky(position):\n    raise ValueError('[no] idea')\n")
    said = play("C3", "C2", words=["--prior", f"{path}:unlucky"])
    assert " ".join(said.split()).count("source unlucky failed in ideas.py, line 2: ") == 1
    assert "ValueError('[no] idea')" in " ".join(said.split())


@pytest.mark.parametrize("typed", [b"", b"C3\n", b"C3"])
def test_the_end_of_input(typed):
    outcome = tengen(*WORDS, typed=typed)
    assert (outcome.code, outcome.errors) == (0, "")
    assert outcome.output.endswith("good-bye\n")


def test_an_interrupt_at_the_prompt():
    process = subprocess.Popen(
        [*COMMAND, *WORDS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    said = b""
    while b"to play> " not in said:
        said += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"Traceback" not in errors
