"""The light playout: uniformly random moves, no filling of own eyes, no suicide."""

import numpy as np

from tengen.board.kernels.area import finished_area
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    COLUMNS,
    EMPTIES,
    EMPTY_LIST,
    EMPTY_PLACE,
    KO,
    PASS,
    PASSES,
    ROWS,
    TO_PLAY,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_eye, is_suicide
from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.random import random_below

ONE = np.uintp(1)


@inline_kernel
def set_aside(block, place, left):
    """Swap the empty points at two places of their list, so that a refused one is not drawn again.

    What the list holds does not change.
    """
    point, last = block[EMPTY_LIST + place], block[EMPTY_LIST + left]
    block[EMPTY_LIST + left] = point
    block[EMPTY_PLACE + point] = left
    block[EMPTY_LIST + place] = last
    block[EMPTY_PLACE + last] = place


@inline_kernel
def playable(block, point, colour):
    """Tell whether a move is legal and fills no own eye."""
    if point == block[KO] or is_eye(block, point, colour):
        return False
    return not is_suicide(block, point, colour)


@inline_kernel
def uniform_move(block, random):
    """Return a move drawn uniformly from those that fill no own eye and are legal, else PASS.

    A point that is refused is set aside, so every playable point stays equally likely.
    """
    colour = np.uintp(block[TO_PLAY])
    left = np.uintp(block[EMPTIES])
    while left > np.uintp(0):
        place = np.uintp(random_below(random, left))
        point = np.uintp(block[EMPTY_LIST + place])
        if playable(block, point, colour):
            return point
        left -= ONE
        set_aside(block, place, left)
    return PASS


@kernel
def light_playout(block, random, longest):
    """Play on `block` until two passes or `longest` moves; return the number of moves."""
    length = np.uintp(0)
    while block[PASSES] < 2 and length < longest:
        play(block, uniform_move(block, random))
        length += ONE
    return length


@kernel
def run_light_playouts(start, scratch, random, count, result):
    """Play `count` playouts from `start`; add up wins of Black, areas, moves in `result`."""
    longest = np.uintp(3) * np.uintp(start[ROWS]) * np.uintp(start[COLUMNS])
    for _ in range(count):
        copy_block(start, scratch)
        result[2] += light_playout(scratch, random, longest)
        area = finished_area(scratch)
        result[1] += area
        result[0] += np.int64(area > 0)
