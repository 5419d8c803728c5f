"""The C yardstick plays the very same games; otherwise the comparison would mean nothing."""

import shutil

import pytest

from tengen.bench.peer import Peer
from tengen.bench.playouts import PlayoutLoop, measure
from tengen.core.errors import TengenError

pytestmark = pytest.mark.kernels


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc (Debian: apt-get install gcc)")
@pytest.mark.parametrize("size", [(1, 1), (2, 5), (9, 9), (19, 19)])
def test_c_and_python_play_the_same_games(size):
    loop = PlayoutLoop(*size, seed=2026)
    loop.play(300)
    with Peer() as peer:
        assert tuple(loop.totals) == peer.run(*size, 300, 2026)[:3]


def test_figures_add_up():
    figures = measure(5, 5, 0.05, 2)
    assert figures.playouts_per_s > 0
    assert figures.moves_per_s > figures.playouts_per_s
    assert figures.as_json()["size"] == 5
    assert figures.as_json()["threads"] == 2


def test_a_compiler_that_fails_is_told(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/false")
    with pytest.raises(TengenError, match="/bin/false cannot compile: leave out --peer"):
        Peer()
