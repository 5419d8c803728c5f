"""The evaluations of paper 003, mixed (formula 17), and the depth-one search with them.

Values are from Black's side.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    BLACK,
    CELLS,
    COLOUR,
    COLUMNS,
    EMPTIES,
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
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.metric_distance import distance_sum
from tengen.knowledge.kernels.metric_sets import (
    abstract_colours,
    find_sets,
    sign_of,
    sum_of_powers,
)

ONE = np.uintp(1)
FOUR, EIGHT = np.uintp(4), np.uintp(8)
CLOSED = np.uintp(0)
"""No edge is open."""

E0, E1, E2, EP, ED4, ED8 = (np.uintp(n) for n in range(6))
"""The evaluations, in the order in which values and weights lie. EP has a power to choose."""
MEASURES = 6
MIX = np.uintp(MEASURES)
"""Where the mix stands after the measures."""
POWER, INFINITY, LIFE = np.uintp(6), np.uintp(7), np.uintp(8)
"""After the weights: the power of EP, what an infinite distance counts, whether Benson's
unconditional life colours points (section 7 of the paper)."""


class Scratch(NamedTuple):
    """What an evaluation writes on; it holds nothing between calls."""

    abstract: np.ndarray
    """uint32[POINTS]: the abstract colours."""
    sets: np.ndarray
    """uint32[4, POINTS]: members, starts and marks of `find_sets`, and a queue."""
    owned: np.ndarray
    """uint8[POINTS]: who lives without conditions."""
    words: np.ndarray
    """uint64[3, POINTS]: for the distances."""
    after: np.ndarray
    """uint32[CELLS]: the board after a move."""


_MEMBERS, _STARTS, _SEEN, _QUEUE = (np.uintp(n) for n in range(4))


def new_scratch() -> Scratch:
    """Return memory for one thread's evaluations."""
    points = int(POINTS)
    return Scratch(
        np.zeros(points, dtype=np.uint32),
        np.zeros((4, points), dtype=np.uint32),
        np.zeros(points, dtype=np.uint8),
        np.zeros((3, points), dtype=np.uint64),
        np.zeros(CELLS, dtype=np.uint32),
    )


# The same in one vector of 64-bit cells, as the search gives it to a source; the changes last.
_SETS_AT = POINTS
_OWNED_AT = _SETS_AT + np.uintp(2) * POINTS
_WORDS_AT = _OWNED_AT + POINTS
_AFTER_AT = _WORDS_AT + np.uintp(3) * POINTS
_CHANGES_AT = _AFTER_AT + np.uintp(CELLS // 2)
SOURCE_CELLS = int(_CHANGES_AT) + int(POINTS) * (MEASURES + 1)


@kernel
def _mark_life(block, abstract, owned):
    """Colour what is unconditionally alive, and what is dead inside it (Benson 1976)."""
    for colour in (BLACK, WHITE):
        unconditional_life(block, colour, owned)
        for point in range(POINTS):
            if owned[point]:
                abstract[point] = colour


@kernel
def colour_field(colours, rows, columns, open_edges, scratch):
    """Set `scratch.abstract` from a colour field, which need not be a legal position."""
    queue = scratch.sets[_QUEUE]
    abstract_colours(colours, rows, columns, open_edges, scratch.abstract, queue)


@kernel
def colour_board(block, life, scratch):
    """Set `scratch.abstract` from a board, with unconditional life or without."""
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    colour_field(block[COLOUR : COLOUR + POINTS], rows, columns, CLOSED, scratch)
    if life:
        _mark_life(block, scratch.abstract, scratch.owned)


@kernel
def _add_colour(colour, rows, columns, weights, scratch, values):
    """Add one colour's part of every evaluation that has a weight."""
    abstract = scratch.abstract
    members, starts, seen = scratch.sets[_MEMBERS], scratch.sets[_STARTS], scratch.sets[_SEEN]
    sign = sign_of(colour)
    count = find_sets(abstract, colour, rows, FOUR, members, starts, seen)
    values[E0] += sign * np.float64(count)
    values[E1] += sign * np.float64(starts[count])
    if weights[E2] != 0.0:
        values[E2] += sign * sum_of_powers(starts, count, 2.0)
    if weights[EP] != 0.0:
        values[EP] += sign * sum_of_powers(starts, count, weights[POWER])
    for measure, neighbours in ((ED4, FOUR), (ED8, EIGHT)):
        if weights[measure] != 0.0:
            if neighbours != FOUR:
                count = find_sets(abstract, colour, rows, neighbours, members, starts, seen)
            sets = (members, starts, count)
            values[measure] -= sign * distance_sum(
                abstract, colour, rows, columns, sets, neighbours, weights[INFINITY], scratch.words
            )


@kernel
def measure(rows, columns, weights, scratch, values):
    """Set `values` to the evaluations of `scratch.abstract`, 0 for those that have no weight.

    E0 and E1 are always there. Return their mix (formula 17).
    """
    values[:] = 0.0
    for colour in (BLACK, WHITE):
        _add_colour(colour, rows, columns, weights, scratch, values)
    mix = 0.0
    for number in range(np.uintp(MEASURES)):
        mix += weights[number] * values[number]
    return mix


@kernel
def evaluate_board(block, weights, scratch, values):
    """Set `values` to the evaluations of a board as `measure` does; return their mix."""
    colour_board(block, weights[LIFE] != 0.0, scratch)
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    return measure(rows, columns, weights, scratch, values)


@kernel
def depth_one(block, weights, scratch, changes):
    """Write what each move changes, for every point and measure, the mix last; Black's side.

    `changes` has POINTS rows of MEASURES + 1; rows of points where the side to move cannot play
    (suicide and simple ko are looked at, superko is not) are set to NaN. Return the mix now.
    """
    after = scratch.after
    changes[:] = np.nan
    now = changes[NOWHERE]
    before = evaluate_board(block, weights, scratch, now[:MIX])
    for place in range(np.uintp(block[EMPTIES])):
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
    """Return the share of the moves that change less than this one, equal ones by half."""
    value = sign * changes[point, MIX]
    below = number = 0.0
    for rival in range(POINTS):
        change = sign * changes[rival, MIX]
        if not np.isnan(change):
            number += 1.0
            below += 1.0 if change < value else 0.5 if change == value else 0.0
    return below / number


@kernel
def add_metric(block, numbers, tables, memory, wins, visits):
    """Give each move the share of moves that are worse for the mix after a depth-one search.

    `numbers` are the equivalent visits, then the weights. `tables` are not used.
    """
    scratch = Scratch(
        memory[:_SETS_AT].view(np.uint32)[:POINTS],
        memory[_SETS_AT:_OWNED_AT].view(np.uint32).reshape(FOUR, POINTS),
        memory[_OWNED_AT:_WORDS_AT].view(np.uint8)[:POINTS],
        memory[_WORDS_AT:_AFTER_AT].view(np.uint64).reshape(np.uintp(3), POINTS),
        memory[_AFTER_AT:_CHANGES_AT].view(np.uint32),
    )
    changes = memory[_CHANGES_AT : np.uintp(SOURCE_CELLS)].reshape(POINTS, np.uintp(MEASURES + 1))
    depth_one(block, numbers[ONE:], scratch, changes)
    weight = numbers[0]
    sign = sign_of(np.uintp(block[TO_PLAY]))
    for point in range(POINTS):
        if not np.isnan(changes[point, MIX]):
            wins[point] += np.float32(weight * _share_below(changes, point, sign))
            visits[point] += np.float32(weight)
