"""Counting: Tromp-Taylor area, and the quick count at the end of a playout."""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLOUR,
    DOWN,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    LEFT,
    POINTS,
    RIGHT,
    UP,
    WALL,
    WHITE,
)
from tengen.board.kernels.tactics import is_eye_like
from tengen.core.compiler import allocating_kernel, kernel

ONE = np.uintp(1)
NOBODY = np.uintp(3)
"""Marks the points of an empty region that touches both colours, or none, while counting."""


@kernel
def _flood_region(block, start, marks, mark, stack):
    """Mark the empty region around `start`; return the colours it touches."""
    touched = np.uintp(0)
    height = ONE
    stack[0] = start
    marks[start] = mark
    while height > np.uintp(0):
        height -= ONE
        point = np.uintp(stack[height])
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = point + offset
            beside = np.uintp(block[COLOUR + neighbour])
            if beside == EMPTY:
                if marks[neighbour] != mark:
                    marks[neighbour] = mark
                    stack[height] = neighbour
                    height += ONE
            elif beside != WALL:
                touched |= beside
    return touched


@allocating_kernel
def area_owners(block, owners):
    """Write who owns each point by Tromp-Taylor area: 0 nobody, 1 Black, 2 White.

    `owners` has one byte a padded point. Stones own their point; an empty region belongs to the
    only colour it touches. Return Black's area minus White's.
    """
    stack = np.empty(POINTS, dtype=np.uint32)
    marks = np.zeros(POINTS, dtype=np.uint32)
    area = np.int64(0)
    region = ONE
    owner_of = np.zeros(POINTS, dtype=np.uint8)
    for point in range(POINTS):
        colour = np.uintp(block[COLOUR + point])
        owners[point] = 0
        if colour == WALL:
            continue
        if colour == EMPTY:
            if marks[point] == 0:
                touched = _flood_region(block, point, marks, region, stack)
                owner_of[region] = touched if touched != NOBODY else 0
                region += ONE
            colour = np.uintp(owner_of[marks[point]])
        owners[point] = colour
        area += np.int64(colour == BLACK) - np.int64(colour == WHITE)
    return area


@allocating_kernel
def area_balance(block):
    """Return Black's Tromp-Taylor area minus White's, all stones counted as alive."""
    return area_owners(block, np.zeros(POINTS, dtype=np.uint8))


@kernel
def stone_balance(block):
    """Return the number of black stones minus the number of white ones."""
    balance = np.int64(0)
    for point in range(POINTS):
        colour = block[COLOUR + point]
        balance += np.int64(colour == BLACK) - np.int64(colour == WHITE)
    return balance


@kernel
def finished_area(block):
    """Return the area balance of a board played out until only single-point eyes are empty."""
    area = stone_balance(block)
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        area += np.int64(is_eye_like(block, point, BLACK))
        area -= np.int64(is_eye_like(block, point, WHITE))
    return area
