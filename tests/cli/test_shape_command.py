"""The command `tengen shape`."""

import json

import pytest
from cli_helpers import tengen

GAME = "(;SZ[9]KM[7];B[ee];W[ec];B[fc];W[fd];B[ed];W[gc];B[fb];W[dc])"


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    return path


def test_learn_add_and_info(game, tmp_path):
    tables = tmp_path / "tables.bin"
    done = tengen("shape", "learn", game, "-o", tables, "--bits", "10", "--ko", "--workers", "1")
    assert done.code == 0, done.errors
    assert done.output.startswith("1 games from 1 files (0 invalid ones skipped), 8 moves")
    more = tmp_path / "more.sgf"
    more.write_text(GAME.replace("B[ee]", "B[ff]") + "(;SZ[9];B[aa];W[aa])")
    done = tengen("shape", "learn", game, more, "-o", tables)
    assert done.output.startswith("2 games from 2 files (1 invalid ones skipped), 16 moves")
    about = json.loads(tengen("shape", "info", "--tables", tables, "--json").output)
    assert about["settings"]["bits"] == "10"
    assert about["settings"]["ko"] is True
    assert (about["games"], about["broken"], about["moves"]) == (2, 1, 16)


def test_settings_cannot_change(game, tmp_path):
    tables = tmp_path / "tables.bin"
    tengen("shape", "learn", game, "-o", tables, "--bits", "8")
    done = tengen("shape", "learn", game, "-o", tables, "--bits", "9")
    assert done.code == 2
    assert done.errors == f"tengen: {tables} has bits=8, not 9: choose another file"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["learn", "nothing.sgf", "-o", "x.bin"], "cannot read"),
        (["learn", "game.sgf", "-o", "game.sgf"], "not a file of pattern tables"),
        (["learn", "game.sgf", "-o", "x.bin", "--bits", "99"], "bits must be"),
        (["rate", "3 X"], "symbols of"),
        (["show", "game.sgf", "--point", "E5"], "is not a legal move"),
        (["info", "--tables", "game.sgf"], "not a file of pattern tables"),
    ],
)
def test_errors_are_one_line(game, monkeypatch, words, complaint):
    monkeypatch.chdir(game.parent)
    done = tengen("shape", *words)
    assert done.code == 2
    assert complaint in done.errors
    assert len(done.errors.splitlines()) == 1


def test_show_prints_heat_map_pattern_and_rates(game):
    found = json.loads(tengen("shape", "show", game, "--move", "5", "--json").output)
    assert sum(sum(row) for row in found["probabilities"]) == pytest.approx(1.0)
    assert found["pattern"].startswith("12 ")
    assert [rate["size"] for rate in found["rates"]] == [3, 5, 7, 9]
    text = tengen("shape", "show", game, "--move", "5", "--point", "E6").output
    assert "E6, X to play" in text
    assert "9x9" in text


def test_rate_of_a_pattern():
    """A hane at the head of a stone and a cut are rated high; an isolated edge move is not."""
    output = tengen("shape", "rate", "3 .XO..O...").output
    assert "3x3" in output
    assert "5x5" not in output
