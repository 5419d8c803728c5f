"""Sets of points as bits of a word."""

import numpy as np

from tengen.core.compiler import inline_kernel
from tengen.solver.kernels.memory import COLUMNS, FULL, NOT_FIRST, NOT_LAST, ONE

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H = np.uint64(0x0101010101010101)
_TWO, _FOUR, _TOP = np.uint64(2), np.uint64(4), np.uint64(56)


@inline_kernel
def count(points):
    """Return how many points a set has; LLVM makes one instruction of it."""
    points = points - ((points >> ONE) & _M1)
    points = (points & _M2) + ((points >> _TWO) & _M2)
    points = (points + (points >> _FOUR)) & _M4
    return np.int64((points * _H) >> _TOP)


@inline_kernel
def lowest(points):
    """Return the set of the first point alone."""
    return points & (~points + ONE)


@inline_kernel
def place(point):
    """Return the number of the one point in a set."""
    return np.uint64(count(point - ONE))


@inline_kernel
def beside(words, points):
    """Return the points next to those of a set; some of its own may be among them."""
    columns = words[COLUMNS]
    across = ((points << ONE) & words[NOT_FIRST]) | ((points >> ONE) & words[NOT_LAST])
    return (across | (points << columns) | (points >> columns)) & words[FULL]


@inline_kernel
def flood(words, seed, within):
    """Return the points of `within` connected to `seed`, which lies in it."""
    reached = seed
    while True:
        wider = reached | (beside(words, reached) & within)
        if wider == reached:
            return reached
        reached = wider
