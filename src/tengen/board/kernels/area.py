"""Area counting: Tromp-Taylor for any board, and a faster count for finished playouts."""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLOR,
    DOWN,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    LEFT,
    POINTS,
    RIGHT,
    UP,
    WALL,
    WHITE,
)
from tengen.board.kernels.tactics import is_eye_like
from tengen.util.compiler import allocating_kernel, kernel

ONE = np.uintp(1)
BOTH_COLORS = np.uintp(3)


@kernel
def _flood_region(block, start, marks, mark, stack):
    """Mark the empty region around `start`; return the bitwise or of the colors it touches."""
    touched = np.uintp(0)
    height = ONE
    stack[0] = start
    marks[start] = mark
    while height > np.uintp(0):
        height -= ONE
        point = np.uintp(stack[height])
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = point + offset
            occupant = np.uintp(block[COLOR + neighbor])
            if occupant == EMPTY:
                if marks[neighbor] != mark:
                    marks[neighbor] = mark
                    stack[height] = neighbor
                    height += ONE
            elif occupant != WALL:
                touched |= occupant
    return touched


@allocating_kernel
def area_owners(block, owners):
    """Write the Tromp-Taylor owner of each point: 0 neutral, 1 Black, 2 White.

    `owners` is uint8 [POINTS]. Return Black's area minus White's.
    """
    stack = np.empty(POINTS, dtype=np.uint32)
    marks = np.zeros(POINTS, dtype=np.uint32)
    area = np.int64(0)
    region = ONE
    owner_of = np.zeros(POINTS, dtype=np.uint8)
    for point in range(POINTS):
        color = np.uintp(block[COLOR + point])
        owners[point] = 0
        if color == WALL:
            continue
        if color == EMPTY:
            if marks[point] == 0:
                touched = _flood_region(block, point, marks, region, stack)
                owner_of[region] = touched if touched != BOTH_COLORS else 0
                region += ONE
            color = np.uintp(owner_of[marks[point]])
        owners[point] = color
        area += np.int64(color == BLACK) - np.int64(color == WHITE)
    return area


@allocating_kernel
def area_balance(block):
    """Return Black's Tromp-Taylor area minus White's."""
    return area_owners(block, np.zeros(POINTS, dtype=np.uint8))


@kernel
def stone_balance(block):
    """Return the number of black stones minus the number of white ones."""
    balance = np.int64(0)
    for point in range(POINTS):
        color = block[COLOR + point]
        balance += np.int64(color == BLACK) - np.int64(color == WHITE)
    return balance


@kernel
def finished_area(block):
    """Return Black's area minus White's for a board where all empty points are one-point eyes."""
    area = stone_balance(block)
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        area += np.int64(is_eye_like(block, point, BLACK))
        area -= np.int64(is_eye_like(block, point, WHITE))
    return area
