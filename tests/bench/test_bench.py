"""Tests of `tengen bench` results, and of the C reference of the playouts."""

import json
import math
import shutil
import sys

import pytest
from match_helpers import SCRIPT

from tengen.bench import bigmove, nets, playouts, search
from tengen.bench.measurement import compare_with_processes
from tengen.bench.playouts import CPlayouts, PlayoutLoop, measure
from tengen.cli.main import main
from tengen.util import TengenError, read_results

pytestmark = pytest.mark.kernels


def bench(capsys, *arguments):
    assert main(["bench", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_search(capsys):
    result = bench(capsys, "search", "--size", "5", "--seconds", "0.05")
    assert result["simulations_per_s"] > 0
    assert result["nodes"] > 25
    assert result["rss_mib"] > 10
    assert (result["size"], result["threads"]) == (5, 1)
    assert "ratio_to_processes" not in result


def test_search_with_a_net(capsys):
    arguments = ["search", "--size", "7", "--seconds", "0.05", "net=default", "playout_share=0.5"]
    result = bench(capsys, *arguments)
    assert result["simulations_per_s"] > 0
    with pytest.raises(TengenError, match="no network .nothing-of-the-kind."):
        main(["bench", "search", "net=nothing-of-the-kind"])
    with pytest.raises(TengenError, match="nonsense"):
        main(["bench", "search", "nonsense=1"])


PEER = """\
import sys
for line in sys.stdin:
    if "raw" in line:
        sum(range(10**6))
    print("=" if "{unknown}" not in line else "? unknown command", end="\\n\\n", flush=True)
"""


def test_net_and_peer(tmp_path, capsys):
    script = tmp_path / "peer.py"
    script.write_text(PEER.format(unknown="nothing"))
    command = f"{sys.executable} {script}"
    arguments = ["net", "--net", "default", "--size", "7", "--seconds", "0.3", "--peer", command]
    result = bench(capsys, *arguments)
    assert result["peer_per_cpu_s"] > 0
    assert result["ratio_to_peer"] > 0
    script.write_text(PEER.format(unknown="kata-raw-nn"))
    with pytest.raises(TengenError, match="unknown command"):
        main(["bench", *arguments])


def test_rectangular_board_with_two_threads(capsys):
    result = bench(capsys, "search", "--size", "4x6", "--seconds", "0.05", "--threads", "2")
    assert (result["size"], result["threads"]) == ("4x6", 2)


@pytest.mark.parametrize("measure", [playouts.measure, search.measure_search])
def test_compares_threads_with_processes(measure):
    result = compare_with_processes(measure, 5, 5, 0.15, 2)
    assert result.threads == 2
    assert result.rate > 0
    assert result.ratio_to_processes > 0


def test_writes_a_row_per_size(tmp_path):
    path = tmp_path / "playouts.csv"
    assert main(["bench", "playouts", "--size", "3,4x5", "--seconds", "0.02", "-o", str(path)]) == 0
    results = read_results(path)
    assert [row["size"] for row in results.rows] == ["3", "4x5"]
    assert all(float(row["playouts_per_s"]) > 0 for row in results.rows)


def test_comparison_with_processes_needs_two_threads():
    with pytest.raises(TengenError, match="--threads 2"):
        main(["bench", "search", "--processes"])


def test_search_with_a_peer(capsys):
    peer = f"{sys.executable} {SCRIPT} log={{simulations}}"
    arguments = ["search", "--size", "5", "--seconds", "0.2", "--peer", peer, "memory_mib=8"]
    result = bench(capsys, *arguments)
    assert result["peer"] == "scripted 1"
    assert result["peer_simulations_per_cpu_s"] > 0
    assert result["ratio_to_peer"] > 0
    with pytest.raises(TengenError, match="must contain {simulations}"):
        main(["bench", "search", "--peer", "pachi"])
    with pytest.raises(TengenError, match="square"):
        main(["bench", "search", "--size", "4x5", "--peer", peer])
    with pytest.raises(TengenError, match="one thread"):
        main(["bench", "search", "--threads", "2", "--peer", peer])


def test_solver(capsys):
    result = bench(capsys, "solver", "--size", "2x3")
    assert (result["size"], result["value"]) == ("2x3", 0)
    assert result["nodes"] > 0
    assert result["cpu_s"] > 0


def test_batched_playouts(capsys):
    result = bench(capsys, "batched", "--size", "6x5", "--seconds", "0.05")
    assert result["size"] == "6x5"
    assert result["playouts_per_cpu_s"] > 0
    assert result["single_playouts_per_cpu_s"] > 0
    assert result["ratio_to_single"] > 0
    with pytest.raises(TengenError, match="at most 16 columns"):
        main(["bench", "batched", "--size", "19"])


def test_metric(capsys):
    result = bench(capsys, "metric", "--size", "4", "--seconds", "0.06")
    assert all(result[name] > 0 for name in ("mix_us", "ed4_us", "ed8_us", "e2_us"))
    assert result["heat_map_ms"] > 0
    assert result["size"] == 4


def test_potential(capsys):
    result = bench(capsys, "potential", "--size", "7", "--seconds", "0.1")
    assert result["size"] == 7
    assert result["stones"] >= 39
    assert 0 < result["stone_us"] < result["ranking_us"]
    assert result["recomputed_us"] > result["stone_us"]


@pytest.mark.parametrize("part", ["potential", "shape"])
def test_rejects_a_board_without_moves(part):
    with pytest.raises(TengenError, match="larger --size"):
        main(["bench", part, "--size", "1"])


def test_net_positions_on_the_smallest_board():
    assert len(nets._positions(1, 1)) == 1


def test_shortest_duration_gives_finite_results(capsys):
    result = bench(capsys, "potential", "--size", "5", "--seconds", "1e-9")
    assert all(math.isfinite(result[name]) for name in ("stone_us", "ranking_us", "recomputed_us"))


def test_methods_may_be_separated_by_spaces(monkeypatch, capsys):
    monkeypatch.setattr(
        bigmove, "measure", lambda seconds, methods, tolerance: {"methods": methods}
    )
    arguments = ("bigmove", "--methods", "tengen; numpy.linalg.eigh")
    assert bench(capsys, *arguments) == {"methods": ["tengen", "numpy.linalg.eigh"]}


# The C reference


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc (Debian: apt-get install gcc)")
@pytest.mark.parametrize("size", [(1, 1), (2, 5), (9, 9), (19, 19)])
def test_c_and_python_play_the_same_games(size):
    loop = PlayoutLoop(*size, seed=2026)
    loop.play(300)
    with CPlayouts() as program:
        assert tuple(loop.totals) == program.run(*size, 300, 2026)[:3]


def test_measures_playouts_on_threads():
    result = measure(5, 5, 0.05, 2)
    assert result.playouts_per_s > 0
    assert result.moves_per_s > result.playouts_per_s
    assert result.as_json()["size"] == 5
    assert result.as_json()["threads"] == 2


def test_reports_a_failing_compiler(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/false")
    with pytest.raises(
        TengenError, match="/bin/false failed to compile the C playouts: omit --peer"
    ):
        CPlayouts()
