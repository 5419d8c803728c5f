"""All eigenvector methods find the same fundamental mode."""

import numpy as np
import pytest

from tengen.board import Position
from tengen.lab.bigmove.eigen_methods import METHODS, OWN, Dirichlet, mode_by
from tengen.sources import BigMove, biggest_points
from tengen.util import TengenError

SLOW = ("power, naive", "power, vectorized")


def random_game(moves: int, size: int) -> Position:
    random = np.random.default_rng(moves)
    position = Position(size)
    for _ in range(moves):
        position.play(int(random.choice(position.legal_moves())))
    return position


@pytest.fixture(scope="module", params=[0, 14, 200], ids=["empty", "fuseki", "endgame"])
def board(request):
    return random_game(request.param, 19)


def test_own_solver_is_the_default():
    assert next(iter(METHODS)) == OWN


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SLOW])
def test_methods_agree(board, name):
    matrix = Dirichlet(BigMove(variants="p1").diagonal(board))
    exact = mode_by(matrix, "numpy.linalg.eigh")
    found = mode_by(matrix, name, tolerance=1e-8)
    assert np.abs(found - exact).max() < 1e-6
    assert matrix.residual(found.ravel()) < 1e-6
    assert biggest_points(board, found) == biggest_points(board, exact)


@pytest.mark.parametrize("name", SLOW)
def test_slow_methods_agree_on_a_small_board(name):
    board = random_game(8, 7)
    matrix = Dirichlet(BigMove(variants="p2").diagonal(board))
    assert np.abs(mode_by(matrix, name, 1e-8) - mode_by(matrix, "numpy.linalg.eigh")).max() < 1e-6


@pytest.mark.parametrize("size", [(1, 3), (3, 1), (2, 5), (9, 4)])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore:The problem size")  # lobpcg falls back to a dense method
def test_methods_agree_on_any_shape(size, name):
    matrix = Dirichlet(BigMove(variants="p1").diagonal(Position(*size)))
    assert np.abs(mode_by(matrix, name, 1e-9) - mode_by(matrix, OWN, 1e-9)).max() < 1e-6


def test_matrix_forms_are_equal():
    matrix = Dirichlet(BigMove(variants="p3").diagonal(random_game(20, 6)))
    dense = matrix.dense
    assert np.array_equal(dense, dense.T)
    for row, listed in enumerate(matrix.entries):
        assert {column: dense[row, column] for column in np.flatnonzero(dense[row])} == dict(listed)
    for place, band in enumerate(matrix.banded):
        below = np.diagonal(dense, -place)
        assert np.array_equal(band[: below.size], below)
        assert not band[below.size :].any()


def test_rejects_unknown_methods():
    with pytest.raises(TengenError, match="unknown method 'magic'"):
        mode_by(Dirichlet(np.full((3, 3), 4.0)), "magic")
