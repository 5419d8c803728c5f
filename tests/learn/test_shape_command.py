"""`tengen shape` at the command line."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_helpers import tengen

GAME = "(;SZ[9]KM[7];B[ee];W[ec];B[fc];W[fd];B[ed];W[gc];B[fb];W[dc])"


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    return path


def test_learn_add_and_tell(game, tmp_path):
    tables = tmp_path / "tables.bin"
    done = tengen("shape", "learn", game, "-o", tables, "--bits", "10", "--ko", "--workers", "1")
    assert done.code == 0, done.errors
    assert done.output.startswith("1 games of 1 files (0 broken ones skipped), 8 moves")
    more = tmp_path / "more.sgf"
    more.write_text(GAME.replace("B[ee]", "B[ff]") + "(;SZ[9];B[aa];W[aa])")
    done = tengen("shape", "learn", game, more, "-o", tables)
    assert done.output.startswith("2 games of 2 files (1 broken ones skipped), 16 moves")
    about = json.loads(tengen("shape", "info", "--tables", tables, "--json").output)
    assert about["settings"]["bits"] == "10"
    assert about["settings"]["ko"] is True
    assert (about["games"], about["broken"], about["moves"]) == (2, 1, 16)


def test_settings_are_fixed(game, tmp_path):
    tables = tmp_path / "tables.bin"
    tengen("shape", "learn", game, "-o", tables, "--bits", "8")
    done = tengen("shape", "learn", game, "-o", tables, "--bits", "9")
    assert done.code == 2
    assert done.errors == f"tengen: {tables} was made with bits 8, not 9"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["learn", "nothing.sgf", "-o", "x.bin"], "cannot read"),
        (["learn", "game.sgf", "-o", "game.sgf"], "no file of pattern tables"),
        (["learn", "game.sgf", "-o", "x.bin", "--bits", "99"], "bits must be"),
        (["rate", "3 X"], "signs of"),
        (["show", "game.sgf", "--point", "E5"], "no legal move"),
        (["info", "--tables", "game.sgf"], "no file of pattern tables"),
    ],
)
def test_complaints_are_one_line(game, monkeypatch, words, complaint):
    monkeypatch.chdir(game.parent)
    done = tengen("shape", *words)
    assert done.code == 2
    assert complaint in done.errors
    assert len(done.errors.splitlines()) == 1


def test_show_a_heat_map_with_the_pattern_and_its_rates(game):
    found = json.loads(tengen("shape", "show", game, "--move", "5", "--json").output)
    assert sum(sum(row) for row in found["probabilities"]) == pytest.approx(1.0)
    assert found["pattern"].startswith("12 ")
    assert [rate["size"] for rate in found["rates"]] == [3, 5, 7, 9]
    text = tengen("shape", "show", game, "--move", "5", "--point", "E6").output
    assert "E6, X to play" in text
    assert "9x9" in text


def test_the_rate_of_a_pattern():
    """A hane at the head of a stone and cutting through it are liked; a lone edge move is not."""
    output = tengen("shape", "rate", "3 .XO..O...").output
    assert "3x3" in output
    assert "5x5" not in output
