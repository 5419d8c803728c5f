"""`tengen explain`: candidates, what each source said, and the game's own move."""

import json
import re

import pytest

from tengen.board.points import parse_vertex
from tengen.board.position import Position
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.explanation import ask_sources, explain
from tengen.engine.settings import EngineSettings
from tengen.knowledge.catalogue import compiled_source
from tengen.knowledge.source import PythonSource
from tengen.playout.policy import Rule
from tengen.search.limit import Limit

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


def test_the_priors_are_what_the_sources_said(game, capsys):
    """Value times visits, added up over the sources, is the prior of each candidate."""
    found = json.loads(run(capsys, game, "--move", "3", "--json"))
    for candidate in found["candidates"]:
        if candidate["move"] != "pass":
            said = candidate["sources"].values()
            assert candidate["prior_visits"] == pytest.approx(sum(s["visits"] for s in said))
            wins = sum(s["visits"] * s["value"] for s in said)
            assert candidate["prior_visits"] * candidate["prior_value"] == pytest.approx(wins)


def test_the_table(game, capsys):
    lines = run(capsys, game, "--move", "3", "--top", "2").splitlines()
    assert any("Move 3, Black to play; played: D2" in line for line in lines)
    starts = [line.split()[0] for line in lines if line.strip()]
    assert starts.count("D2*") == 2, "the move of the game, in both tables"
    assert starts.count("move") == 2, "what the search found, and what the sources said"
    assert any(line.startswith("Playout moves by rule: reply") for line in lines)


def test_without_a_number_it_is_the_end_of_the_game(game, capsys):
    found = json.loads(run(capsys, game, "--json"))
    assert (found["move"], found["to_play"], found["played"]) == (5, "black", None)


def test_a_source_of_ones_own(game, capsys):
    own = ["--prior", f"{game / 'ideas.py'}:corner_lover", "--equivalent-visits", "30"]
    found = json.loads(run(capsys, game, "--move", "1", "--json", *own))
    said = {c["move"]: c["sources"].get("corner_lover") for c in found["candidates"]}
    assert said["A1"] == {"value": 1.0, "visits": 30.0}
    assert said["C3"] is None


def test_a_source_that_fails_is_named(game, capsys):
    own = ["--prior", f"{game / 'ideas.py'}:broken"]
    found = json.loads(run(capsys, game, "--json", *own))
    (problem,) = found["problems"]
    assert re.fullmatch(
        r"source broken failed in ideas.py, line \d+: ValueError\('no idea'\)", problem
    )
    assert "problem: source broken failed" in run(capsys, game, *own)


def test_a_move_that_is_not_there(game):
    with pytest.raises(TengenError, match="no move 6: it has 4 moves"):
        main(["explain", str(game / "game.sgf"), "--move", "6"])


def test_the_flat_search_has_no_rules_to_tell(game, capsys):
    found = json.loads(run(capsys, game, "kind=flat", "flat_playouts=5", "--json"))
    assert found["rules"] == {}
    assert {c["visits"] for c in found["candidates"]} == {5}


def test_explain_as_a_function():
    settings = EngineSettings().with_words(["threads=1", "seed=1"])
    found = explain(Engine(settings), Position(5), Limit(simulations=50))
    assert found.report.simulations == 50
    assert set(found.rules) == set(Rule)
    assert "even" in found.sources


def test_a_source_that_is_over_says_nothing():
    def all_good(position):
        return [[1.0] * position.columns] * position.rows

    position = Position(3)
    position.play(parse_vertex("A1", 3, 3))
    early = PythonSource("early", "", all_good, before_move=1)
    late = PythonSource("late", "", all_good, before_move=2)
    opinions, problems = ask_sources([compiled_source("even", 1.0), early, late], position)
    assert problems == []
    middle = opinions[parse_vertex("B2", 3, 3)]
    assert [opinion.source for opinion in middle] == ["even", "late"]


def test_with_a_net_its_policy_and_the_lower_bound_are_shown(tmp_path, capsys):
    (tmp_path / "game.sgf").write_text(GAME.replace("SZ[5]", "SZ[7]"))
    text = run(capsys, tmp_path, "net=default")
    head = next(line for line in text.splitlines() if line.startswith("move "))
    assert head.split() == ["move", "visits", "win", "rate", "at", "least", "policy", "line"]
    assert "The net's policy is all the knowledge" in text
    assert "shape" not in text.partition("Playout moves")[0]
    beside = run(capsys, tmp_path, "net=default", "net_weight=0.5")
    assert "all the knowledge" not in beside
    assert "shape" in beside.partition("Playout moves")[0]
    without = run(capsys, tmp_path)
    head = next(line for line in without.splitlines() if line.startswith("move "))
    assert head.split() == ["move", "visits", "win", "rate", "prior", "RAVE", "line"]
