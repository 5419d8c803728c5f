"""The potential field of the stones, updated incrementally (paper 002).

A stone contributes `1 / m^r` at Euclidean distance r (eq. 2 and 3). The potential of a point is the
sum over all stones (eq. 4), with one sign for own stones and one for the opponent's.

The sums are integer multiples of 2^-52, one field per color. Adding and removing a stone therefore
cancels exactly, points that are equal by symmetry are exactly equal, and an update costs only what
changed since the last call. The fields extend one point beyond each edge, because the slope is
computed from the neighbors.
"""

import math

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    COLUMNS,
    EMPTY,
    POINTS,
    ROWS,
    STRIDE,
    TO_PLAY,
)
from tengen.util.compiler import inline_kernel, kernel

_u = np.uintp
ONE = _u(1)

HORN, FOUR_NEIGHBORS, STEEPEST = 0.0, 1.0, 2.0
"""Stencils of the slope."""

REACH = _u(20)
"""Greatest difference of rows or columns: from one edge to one point beyond the other."""
SPAN = REACH + REACH + ONE
LINE = _u(21)
"""Row stride of a field: nineteen points and one beyond each edge."""
FIELD = LINE * LINE
UNIT = 2.0**52
"""A potential of 1. With m = 4 the far corner of a 19x19 board still gets one unit."""

# Offsets in `memory`.
KNOWN_SIZE, KNOWN_ATTENUATION = _u(0), _u(1)
FALLOFF = _u(2)
"""1 / m^r by row difference (0 to REACH) and column difference (-REACH to REACH)."""
FIELDS = FALLOFF + (REACH + ONE) * SPAN
"""The field of Black, then that of White."""
COMBINED = FIELDS + FIELD + FIELD
"""Sum of the two fields with the signs of the side to move."""
SEEN = COMBINED + FIELD
"""Color of each point at the last update."""
FIELD_CELLS = SEEN + POINTS
"""Memory cells of the fields."""

DIAGONAL = math.sqrt(0.5)


@kernel
def _start(block, attenuation, memory):
    """Reset the fields to an empty board of the block's size."""
    cells = memory.view(np.int64)
    memory[KNOWN_ATTENUATION] = attenuation
    cells[KNOWN_SIZE] = np.int64(block[ROWS]) * 32 + np.int64(block[COLUMNS])
    for row in range(REACH + ONE):
        for column in range(SPAN):
            across = float(column) - float(REACH)
            distance = math.sqrt(float(row) * float(row) + across * across)
            cells[FALLOFF + row * SPAN + column] = round(UNIT * attenuation**-distance)
    for cell in range(FIELDS, FIELD_CELLS):
        cells[cell] = 0


@kernel
def _add_stone(block, row, column, color, sign, cells):
    """Add the contribution of a stone to the field of its color; sign -1 removes it."""
    field = FIELDS + (color - ONE) * FIELD
    first = REACH - column - ONE
    for other in range(np.uintp(block[ROWS]) + _u(2)):
        rows_between = other - row - ONE if other > row else row + ONE - other
        falloff = FALLOFF + rows_between * SPAN + first
        line = field + other * LINE
        for across in range(np.uintp(block[COLUMNS]) + _u(2)):
            cells[line + across] += sign * cells[falloff + across]


@kernel
def update_potential(block, attenuation, memory):
    """Update the fields in `memory` to the stones of `block`."""
    cells = memory.view(np.int64)
    size = np.int64(block[ROWS]) * 32 + np.int64(block[COLUMNS])
    if cells[KNOWN_SIZE] != size or memory[KNOWN_ATTENUATION] != attenuation:
        _start(block, attenuation, memory)
    for row in range(np.uintp(block[ROWS])):
        for column in range(np.uintp(block[COLUMNS])):
            point = (row + ONE) * STRIDE + column + ONE
            now, before = np.uintp(block[COLOR + point]), np.uintp(cells[SEEN + point])
            if now != before:
                if before != EMPTY:
                    _add_stone(block, row, column, before, -1, cells)
                if now != EMPTY:
                    _add_stone(block, row, column, now, 1, cells)
                cells[SEEN + point] = np.int64(now)


@kernel
def combine_fields(block, own_sign, other_sign, memory):
    """Write the potential as seen by the side to move into COMBINED, including the border."""
    cells = memory.view(np.int64)
    own = FIELDS + (np.uintp(block[TO_PLAY]) - ONE) * FIELD
    other = FIELDS + (COLORS - np.uintp(block[TO_PLAY]) - ONE) * FIELD
    for cell in range((np.uintp(block[ROWS]) + _u(2)) * LINE):
        cells[COMBINED + cell] = own_sign * cells[own + cell] + other_sign * cells[other + cell]


@inline_kernel
def place_of(point):
    """Return the cell of COMBINED for a padded point."""
    return COMBINED + (point // STRIDE) * LINE + point % STRIDE


@inline_kernel
def _length(across, down, share):
    """Return the norm of a vector of integer units, each divided by `share`."""
    x, y = float(across) / (share * UNIT), float(down) / (share * UNIT)
    return math.sqrt(x * x + y * y)


@inline_kernel
def _horn(cells, place):
    """Return Horn's slope over the 3x3 neighborhood (Burrough and McDonnell, p. 190)."""
    above, below = place - LINE, place + LINE
    across = cells[above + ONE] + 2 * cells[place + ONE] + cells[below + ONE]
    across -= cells[above - ONE] + 2 * cells[place - ONE] + cells[below - ONE]
    down = cells[below - ONE] + 2 * cells[below] + cells[below + ONE]
    down -= cells[above - ONE] + 2 * cells[above] + cells[above + ONE]
    return _length(across, down, 8.0)


@inline_kernel
def _central(cells, place):
    """Return the slope from the central differences of the four neighbors."""
    across = cells[place + ONE] - cells[place - ONE]
    return _length(across, cells[place + LINE] - cells[place - LINE], 2.0)


@inline_kernel
def _steepest(cells, place):
    """Return the greatest absolute slope to one of the eight neighbors."""
    here = cells[place]
    straight = np.int64(0)
    for neighbor in (place - LINE, place - ONE, place + ONE, place + LINE):
        straight = max(straight, abs(cells[neighbor] - here))
    oblique = np.int64(0)
    above, below = place - LINE, place + LINE
    for neighbor in (above - ONE, above + ONE, below - ONE, below + ONE):
        oblique = max(oblique, abs(cells[neighbor] - here))
    return max(float(straight), float(oblique) * DIAGONAL) / UNIT


@kernel
def slope_at(place, stencil, memory):
    """Return the slope of the combined field at a cell on the board."""
    cells = memory.view(np.int64)
    if stencil == HORN:
        return _horn(cells, place)
    if stencil == FOUR_NEIGHBORS:
        return _central(cells, place)
    return _steepest(cells, place)
