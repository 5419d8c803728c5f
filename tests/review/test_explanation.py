"""Explanations of positions and `tengen explain`."""

import json
import re

import pytest

from tengen.board import Position, parse_vertex
from tengen.cli.main import main
from tengen.engine import EngineSettings, create_engine
from tengen.playout import PlayoutRule
from tengen.review import explain
from tengen.review.explanation import score_moves
from tengen.search import SearchLimit
from tengen.sources import PythonSource, compiled_source
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

GAME = "(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[cd];B[dd];W[bc])"

IDEAS = '''
import numpy as np


def corner_lover(position):
    """Likes the four corners."""
    values = np.full((position.rows, position.columns), np.nan)
    values[[0, 0, -1, -1], [0, -1, 0, -1]] = 1.0
    return values


def broken(position):
    """Fails."""
    raise ValueError("no idea")
'''


@pytest.fixture
def game(tmp_path):
    (tmp_path / "game.sgf").write_text(GAME)
    (tmp_path / "ideas.py").write_text(IDEAS)
    return tmp_path


def run(capsys, folder, *words):
    usual = ["threads=1", "--playouts", "200", "--seed", "1"]
    assert main(["explain", str(folder / "game.sgf"), *usual, *words]) == 0
    return capsys.readouterr().out


def test_json(game, capsys):
    found = json.loads(run(capsys, game, "--move", "3", "--json"))
    assert (found["move"], found["to_play"], found["played"]) == (3, "black", "D2")
    assert found["simulations"] == 200
    assert sum(c["visits"] for c in found["candidates"]) == 200
    best = found["candidates"][0]
    assert best["line"][0] == best["move"]
    assert set(best["sources"]) <= {"even", "tactics", "patterns", "distance", "lines", "shape"}
    assert sum(found["rules"].values()) > 200
    assert found["problems"] == []


def test_priors_are_sums_of_source_scores(game, capsys):
    found = json.loads(run(capsys, game, "--move", "3", "--json"))
    for candidate in found["candidates"]:
        if candidate["move"] != "pass":
            scores = candidate["sources"].values()
            assert candidate["prior_visits"] == pytest.approx(sum(s["visits"] for s in scores))
            wins = sum(s["visits"] * s["value"] for s in scores)
            assert candidate["prior_visits"] * candidate["prior_value"] == pytest.approx(wins)


def test_table(game, capsys):
    lines = run(capsys, game, "--move", "3", "--top", "2").splitlines()
    assert any("Move 3, Black to play; played: D2" in line for line in lines)
    starts = [line.split()[0] for line in lines if line.strip()]
    assert starts.count("D2*") == 2, "the move played, in both tables"
    assert starts.count("move") == 2, "search results and source scores"
    assert any(line.startswith("Playout moves by rule: reply") for line in lines)


def test_default_is_the_end_of_the_game(game, capsys):
    found = json.loads(run(capsys, game, "--json"))
    assert (found["move"], found["to_play"], found["played"]) == (5, "black", None)


def test_user_defined_source(game, capsys):
    own = ["--prior", f"{game / 'ideas.py'}:corner_lover", "--equivalent-visits", "30"]
    found = json.loads(run(capsys, game, "--move", "1", "--json", *own))
    scores = {c["move"]: c["sources"].get("corner_lover") for c in found["candidates"]}
    assert scores["A1"] == {"value": 1.0, "visits": 30.0}
    assert scores["C3"] is None


def test_failing_source(game, capsys):
    own = ["--prior", f"{game / 'ideas.py'}:broken"]
    found = json.loads(run(capsys, game, "--json", *own))
    (problem,) = found["problems"]
    assert re.fullmatch(
        r"source broken failed in ideas.py, line \d+: ValueError\('no idea'\)", problem
    )
    assert "problem: source broken failed" in run(capsys, game, *own)


def test_rejects_missing_move(game):
    with pytest.raises(TengenError, match="no move 6: the game has 4 moves"):
        main(["explain", str(game / "game.sgf"), "--move", "6"])


def test_flat_search(game, capsys):
    found = json.loads(run(capsys, game, "algorithm=flat", "flat_playouts=5", "--json"))
    assert found["rules"] == {}
    assert {c["visits"] for c in found["candidates"]} == {5}


def test_explain():
    settings = EngineSettings().with_overrides(["threads=1", "seed=1"])
    found = explain(create_engine(settings), Position(5), SearchLimit(simulations=50))
    assert found.report.simulations == 50
    assert set(found.rules) == set(PlayoutRule)
    assert "even" in found.sources


def test_source_with_move_limit():
    def all_good(position):
        return [[1.0] * position.columns] * position.rows

    position = Position(3)
    position.play(parse_vertex("A1", 3, 3))
    early = PythonSource("early", "", all_good, before_move=1)
    late = PythonSource("late", "", all_good, before_move=2)
    scores, problems = score_moves([compiled_source("even", 1.0), early, late], position)
    assert problems == []
    middle = scores[parse_vertex("B2", 3, 3)]
    assert [score.source for score in middle] == ["even", "late"]


def test_net_columns(tmp_path, capsys):
    (tmp_path / "game.sgf").write_text(GAME.replace("SZ[5]", "SZ[7]"))
    text = run(capsys, tmp_path, "net=default")
    head = next(line for line in text.splitlines() if line.startswith("move "))
    assert head.split() == ["move", "visits", "win", "rate", "lead", "LCB", "policy", "line"]
    assert "Sources have no effect" in text
    assert "shape" not in text.partition("Playout moves")[0]
    mixed = run(capsys, tmp_path, "net=default", "net_weight=0.5")
    assert "Sources have no effect" not in mixed
    assert "shape" in mixed.partition("Playout moves")[0]
    without = run(capsys, tmp_path)
    head = next(line for line in without.splitlines() if line.startswith("move "))
    assert head.split() == ["move", "visits", "win", "rate", "prior", "RAVE", "line"]
