"""The evaluations of paper 003, their weighted sum (formula 17) and a depth-one search.

Values are from Black's point of view.

The colored distance (formula 12) is computed for all pairs of points. For one color, the opponent's
points are closed, each connected set of own points is contracted to one node, and every other step
to a neighbor has length one. Breadth-first search runs from 64 points at a time: each point holds
one bit per start point, and a step is an `or` over the neighbors, one branchless loop over the
board. The number of pairs at each distance is the number of bits that are newly set.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.area import unconditional_life
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    BLACK,
    CELLS,
    COLOR,
    COLUMNS,
    EMPTY_COUNT,
    EMPTY_LIST,
    KO,
    NOWHERE,
    POINTS,
    ROWS,
    STRIDE,
    TO_PLAY,
    WHITE,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_suicide
from tengen.sources.kernels.metric_sets import (
    abstract_colors,
    find_sets,
    other,
    sign_of,
    sum_of_powers,
)
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
SOURCES = np.uintp(64)
"""Breadth-first searches that run in parallel: the bits of a word."""
FOUR, EIGHT = np.uintp(4), np.uintp(8)

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


CLOSED = np.uintp(0)
"""`open_edges` of a whole board."""

E0, E1, E2, EP, ED4, ED8 = (np.uintp(n) for n in range(6))
"""Indices of the evaluations in values and weights. EP has a configurable power."""
MEASURES = 6
MIX = np.uintp(MEASURES)
"""Index of the weighted sum, after the evaluations."""
POWER, INFINITY, LIFE = np.uintp(6), np.uintp(7), np.uintp(8)
"""Entries after the weights: the power of EP, the value of an infinite distance, and whether
Benson's unconditional life colors points (section 7 of the paper)."""


class MetricScratch(NamedTuple):
    """Scratch memory of an evaluation; holds nothing between calls."""

    abstract: np.ndarray
    """uint32[POINTS]: abstract colors."""
    sets: np.ndarray
    """uint32[4, POINTS]: members, starts and marks of `find_sets`, and a queue."""
    owned: np.ndarray
    """uint8[POINTS]: unconditionally alive points."""
    words: np.ndarray
    """uint64[3, POINTS]: scratch memory of `distance_sum`."""
    after: np.ndarray
    """uint32[CELLS]: the board after a move."""


_MEMBERS, _STARTS, _SEEN, _QUEUE = (np.uintp(n) for n in range(4))


def new_scratch() -> MetricScratch:
    """Allocate scratch memory for one thread."""
    points = int(POINTS)
    return MetricScratch(
        np.zeros(points, dtype=np.uint32),
        np.zeros((4, points), dtype=np.uint32),
        np.zeros(points, dtype=np.uint8),
        np.zeros((3, points), dtype=np.uint64),
        np.zeros(CELLS, dtype=np.uint32),
    )


# Offsets of the same fields, then of the changes, in a source's memory of 64-bit cells.
_SETS_AT = POINTS
_OWNED_AT = _SETS_AT + np.uintp(2) * POINTS
_WORDS_AT = _OWNED_AT + POINTS
_AFTER_AT = _WORDS_AT + np.uintp(3) * POINTS
_CHANGES_AT = _AFTER_AT + np.uintp(CELLS // 2)
SOURCE_CELLS = int(_CHANGES_AT) + int(POINTS) * (MEASURES + 1)


@kernel
def _mark_life(block, abstract, owned):
    """Color unconditionally alive points and the dead stones inside them (Benson 1976)."""
    for color in (BLACK, WHITE):
        unconditional_life(block, color, owned)
        for point in range(POINTS):
            if owned[point]:
                abstract[point] = color


@kernel
def color_field(colors, rows, columns, open_edges, scratch):
    """Set `scratch.abstract` from a color field, which need not be a legal position."""
    queue = scratch.sets[_QUEUE]
    abstract_colors(colors, rows, columns, open_edges, scratch.abstract, queue)


@kernel
def color_board(block, life, scratch):
    """Set `scratch.abstract` from a board, with or without unconditional life."""
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    color_field(block[COLOR : COLOR + POINTS], rows, columns, CLOSED, scratch)
    if life:
        _mark_life(block, scratch.abstract, scratch.owned)


@kernel
def _add_color(color, rows, columns, weights, scratch, values):
    """Add the contribution of one color to every evaluation with a nonzero weight."""
    abstract = scratch.abstract
    members, starts, seen = scratch.sets[_MEMBERS], scratch.sets[_STARTS], scratch.sets[_SEEN]
    sign = sign_of(color)
    count = find_sets(abstract, color, rows, FOUR, members, starts, seen)
    values[E0] += sign * np.float64(count)
    values[E1] += sign * np.float64(starts[count])
    if weights[E2] != 0.0:
        values[E2] += sign * sum_of_powers(starts, count, 2.0)
    if weights[EP] != 0.0:
        values[EP] += sign * sum_of_powers(starts, count, weights[POWER])
    for measure, neighbors in ((ED4, FOUR), (ED8, EIGHT)):
        if weights[measure] != 0.0:
            if neighbors != FOUR:
                count = find_sets(abstract, color, rows, neighbors, members, starts, seen)
            sets = (members, starts, count)
            values[measure] -= sign * distance_sum(
                abstract, color, rows, columns, sets, neighbors, weights[INFINITY], scratch.words
            )


@kernel
def measure(rows, columns, weights, scratch, values):
    """Set `values` to the evaluations of `scratch.abstract`; return the weighted sum (formula 17).

    E0 and E1 are always computed; other evaluations without a weight are 0.
    """
    values[:] = 0.0
    for color in (BLACK, WHITE):
        _add_color(color, rows, columns, weights, scratch, values)
    mix = 0.0
    for number in range(np.uintp(MEASURES)):
        mix += weights[number] * values[number]
    return mix


@kernel
def evaluate_board(block, weights, scratch, values):
    """Set `values` to the evaluations of a board; return their weighted sum."""
    color_board(block, weights[LIFE] != 0.0, scratch)
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    return measure(rows, columns, weights, scratch, values)


@kernel
def depth_one(block, weights, scratch, changes):
    """Write the change of every evaluation by each move; return the weighted sum before the move.

    `changes` has shape (POINTS, MEASURES + 1), the weighted sum last. Rows of points where the side
    to move cannot play are NaN (suicide and simple ko are checked, superko is not).
    """
    after = scratch.after
    changes[:] = np.nan
    now = changes[NOWHERE]
    before = evaluate_board(block, weights, scratch, now[:MIX])
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if block[KO] == point or is_suicide(block, point, np.uintp(block[TO_PLAY])):
            continue
        copy_block(block, after)
        play(after, point)
        row = changes[point]
        row[MIX] = evaluate_board(after, weights, scratch, row[:MIX]) - before
        for number in range(np.uintp(MEASURES)):
            row[number] -= now[number]
    now[:] = np.nan
    return before


@inline_kernel
def _share_below(changes, point, sign):
    """Return the share of moves that change less than this one; equal moves count half."""
    value = sign * changes[point, MIX]
    below = number = 0.0
    for rival in range(POINTS):
        change = sign * changes[rival, MIX]
        if not np.isnan(change):
            number += 1.0
            below += 1.0 if change < value else 0.5 if change == value else 0.0
    return below / number


@kernel
def add_metric(block, parameters, tables, memory, wins, visits):
    """Score each move by the share of moves with a smaller change of the weighted sum.

    `parameters` are the equivalent visits, then the weights. `tables` is not used.
    """
    scratch = MetricScratch(
        memory[:_SETS_AT].view(np.uint32)[:POINTS],
        memory[_SETS_AT:_OWNED_AT].view(np.uint32).reshape(FOUR, POINTS),
        memory[_OWNED_AT:_WORDS_AT].view(np.uint8)[:POINTS],
        memory[_WORDS_AT:_AFTER_AT].view(np.uint64).reshape(np.uintp(3), POINTS),
        memory[_AFTER_AT:_CHANGES_AT].view(np.uint32),
    )
    changes = memory[_CHANGES_AT : np.uintp(SOURCE_CELLS)].reshape(POINTS, np.uintp(MEASURES + 1))
    depth_one(block, parameters[ONE:], scratch, changes)
    weight = parameters[0]
    sign = sign_of(np.uintp(block[TO_PLAY]))
    for point in range(POINTS):
        if not np.isnan(changes[point, MIX]):
            wins[point] += np.float32(weight * _share_below(changes, point, sign))
            visits[point] += np.float32(weight)
