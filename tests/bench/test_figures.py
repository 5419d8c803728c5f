"""The measurements give the figures that people and scripts read."""

import json
import math

import pytest

from tengen.bench import bigmove, net, playouts, search
from tengen.bench.figures import beside_processes
from tengen.cli.main import main
from tengen.core.errors import TengenError

pytestmark = pytest.mark.kernels


def bench(capsys, *words):
    assert main(["bench", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_search_figures(capsys):
    figures = bench(capsys, "search", "--size", "5", "--seconds", "0.05")
    assert figures["simulations_per_s"] > 0
    assert figures["nodes"] > 25
    assert figures["rss_mib"] > 10
    assert (figures["size"], figures["threads"]) == (5, 1)
    assert "ratio_to_processes" not in figures


def test_search_figures_with_a_net(capsys):
    words = ["search", "--size", "7", "--seconds", "0.05", "net=default", "playout_share=0.5"]
    figures = bench(capsys, *words)
    assert figures["simulations_per_s"] > 0
    with pytest.raises(TengenError, match="no net .nothing-of-the-kind."):
        main(["bench", "search", "net=nothing-of-the-kind"])
    with pytest.raises(TengenError, match="nonsense"):
        main(["bench", "search", "nonsense=1"])


def test_an_oblong_board_on_two_threads(capsys):
    figures = bench(capsys, "search", "--size", "4x6", "--seconds", "0.05", "--threads", "2")
    assert (figures["size"], figures["threads"]) == ("4x6", 2)


@pytest.mark.parametrize("part", [playouts, search])
def test_threads_beside_processes(part):
    figures = beside_processes(part.measure, 5, 5, 0.15, 2)
    assert figures.threads == 2
    assert figures.rate > 0
    assert figures.ratio_to_processes > 0


def test_one_thread_has_no_processes_to_compare_with():
    with pytest.raises(TengenError, match="--threads 2"):
        main(["bench", "search", "--peer"])


def test_many_playouts_at_once_beside_one_by_one(capsys):
    figures = bench(capsys, "simultaneous", "--size", "6x5", "--seconds", "0.05")
    assert figures["size"] == "6x5"
    assert figures["playouts_per_s"] > 0
    assert figures["one_by_one_per_s"] > 0
    assert figures["ratio_to_one_by_one"] > 0
    with pytest.raises(TengenError, match="at most 16 columns"):
        main(["bench", "simultaneous", "--size", "19"])


def test_metric_figures(capsys):
    figures = bench(capsys, "metric", "--size", "4", "--seconds", "0.06")
    assert all(figures[name] > 0 for name in ("mix_us", "ed4_us", "ed8_us", "e2_us"))
    assert figures["heat_map_ms"] > 0
    assert figures["size"] == 4


def test_potential_figures(capsys):
    figures = bench(capsys, "potential", "--size", "7", "--seconds", "0.1")
    assert figures["size"] == 7
    assert figures["stones"] >= 39
    assert 0 < figures["stone_us"] < figures["ranking_us"]
    assert figures["recomputed_us"] > figures["stone_us"]


@pytest.mark.parametrize("part", ["potential", "shape"])
def test_a_board_without_moves_is_told(part):
    with pytest.raises(TengenError, match="larger --size"):
        main(["bench", part, "--size", "1"])


def test_a_net_has_a_position_to_see_on_any_board():
    assert len(net._positions(1, 1)) == 1


def test_the_shortest_time_measures_something(capsys):
    figures = bench(capsys, "potential", "--size", "5", "--seconds", "1e-9")
    assert all(math.isfinite(figures[name]) for name in ("stone_us", "ranking_us", "recomputed_us"))


def test_methods_may_have_blanks_between(monkeypatch, capsys):
    monkeypatch.setattr(bigmove, "measure", lambda seconds, methods, tolerance: {"asked": methods})
    words = ("bigmove", "--methods", "tengen; numpy.linalg.eigh")
    assert bench(capsys, *words) == {"asked": ["tengen", "numpy.linalg.eigh"]}
