"""Abstract colors and connected sets, the basis of the metric evaluations (paper 003).

All kernels here read a *color field*: POINTS values as in the COLOR field of a block, WALL outside
the board. A board section may have open edges; what lies beyond them is unknown.
"""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLORS,
    DIAGONALS,
    DOWN,
    EMPTY,
    LEFT,
    RIGHT,
    STRIDE,
    UP,
    WALL,
)
from tengen.util.compiler import inline_kernel, kernel

OPEN_TOP, OPEN_BOTTOM, OPEN_LEFT, OPEN_RIGHT = (np.uintp(1 << n) for n in range(4))
"""Bits of `open_edges`: sides on which the board continues."""

ONE = np.uintp(1)
UNKNOWN = np.uintp(4)
"""Abstract color of an empty point whose region has not been visited."""
HIDDEN = np.uintp(3)
"""Both colors: set for a region that reaches an open edge."""
AROUND = (UP, LEFT, RIGHT, DOWN, *DIAGONALS)
"""Offsets of the eight neighbors; the first four are the adjacent points."""


@inline_kernel
def _behind_edge(point, rows, columns, open_edges):
    """Return whether a point lies on an open edge."""
    row, column = point // STRIDE, point % STRIDE
    return (
        (row == ONE and open_edges & OPEN_TOP != 0)
        or (row == rows and open_edges & OPEN_BOTTOM != 0)
        or (column == ONE and open_edges & OPEN_LEFT != 0)
        or (column == columns and open_edges & OPEN_RIGHT != 0)
    )


@kernel
def _color_region(start, rows, columns, open_edges, abstract, queue):
    """Give the empty region around `start` the only color it touches, if there is exactly one."""
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
            neighbor_color = np.uintp(abstract[point + offset])
            if neighbor_color == UNKNOWN:
                abstract[point + offset] = EMPTY
                queue[last] = point + offset
                last += ONE
            elif neighbor_color != WALL:
                touched |= neighbor_color
    if touched != HIDDEN:
        for place in range(last):
            abstract[queue[place]] = touched


@kernel
def abstract_colors(colors, rows, columns, open_edges, abstract, queue):
    """Write the `abstractColor` of every point: BLACK, WHITE, or EMPTY if neutral.

    A stone has its own color, an empty region the color of the only side that surrounds it. A
    region without adjacent stones, or one that reaches an open edge, is neutral.
    """
    end = (rows + ONE) * STRIDE + STRIDE
    # One more than the walls below: the last diagonal neighbor of a board of nineteen columns.
    for point in range(end + ONE):
        color = np.uintp(colors[point])
        abstract[point] = UNKNOWN if color == EMPTY else color
    for point in range(STRIDE, end - STRIDE):
        if abstract[point] == UNKNOWN:
            _color_region(point, rows, columns, open_edges, abstract, queue)


@kernel
def find_sets(abstract, color, rows, neighbors, members, starts, seen):
    """List the connected sets of `color`, by 4 or 8 `neighbors`; return how many there are.

    Set k is `members[starts[k]:starts[k + 1]]`.
    """
    end = (rows + ONE) * STRIDE
    for point in range(STRIDE, end):
        seen[point] = abstract[point] != color
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
            for direction in range(neighbors):
                neighbor = point + AROUND[direction]
                if abstract[neighbor] == color and not seen[neighbor]:
                    seen[neighbor] = True
                    members[last] = neighbor
                    last += ONE
    starts[count] = last
    return count


@kernel
def sum_of_powers(starts, count, power):
    """Return the sum over the sets of size ** power (formula 10, one color)."""
    total = 0.0
    for number in range(count):
        size = np.float64(starts[number + ONE] - starts[number])
        total += size**power
    return total


@inline_kernel
def sign_of(color):
    """Return +1 for Black, -1 for White: evaluations are from Black's point of view (formula 4)."""
    return 1.0 if color == BLACK else -1.0


@inline_kernel
def other(color):
    """Return the opposite color."""
    return COLORS - color
