"""Exact liberties, where the pseudo-liberties of the block are not enough."""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    DOWN,
    EMPTY,
    HEAD,
    LEFT,
    LIBERTIES,
    NEXT,
    RIGHT,
    STONES,
    UP,
)
from tengen.core.compiler import kernel

ONE = np.uintp(1)
MOST_FOR_TWO = np.uintp(8)
"""Two liberties count no more than so often: each of them has four neighbours."""


@kernel
def contains(points, count, point):
    """Tell whether `point` is among the first `count` of `points`."""
    for index in range(count):
        if points[index] == point:
            return True
    return False


@kernel
def find_liberties(block, stone, most, points):
    """Write the liberties of the chain at `stone` into `points`, at most `most` of them.

    Return how many were found; the search ends as soon as `most` are known.
    """
    count = np.uintp(0)
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            point = current + offset
            if block[COLOUR + point] == EMPTY and not contains(points, count, point):
                points[count] = point
                count += ONE
                if count == most:
                    return count
        current = np.uintp(block[NEXT + current])
    return count


@kernel
def two_liberties(block, stone):
    """Return (count, one, other): up to three liberties are counted, one or two are named."""
    one = np.uintp(0)
    other = np.uintp(0)
    head = block[HEAD + stone]
    if block[LIBERTIES + head] > MOST_FOR_TWO:
        return np.uintp(3), one, other
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + head])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            point = current + offset
            if block[COLOUR + point] == EMPTY and point != one and point != other:
                if one == np.uintp(0):
                    one = point
                elif other == np.uintp(0):
                    other = point
                else:
                    return np.uintp(3), one, other
        current = np.uintp(block[NEXT + current])
    if other != np.uintp(0):
        return np.uintp(2), one, other
    return ONE, one, other
