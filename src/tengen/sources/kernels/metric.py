"""The evaluations of paper 003, their weighted sum (formula 17) and a depth-one search.

Values are from Black's point of view.
"""

from typing import NamedTuple

import numpy as np

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
    TO_PLAY,
    WHITE,
)
from tengen.board.kernels.life import unconditional_life
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_suicide
from tengen.sources.kernels.metric_distance import distance_sum
from tengen.sources.kernels.metric_sets import (
    abstract_colors,
    find_sets,
    sign_of,
    sum_of_powers,
)
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
FOUR, EIGHT = np.uintp(4), np.uintp(8)
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
