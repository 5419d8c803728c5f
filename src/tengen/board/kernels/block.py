"""Creating, copying and hashing board blocks."""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    CELLS,
    COLOR,
    COLUMNS,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_INDEX,
    EMPTY_LIST,
    HASH_HIGH,
    HASH_LOW,
    NEIGHBORHOOD,
    NEIGHBORS,
    POINTS,
    ROWS,
    SITUATION_KEY,
    STRIDE,
    TO_PLAY,
    WALL,
    WHITE,
)
from tengen.util.compiler import kernel


def new_block(rows: int, columns: int) -> np.ndarray:
    """Return the block of an empty board, Black to play."""
    block = np.zeros(CELLS, dtype=np.uint32)
    clear(block, np.uintp(rows), np.uintp(columns))
    return block


@kernel
def clear(block, rows, columns):
    """Reset `block` to an empty board of the given size, Black to play."""
    block[:] = 0
    block[ROWS] = rows
    block[COLUMNS] = columns
    block[TO_PLAY] = BLACK
    for point in range(POINTS):
        block[COLOR + point] = WALL
    count = np.uintp(0)
    for row in range(rows):
        for column in range(columns):
            point = (row + np.uintp(1)) * STRIDE + column + np.uintp(1)
            block[COLOR + point] = EMPTY
            block[EMPTY_LIST + count] = point
            block[EMPTY_INDEX + point] = count
            count += np.uintp(1)
    block[EMPTY_COUNT] = count
    for place in range(count):
        _set_neighborhood(block, np.uintp(block[EMPTY_LIST + place]))


@kernel
def _set_neighborhood(block, point):
    """Set the neighborhood code of a point."""
    code, shift = np.uintp(0), np.uintp(0)
    for offset in NEIGHBORS:
        code |= np.uintp(block[COLOR + point + offset]) << shift
        shift += np.uintp(2)
    block[NEIGHBORHOOD + point] = code


@kernel
def copy_block(source, target):
    """Copy a board. The explicit loop is ten times faster than slice assignment."""
    for cell in range(np.uintp(CELLS)):
        target[cell] = source[cell]


@kernel
def stones_hash(block):
    """Return the 64-bit Zobrist hash of the stones on the board."""
    return (np.uint64(block[HASH_HIGH]) << np.uint64(32)) | np.uint64(block[HASH_LOW])


@kernel
def situation_hash(block):
    """Return the hash of the stones and the side to move."""
    stones = stones_hash(block)
    if block[TO_PLAY] == WHITE:
        return stones ^ SITUATION_KEY
    return stones
