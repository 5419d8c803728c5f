"""Tests of the playout benchmark and its C reference."""

import shutil

import pytest

from tengen.bench.playouts import CPlayouts, PlayoutLoop, measure
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


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
