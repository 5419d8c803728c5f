"""The colored distance of paper 003 (formula 12), for all pairs of points.

For one color, the opponent's points are closed, each connected set of own points is contracted to
one node, and every other step to a neighbor has length one. Breadth-first search runs from 64
points at a time: each point holds one bit per start point, and a step is an `or` over the
neighbors, one branchless loop over the board. The number of pairs at each distance is the number of
bits that are newly set.
"""

import numpy as np

from tengen.board.kernels.layout import STRIDE
from tengen.sources.kernels.metric_sets import other
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
SOURCES = np.uintp(64)
"""Breadth-first searches that run in parallel: the bits of a word."""
EIGHT = np.uintp(8)

_b = np.uint64
PAIRS_OF_BITS = _b(0x5555555555555555)
FOURS_OF_BITS = _b(0x3333333333333333)
BYTE_HALVES = _b(0x0F0F0F0F0F0F0F0F)
EACH_BYTE = _b(0x0101010101010101)


@inline_kernel
def _cells(rows):
    """Return the number of cells a step reads, up to the last neighbor of the last point."""
    return (rows + ONE + ONE) * STRIDE + ONE


@inline_kernel
def _bits(word):
    """Return the number of set bits; LLVM compiles this form to the popcount instruction."""
    word = word - ((word >> _b(1)) & PAIRS_OF_BITS)
    word = (word & FOURS_OF_BITS) + ((word >> _b(2)) & FOURS_OF_BITS)
    word = (word + (word >> _b(4))) & BYTE_HALVES
    return (word * EACH_BYTE) >> _b(56)


@inline_kernel
def _count(reach, first, last):
    """Return the number of set bits over the points."""
    total = _b(0)
    for point in range(first, last):
        total += _bits(reach[point])
    return total


@inline_kernel
def _join_sets(reach, members, starts, count):
    """Propagate what reaches one point of an own set to the whole set."""
    for number in range(count):
        begin, end = np.uintp(starts[number]), np.uintp(starts[number + ONE])
        if end - begin > ONE:
            together = _b(0)
            for place in range(begin, end):
                together |= reach[members[place]]
            for place in range(begin, end):
                reach[members[place]] = together


@inline_kernel
def _spread_to_four(reach, after, open_points, first, last):
    for point in range(first, last):
        after[point] = open_points[point] & (
            reach[point]
            | reach[point - ONE]
            | reach[point + ONE]
            | reach[point - STRIDE]
            | reach[point + STRIDE]
        )


@inline_kernel
def _spread_to_eight(reach, after, open_points, first, last):
    for point in range(first, last):
        row = reach[point - ONE] | reach[point] | reach[point + ONE]
        above, below = point - STRIDE, point + STRIDE
        row |= reach[above - ONE] | reach[above] | reach[above + ONE]
        row |= reach[below - ONE] | reach[below] | reach[below + ONE]
        after[point] = open_points[point] & row


@inline_kernel
def _begin_sources(reach, open_points, rows, columns, begin):
    """Start one search from each open point of the 64 from number `begin` in board order."""
    for point in range(_cells(rows)):
        reach[point] = _b(0)
    for number in range(begin, min(begin + SOURCES, rows * columns)):
        point = (number // columns + ONE) * STRIDE + number % columns + ONE
        reach[point] = open_points[point] & (_b(1) << _b(number - begin))


@kernel
def _search_from(reach, after, open_points, sets, first, last, neighbors, infinity):
    """Return (connected pairs, sum of their distances) for the start points in `reach`."""
    members, starts, count = sets
    _join_sets(reach, members, starts, count)
    reached = _count(reach, first, last)
    total, steps = 0.0, 0.0
    while True:
        if neighbors == EIGHT:
            _spread_to_eight(reach, after, open_points, first, last)
        else:
            _spread_to_four(reach, after, open_points, first, last)
        _join_sets(after, members, starts, count)
        now = _count(after, first, last)
        if now == reached:
            return reached, total
        steps += 1.0
        total += min(steps, infinity) * np.float64(now - reached)
        reached = now
        reach, after = after, reach


@kernel
def distance_sum(abstract, color, rows, columns, sets, neighbors, infinity, words):
    """Return the sum of the colored distances over all ordered pairs of points (formula 11).

    `sets` are the (members, starts, count) of `find_sets` for this color and `neighbors`. A pair
    that is not connected, that contains a point of the opponent, or that is farther apart than
    `infinity` counts `infinity`. `words` is scratch memory of shape (3, POINTS), uint64.
    """
    reach, after, open_points = words[0], words[1], words[2]
    first, last = STRIDE + ONE, rows * STRIDE + columns + ONE
    for point in range(_cells(rows)):
        after[point] = _b(0)
        open_points[point] = _b(0)
    for row in range(ONE, rows + ONE):
        for point in range(row * STRIDE + ONE, row * STRIDE + ONE + columns):
            if abstract[point] != other(color):
                open_points[point] = ~_b(0)
    pairs, total = _b(0), 0.0
    for begin in range(np.uintp(0), rows * columns, SOURCES):
        _begin_sources(reach, open_points, rows, columns, begin)
        connected, distances = _search_from(
            reach, after, open_points, sets, first, last, neighbors, infinity
        )
        pairs += connected
        total += distances
    points = np.float64(rows * columns)
    return total + infinity * (points * points - np.float64(pairs))
