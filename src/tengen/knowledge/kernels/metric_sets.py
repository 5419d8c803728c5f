"""Abstract colours and connected sets: what the metric evaluations are made of (paper 003).

All kernels here read a *colour field*: POINTS numbers as in a block's COLOUR field, WALL outside.
A board piece may have open edges: what lies behind them is unknown.
"""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLOURS,
    DIAGONALS,
    DOWN,
    EMPTY,
    LEFT,
    RIGHT,
    STRIDE,
    UP,
    WALL,
)
from tengen.core.compiler import inline_kernel, kernel

OPEN_TOP, OPEN_BOTTOM, OPEN_LEFT, OPEN_RIGHT = (np.uintp(1 << n) for n in range(4))
"""Bits of `open_edges`: the sides on which a board piece goes on."""

ONE = np.uintp(1)
UNKNOWN = np.uintp(4)
"""The abstract colour of an empty point whose region was not looked at yet."""
HIDDEN = np.uintp(3)
"""Both colours: what a region touches that goes on behind an open edge, or none surrounds."""
AROUND = (UP, LEFT, RIGHT, DOWN, *DIAGONALS)
"""The eight neighbours; the first four are those of Go."""


@inline_kernel
def _behind_edge(point, rows, columns, open_edges):
    """Tell whether a point lies on an open edge."""
    row, column = point // STRIDE, point % STRIDE
    return (
        (row == ONE and open_edges & OPEN_TOP != 0)
        or (row == rows and open_edges & OPEN_BOTTOM != 0)
        or (column == ONE and open_edges & OPEN_LEFT != 0)
        or (column == columns and open_edges & OPEN_RIGHT != 0)
    )


@kernel
def _colour_region(start, rows, columns, open_edges, abstract, queue):
    """Give the empty region around `start` to the only colour it touches, else to nobody."""
    touched = np.uintp(0)
    first, last = np.uintp(0), ONE
    queue[0] = start
    abstract[start] = EMPTY
    while first < last:
        point = np.uintp(queue[first])
        first += ONE
        if _behind_edge(point, rows, columns, open_edges):
            touched = HIDDEN
        for offset in (UP, LEFT, RIGHT, DOWN):
            beside = np.uintp(abstract[point + offset])
            if beside == UNKNOWN:
                abstract[point + offset] = EMPTY
                queue[last] = point + offset
                last += ONE
            elif beside != WALL:
                touched |= beside
    if touched != HIDDEN:
        for place in range(last):
            abstract[queue[place]] = touched


@kernel
def abstract_colours(colours, rows, columns, open_edges, abstract, queue):
    """Write the `abstractColor` of every point: BLACK, WHITE, or EMPTY for neutral ones.

    A stone has its own colour, an empty region that of the only colour around it. A region
    without a stone beside it, or that reaches an open edge, is neutral.
    """
    end = (rows + ONE) * STRIDE + STRIDE
    # One more than the walls below: the last diagonal neighbour of a board of nineteen columns.
    for point in range(end + ONE):
        colour = np.uintp(colours[point])
        abstract[point] = UNKNOWN if colour == EMPTY else colour
    for point in range(STRIDE, end - STRIDE):
        if abstract[point] == UNKNOWN:
            _colour_region(point, rows, columns, open_edges, abstract, queue)


@kernel
def find_sets(abstract, colour, rows, neighbours, members, starts, seen):
    """List the connected sets of `colour`, by 4 or 8 `neighbours`; return how many there are.

    Set k is `members[starts[k]:starts[k + 1]]`.
    """
    end = (rows + ONE) * STRIDE
    for point in range(STRIDE, end):
        seen[point] = abstract[point] != colour
    count = last = np.uintp(0)
    for start in range(STRIDE, end):
        if seen[start]:
            continue
        first = last
        starts[count] = first
        count += ONE
        seen[start] = True
        members[last] = start
        last += ONE
        while first < last:
            point = np.uintp(members[first])
            first += ONE
            for direction in range(neighbours):
                beside = point + AROUND[direction]
                if abstract[beside] == colour and not seen[beside]:
                    seen[beside] = True
                    members[last] = beside
                    last += ONE
    starts[count] = last
    return count


@kernel
def sum_of_powers(starts, count, power):
    """Return the sum over the sets of their size to the power (formula 10, one colour)."""
    total = 0.0
    for number in range(count):
        size = np.float64(starts[number + ONE] - starts[number])
        total += size**power
    return total


@inline_kernel
def sign_of(colour):
    """Return +1 for Black and -1 for White: evaluations are from Black's side (formula 4)."""
    return 1.0 if colour == BLACK else -1.0


@inline_kernel
def other(colour):
    """Return the opponent."""
    return COLOURS - colour
