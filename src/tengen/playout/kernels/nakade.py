"""The vital point of a small eye space."""

import numpy as np

from tengen.board.kernels.around import BESIDE, stones_around
from tengen.board.kernels.layout import (
    AROUND,
    COLOUR,
    COLOURS,
    DOWN,
    EMPTY,
    LEFT,
    NOWHERE,
    RIGHT,
    UP,
)
from tengen.board.kernels.liberties import contains
from tengen.core.compiler import kernel

ONE = np.uintp(1)
LARGEST = np.uintp(6)
# By size: how many neighbours inside the region the vital point has. Shapes without such a
# point (a row of four, a square) are settled: no move there matters.
LINKS_NEEDED = np.array([9, 9, 9, 2, 3, 3, 4], dtype=np.uint32)


@kernel
def _small_region(block, start, colour, region):
    """Collect the empty region around `start`; return its size.

    0 if it is too large or not enclosed by `colour`.
    """
    enemy = COLOURS - colour
    if stones_around(np.uintp(block[AROUND + start]), enemy, BESIDE):
        return np.uintp(0)
    region[0] = start
    size = ONE
    done = np.uintp(0)
    while done < size:
        point = np.uintp(region[done])
        done += ONE
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = point + offset
            if block[COLOUR + neighbour] != EMPTY or contains(region, size, neighbour):
                continue
            if size == LARGEST:
                return np.uintp(0)
            if stones_around(np.uintp(block[AROUND + neighbour]), enemy, BESIDE):
                return np.uintp(0)
            region[size] = neighbour
            size += ONE
    return size


@kernel
def nakade_point(block, start, colour, region):
    """Return the vital point of the eye space of `colour` around the empty `start`, or NOWHERE.

    `region` is scratch memory for six points. The eye space must be three to six empty points
    enclosed by stones of `colour`.
    """
    size = _small_region(block, start, colour, region)
    if size < np.uintp(3):
        return NOWHERE
    for index in range(size):
        point = np.uintp(region[index])
        links = np.uintp(0)
        for offset in (UP, LEFT, RIGHT, DOWN):
            links += np.uintp(block[COLOUR + point + offset] == EMPTY)
        if links >= LINKS_NEEDED[size]:
            return point
    return NOWHERE
