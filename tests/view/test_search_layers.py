"""Layers of a search and of a game database."""

import numpy as np
import pytest

from tengen.board import PASS, Position, point_at
from tengen.cli.main import main
from tengen.engine import EngineSettings, create_engine
from tengen.search import Candidate, SearchLimit, SearchReport
from tengen.util import TengenError
from tengen.view import ViewContext, make_layer

BEST, SECOND = point_at(4, 4), point_at(0, 2)


def candidate(move, visits, value, **others):
    usual = {
        "prior_visits": 20.0,
        "prior_value": 0.6,
        "rave_visits": 10,
        "rave_value": 0.4,
        "policy": 0.0,
        "line": [move],
    }
    return Candidate(move=move, visits=visits, value=value, **{**usual, **others})


@pytest.fixture
def context():
    candidates = [
        candidate(BEST, 12_345, 0.55),
        candidate(SECOND, 950, 0.5, rave_visits=0, policy=0.25),
        candidate(PASS, 3, 0.1),
        candidate(point_at(8, 8), 0, 0.0, prior_visits=0.0, rave_visits=0),
    ]
    owner = np.linspace(-1, 1, 81).reshape(9, 9)
    return ViewContext(report=SearchReport(candidates, 13_298, 13_298, 0.55, owner, 100, 5.0))


def values_of(layer):
    """Return the values by row and column."""
    return {
        tuple(where): float(layer.values[tuple(where)])
        for where in np.argwhere(~np.isnan(layer.values)).tolist()
    }


def test_visits(context):
    layer = make_layer("search.visits", Position(9), context)
    assert values_of(layer) == {(4, 4): 12_345.0, (0, 2): 950.0}
    assert layer.labels[4][4] == "12k"
    assert layer.labels[0][2] == "950"
    assert layer.marks == (BEST,)
    assert layer.limits() == (0.0, 12_345.0)
    assert layer.title == "Search, visits: 13,298 visits, Black wins 55%"


def test_candidate_values(context):
    values = {
        name: values_of(make_layer(f"search.{name}", Position(9), context))
        for name in ("winrate", "prior", "rave", "policy")
    }
    assert values["winrate"] == {(4, 4): 0.55, (0, 2): 0.5}
    assert values["prior"] == {(4, 4): 0.6, (0, 2): 0.6}
    assert values["rave"] == {(4, 4): 0.4}
    assert values["policy"] == {(0, 2): 0.25}


def test_ownership(context):
    layer = make_layer("search.ownership", Position(9), context)
    np.testing.assert_array_equal(layer.values, context.report.ownership)
    assert layer.values is not context.report.ownership


def test_rejects_a_report_of_another_board_size(context):
    with pytest.raises(TengenError, match="another board size"):
        make_layer("search.visits", Position(13), context)


def test_a_real_search():
    position = Position(7)
    engine = create_engine(EngineSettings().with_overrides(["seed=3", "threads=1"]))
    report = engine.analyze(position, SearchLimit(simulations=300))
    layer = make_layer("search.visits", position, ViewContext(report=report))
    assert np.nansum(layer.values) <= report.visits
    assert layer.marks == (report.candidates[0].move,)


@pytest.fixture
def games(tmp_path, capsys):
    """Three games on 9x9: two start in a corner, one of them mirrored, one in the center."""
    texts = ["RE[B+R];B[cc];W[gg]", "RE[W+R];B[gc];W[ee]", "RE[B+R];B[ee]"]
    (tmp_path / "games.sgf").write_text("".join(f"(;SZ[9]{text})" for text in texts))
    path = tmp_path / "g.sqlite"
    assert main(["games", "import", str(tmp_path), "--database", str(path), "--workers", "1"]) == 0
    capsys.readouterr()
    return ViewContext(games=path)


def test_expert_moves_on_all_equivalent_points(games):
    layer = make_layer("experts", Position(9), games)
    corners = {(2, 2): 2.0, (2, 6): 2.0, (6, 2): 2.0, (6, 6): 2.0}
    assert values_of(layer) == {**corners, (4, 4): 1.0}
    assert layer.marks == (point_at(2, 6),)
    assert layer.title == "Expert games: in 3 of 3 games"
    rates = make_layer("experts.winrate", Position(9), games)
    assert values_of(rates) == {**dict.fromkeys(corners, 0.5), (4, 4): 1.0}


def test_position_without_games(games):
    position = Position(9)
    position.play(point_at(0, 0))
    layer = make_layer("experts", position, games)
    assert values_of(layer) == {}
    assert layer.marks == ()
    assert "in 0 of 3 games" in layer.title


def test_reopens_a_replaced_database(games, tmp_path, capsys):
    assert "of 3 games" in make_layer("experts", Position(9), games).title
    (tmp_path / "games.sgf").write_text("(;SZ[9];B[ee];W[cc])")
    other = tmp_path / "other.sqlite"
    main(["games", "import", str(tmp_path), "--database", str(other), "--workers", "1"])
    capsys.readouterr()
    other.replace(games.games)
    assert "of 1 games" in make_layer("experts", Position(9), games).title


@pytest.mark.parametrize(
    ("layer", "missing", "message"),
    [
        ("search.prior", {"prior_visits": 0.0}, "network policy instead of the sources"),
        ("search.rave", {"rave_visits": 0}, "no weighted playouts"),
    ],
)
def test_missing_search_values(layer, missing, message):
    """A network of full weight replaces priors; without playouts there is no RAVE."""
    report = SearchReport([candidate(BEST, 5, 0.5, **missing)], 5, 5, 0.5, np.zeros((9, 9)), 9, 2.0)
    with pytest.raises(TengenError, match=message):
        make_layer(layer, Position(9), ViewContext(report=report))
