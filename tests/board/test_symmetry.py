"""Tests of board symmetries against NumPy."""

import numpy as np
import pytest

from tengen.board import PASS, board_points, inverse_symmetries, symmetries


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 2), (9, 9), (19, 19), (3, 5), (19, 2)])
def test_symmetries_match_numpy(rows, columns):
    grid = np.arange(rows * columns).reshape(rows, columns)
    points = board_points(rows, columns)
    for symmetry, table in enumerate(symmetries(rows, columns)):
        turned = grid[::-1] if symmetry & 1 else grid
        turned = turned[:, ::-1] if symmetry & 2 else turned
        turned = turned.T if symmetry & 4 else turned
        seen = {int(table[point]): label for point, label in zip(points, grid.flat, strict=True)}
        assert [seen[point] for point in points] == turned.flatten().tolist()
        assert table[PASS] == PASS


def test_number_of_symmetries():
    assert len({tuple(table) for table in symmetries(9, 9)}) == 8
    assert len({tuple(table) for table in symmetries(9, 7)}) == 4


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (4, 6)])
def test_inverse_symmetries(rows, columns):
    there, back = symmetries(rows, columns), inverse_symmetries(rows, columns)
    for symmetry in range(len(there)):
        assert (back[symmetry][there[symmetry]] == np.arange(there.shape[1])).all()
