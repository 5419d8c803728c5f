"""Big-move prior: visits for the points where the vibrating board moves most (paper 000).

A source holds one or more *variants*. Each variant adds its own potential to the lines of the
board and has its own mode and biggest move.
"""

import math

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLUMNS,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    HEAD,
    KO,
    LAST,
    LIBERTIES,
    MOVES,
    NOWHERE,
    POINTS,
    ROWS,
    SECOND_LAST,
    STONES,
    STRIDE,
    TO_PLAY,
)
from tengen.sources.kernels.mode import (
    DIAGONAL,
    WORK,
    empty_board_mode,
    find_mode,
    start_work,
)
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
LINES = np.uintp(10)
"""Lines with a potential, counted from the nearest edge; line 10 is the center of 19x19."""

BIGMOVE_PARAMETERS = np.dtype(
    [
        (name, np.float64)
        for name in (
            "equivalent_visits",
            "x",
            "y",
            "value",
            "tolerance",
            "targets",
            "sharpness",
            "own",
            "other",
            "stone_weight",
            "corner",
            "side",
            "fight_radius",
            "tie",
            "phantom",
            "variants",
        )
    ]
)
"""Fields of the source's parameters; `tengen.sources.bigmove.BigMove` describes them."""
_PARAMETER_COUNT = len(BIGMOVE_PARAMETERS)

FIRST_BIGGEST, ALL_BIGGEST, WHOLE_BOARD = range(3)
"""Values of `targets`."""
BY_STONES, BY_LIBERTIES, BY_STRENGTH = range(3)
"""Values of `stone_weight`."""
CORNER_LINES = np.uintp(5)
"""A point is in a corner if both edges are within this many lines, on a side if one is."""
FIGHT_POTENTIAL = 4.0
"""Potential of the points around the last two moves."""
STRAY = 0.01
"""Share of the empty-board mode mixed into a warm start.

Without it, a mode confined to one part of the board would never leave that part."""

KNOWN_ROWS, KNOWN_COLUMNS, KNOWN_MODE = np.uintp(0), np.uintp(1), np.uintp(2)
"""Offsets in a variant's memory: the board size, and the mode found last."""
VARIANT = np.uintp(2) + POINTS
"""Memory cells per variant."""
MEMORY = WORK + int(POINTS)
"""Memory cells shared by all variants: the solver's work area and the empty-board mode."""


@inline_kernel
def _fields(parameters):
    """Return the source's parameters as a record."""
    return parameters[:_PARAMETER_COUNT].view(BIGMOVE_PARAMETERS)[0]


@kernel
def equivalent_visits(visits, x, y, moves):
    """Return visits * sqrt(y - moves / (100 x)), 0 once the radicand is negative.

    (paper 000, section 5.4)
    """
    return visits * math.sqrt(max(y - moves / (x * 100.0), 0.0))


@inline_kernel
def _from_edge(place, length):
    """Return the line of a row or column, counted from the nearer edge starting at 1."""
    return min(place, length + ONE - place)


@kernel
def _stone_potential(block, point, own, other, stone_weight):
    """Return what a stone adds to the diagonal: 1 in the thesis."""
    potential = own if block[COLOR + point] == block[TO_PLAY] else other
    if stone_weight == BY_STONES:
        return potential
    head = np.uintp(block[HEAD + point])
    liberties = float(block[LIBERTIES + head])
    if stone_weight == BY_LIBERTIES:
        return potential * min(liberties / 4.0, 2.0)
    return potential * min(math.sqrt(liberties * block[STONES + head]) / 3.0, 2.0)


@inline_kernel
def _steps_apart(first, second):
    rows = abs(np.int64(first // STRIDE) - np.int64(second // STRIDE))
    return rows + abs(np.int64(first % STRIDE) - np.int64(second % STRIDE))


@kernel
def _is_in_fight(block, point, radius):
    """Return whether a point is less than `radius` steps from one of the last two moves."""
    for move in (np.uintp(block[LAST]), np.uintp(block[SECOND_LAST])):
        if move != NOWHERE and _steps_apart(point, move) < radius:
            return True
    return False


@kernel
def _set_matrix(block, parameters, lines, work):
    own, other, stone_weight = parameters.own, parameters.other, parameters.stone_weight
    radius = parameters.fight_radius
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    start_work(work, rows, columns)
    for row in range(ONE, rows + ONE):
        for column in range(ONE, columns + ONE):
            point = row * STRIDE + column
            line = min(_from_edge(row, rows), _from_edge(column, columns))
            work[DIAGONAL + point] += lines[min(line, LINES) - ONE]
            if block[COLOR + point] != EMPTY:
                work[DIAGONAL + point] += _stone_potential(block, point, own, other, stone_weight)
            if radius > 0 and _is_in_fight(block, point, radius):
                work[DIAGONAL + point] += FIGHT_POTENTIAL


@kernel
def set_matrix(block, parameters, lines, work):
    """Write the Dirichlet matrix of a position into the solver's work area.

    The diagonal is 4, plus a potential for stones, plus the potentials `lines` of the lines.
    """
    _set_matrix(block, _fields(parameters), lines, work)


@kernel
def _start_mode(rows, columns, empty, kept):
    """Start from the previous mode if the board size is the same, else from the empty board."""
    mode = kept[KNOWN_MODE:]
    if kept[KNOWN_ROWS] == rows and kept[KNOWN_COLUMNS] == columns:
        for point in range(POINTS):
            mode[point] += STRAY * empty[point]
        return
    kept[KNOWN_ROWS], kept[KNOWN_COLUMNS] = rows, columns
    for point in range(POINTS):
        mode[point] = empty[point]


@inline_kernel
def _size(block, point, mode, corner, side):
    """Return how big a move is: its mode, scaled by the preference for corners and sides."""
    in_row = _from_edge(point // STRIDE, np.uintp(block[ROWS])) <= CORNER_LINES
    in_column = _from_edge(point % STRIDE, np.uintp(block[COLUMNS])) <= CORNER_LINES
    if in_row and in_column:
        return mode[point] * (1.0 + corner)
    if in_row or in_column:
        return mode[point] * (1.0 + side)
    return mode[point]


@kernel
def write_sizes(block, mode, parameters, sizes):
    """Write how big a move at each point of the board is into `sizes` (float64, padded points)."""
    fields = _fields(parameters)
    for row in range(ONE, np.uintp(block[ROWS]) + ONE):
        for column in range(ONE, np.uintp(block[COLUMNS]) + ONE):
            point = row * STRIDE + column
            sizes[point] = _size(block, point, mode, fields.corner, fields.side)


@kernel
def _largest_size(block, mode, corner, side):
    """Return the size of the biggest move at an empty point that is not a ko."""
    largest = 0.0
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if point != block[KO]:
            largest = max(largest, _size(block, point, mode, corner, side))
    return largest


@inline_kernel
def _share(size, smallest, parameters):
    """Return the visits of a move relative to those of a biggest move.

    `size` and `smallest`, the size of the smallest biggest move, are relative to the largest size.
    """
    if parameters.targets == WHOLE_BOARD:
        return size**parameters.sharpness
    return 1.0 if size >= smallest else 0.0


@kernel
def _add_variant(block, mode, parameters, visits_given, wins, visits):
    """Distribute visits over the first biggest move, all biggest moves, or every empty point."""
    corner, side = parameters.corner, parameters.side
    largest = _largest_size(block, mode, corner, side)
    if largest <= 0.0:
        return
    targets, value = parameters.targets, parameters.value
    smallest = 1.0 - parameters.tie
    total, first = 0.0, POINTS
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if point != block[KO]:
            size = _size(block, point, mode, corner, side) / largest
            total += _share(size, smallest, parameters)
            if size >= smallest:
                first = min(first, point)
    if targets == FIRST_BIGGEST:
        wins[first] += np.float32(value * visits_given)
        visits[first] += np.float32(visits_given)
        return
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if point != block[KO]:
            size = _size(block, point, mode, corner, side) / largest
            share = visits_given * _share(size, smallest, parameters) / total
            wins[point] += np.float32(value * min(size, 1.0) * share)
            visits[point] += np.float32(share)


@kernel
def add_bigmove(block, parameters, tables, memory, wins, visits):
    """Score the biggest move of each variant; `tables` holds LINES potentials per variant."""
    fields = _fields(parameters)
    weight = equivalent_visits(fields.equivalent_visits, fields.x, fields.y, float(block[MOVES]))
    if weight <= 0.0 or block[EMPTY_COUNT] == 0:
        return
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    work, empty = memory[:WORK], memory[WORK:MEMORY]
    empty_board_mode(rows, columns, empty)
    for variant in range(np.uintp(fields.variants)):
        kept = memory[MEMORY + variant * VARIANT : MEMORY + (variant + ONE) * VARIANT]
        _set_matrix(block, fields, tables[variant * LINES : (variant + ONE) * LINES], work)
        _start_mode(rows, columns, empty, kept)
        mode = kept[KNOWN_MODE:]
        find_mode(work, mode, rows, fields.tolerance)
        if fields.phantom == 0:
            _add_variant(block, mode, fields, weight, wins, visits)
