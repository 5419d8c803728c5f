"""Landscape and tree experiments of paper 002."""

import csv

import pytest

from tengen.cli.main import main
from tengen.lab.potential.tree import TreeRules
from tengen.match import make_player
from tengen.sources import FILTERS
from tengen.util import TengenError

GAME = "(;GM[1]SZ[7]KM[7.5];B[cc];W[ee];B[ec];W[ce])"


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_landscape_of_two_stones(tmp_path):
    assert main(["lab", "potential", "landscape", "-o", str(tmp_path)]) == 0
    rows = rows_of(tmp_path / "points.csv")
    assert len(rows) == 81 * len(FILTERS)
    for name in FILTERS:
        assert sum(int(row["kept"]) for row in rows if row["filter"] == name) == 40
    center = {row["filter"]: int(row["rank"]) for row in rows if row["vertex"] == "E5"}
    ranks = [center[f"pf{number}"] for number in range(5, 10)]
    assert ranks == sorted(set(ranks), reverse=True)
    for name in ("table-2.png", "table-3.svg", "report.html"):
        assert (tmp_path / name).stat().st_size > 1000


def test_landscape_of_a_game(tmp_path):
    game = tmp_path / "game.sgf"
    game.write_text(GAME)
    folder = tmp_path / "out"
    words = ["lab", "potential", "landscape", str(game), "-o", str(folder), "--move", "3"]
    assert main([*words, "--stencil", "steepest"]) == 0
    rows = [row for row in rows_of(folder / "points.csv") if row["filter"] == "pf4"]
    stones = {row["vertex"] for row in rows if row["rank"] == "0"}
    assert stones == {"C5", "E3"}
    assert main([*words, "--stencil", "steepest"]) == 0
    with pytest.raises(TengenError, match="other settings"):
        main([*words, "--stencil", "four"])
    with pytest.raises(TengenError, match="name FILE"):
        main(["lab", "potential", "landscape", "-o", str(tmp_path / "other"), "--move", "3"])


def test_missing_filter_is_added(tmp_path):
    command = ["lab", "potential", "landscape", "-o", str(tmp_path)]
    assert main(command) == 0
    points = (tmp_path / "points.csv").read_text()
    kept = points[: points.index("pf9,")]
    (tmp_path / "points.csv").write_text(kept)
    assert main(command) == 0
    assert (tmp_path / "points.csv").read_text() == points


def test_tree_plays_both_parts_and_resumes(tmp_path):
    words = ["lab", "potential", "tree", "-o", str(tmp_path), "--size", "5", "--games", "2"]
    words += ["--simulations", "8", "--seconds", "0.01"]
    for _ in range(2):
        assert main(words) == 0
        page = (tmp_path / "report.html").read_text()
        assert "playouts=8" in page
        assert "seconds=0.01" in page
        assert "pf9 vs. no filter" in page
        assert page.count(" open<") + page.count("helps<") + page.count("not help<") == 2
    with pytest.raises(TengenError, match="parts must be"):
        main([*words, "--parts", "luck"])


@pytest.mark.parametrize("use", ["filter", "prior", "both"])
def test_players_differ_only_in_the_filter(use):
    rules = TreeRules(filter="pf4", use=use, depth=2)
    plain, filtering = (
        make_player(text("playouts=4")) for text in (rules.player, rules.filtering_player)
    )
    ours, theirs = filtering._engine.settings, plain._engine.settings
    assert (ours.play, ours.search, ours.policy) == (theirs.play, theirs.search, theirs.policy)
    (source,) = ours.sources
    assert (source.name, source.parameters.use, source.to_depth) == ("potential", use, 2)
    assert not theirs.sources
