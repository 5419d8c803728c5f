"""Numbers of legal positions, compared with Tromp's results."""

import numpy as np
import pytest

from tengen.board.kernels.block import copy_block, new_block
from tengen.board.kernels.layout import BLACK, CELLS, PRISONERS, STRIDE, WHITE
from tengen.board.kernels.stones import put_stone
from tengen.util.compiler import kernel

pytestmark = pytest.mark.kernels

KNOWN = {
    (1, 1): 1,
    (1, 2): 5,
    (1, 5): 113,
    (1, 12): 141_209,
    (2, 2): 57,
    (2, 3): 489,
    (2, 4): 4_125,
    (2, 6): 299_681,
    (3, 3): 12_675,
    (3, 4): 321_689,
}


@kernel
def count_legal(boards, depth, rows, columns):
    """Count the legal positions that extend boards[depth], whose first `depth` points are set.

    A chain without a liberty never gets one back while stones are only added, so the first
    capture shows that a whole branch is illegal.
    """
    if depth == rows * columns:
        return np.uint64(1)
    point = (depth // columns + np.uintp(1)) * STRIDE + depth % columns + np.uintp(1)
    block = boards[depth]
    child = boards[depth + np.uintp(1)]
    copy_block(block, child)
    total = np.uint64(count_legal(boards, depth + np.uintp(1), rows, columns))
    for color in (BLACK, WHITE):
        copy_block(block, child)
        put_stone(child, point, color)
        if child[PRISONERS + BLACK] + child[PRISONERS + WHITE] == 0:
            total += np.uint64(count_legal(boards, depth + np.uintp(1), rows, columns))
    return total


def legal_positions(rows, columns):
    boards = np.zeros((rows * columns + 1, CELLS), dtype=np.uint32)
    boards[0] = new_block(rows, columns)
    return int(count_legal(boards, np.uintp(0), np.uintp(rows), np.uintp(columns)))


@pytest.mark.parametrize(("size", "number"), KNOWN.items())
def test_legal_positions(size, number):
    assert legal_positions(*size) == number
    assert legal_positions(*reversed(size)) == number


@pytest.mark.slow
def test_legal_positions_4x4():
    assert legal_positions(4, 4) == 24_318_165
