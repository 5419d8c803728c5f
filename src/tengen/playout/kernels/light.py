"""Light playouts: uniformly random moves that neither fill own eyes nor are suicide."""

import numpy as np

from tengen.board.kernels.area import finished_area
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    COLUMNS,
    EMPTY_COUNT,
    EMPTY_INDEX,
    EMPTY_LIST,
    KO,
    PASS,
    PASSES,
    ROWS,
    TO_PLAY,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_eye, is_suicide
from tengen.playout.kernels.random import random_below
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)


@inline_kernel
def swap_empty_points(block, place, left):
    """Swap two entries of the list of empty points, so that a rejected one is not drawn again."""
    point, last = block[EMPTY_LIST + place], block[EMPTY_LIST + left]
    block[EMPTY_LIST + left] = point
    block[EMPTY_INDEX + point] = left
    block[EMPTY_LIST + place] = last
    block[EMPTY_INDEX + last] = place


@inline_kernel
def playable(block, point, color):
    """Return whether a move is legal (simple ko, no suicide) and does not fill an own eye."""
    if point == block[KO] or is_eye(block, point, color):
        return False
    return not is_suicide(block, point, color)


@inline_kernel
def uniform_move(block, random):
    """Return a playable move drawn uniformly, or PASS if there is none.

    Rejected points move to the end of the list, so all playable points are equally likely.
    """
    color = np.uintp(block[TO_PLAY])
    left = np.uintp(block[EMPTY_COUNT])
    while left > np.uintp(0):
        place = np.uintp(random_below(random, left))
        point = np.uintp(block[EMPTY_LIST + place])
        if playable(block, point, color):
            return point
        left -= ONE
        swap_empty_points(block, place, left)
    return PASS


@kernel
def light_playout(block, random, longest):
    """Play until two passes or `longest` moves; return the number of moves."""
    length = np.uintp(0)
    while block[PASSES] < 2 and length < longest:
        play(block, uniform_move(block, random))
        length += ONE
    return length


@kernel
def run_light_playouts(start, scratch, random, count, result):
    """Play `count` playouts; add Black's wins, areas and moves to `result`, int64 [3]."""
    longest = np.uintp(3) * np.uintp(start[ROWS]) * np.uintp(start[COLUMNS])
    for _ in range(count):
        copy_block(start, scratch)
        result[2] += light_playout(scratch, random, longest)
        area = finished_area(scratch)
        result[1] += area
        result[0] += np.int64(area > 0)
