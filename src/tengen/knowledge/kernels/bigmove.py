"""The big move: where a board with these stones vibrates most (paper 000), as a prior.

One source may hold several *variants*, potentials on lines (p2 and p3 of the thesis), each with
its own mode and its own biggest move.
"""

import math

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    COLUMNS,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    HEAD,
    KO,
    LAST,
    LAST_BUT_ONE,
    LIBERTIES,
    MOVES,
    NOWHERE,
    POINTS,
    ROWS,
    STONES,
    STRIDE,
    TO_PLAY,
)
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.mode import (
    DIAGONAL,
    WORK,
    empty_board_mode,
    find_mode,
    start_work,
)
from tengen.knowledge.kernels.registry import EQUIVALENT_VISITS

ONE = np.uintp(1)
LINES = np.uintp(10)
"""Lines have a potential each, counted from the nearest edge; the tenth is 19x19's centre."""

(
    SPAN,
    SHARE,
    VALUE,
    TOLERANCE,
    GIVE,
    SHARPNESS,
    OWN,
    OTHER,
    WEIGH,
    CORNER,
    SIDE,
    FIGHT,
    TIE,
    PHANTOM,
    VARIANTS,
) = (np.uintp(n) for n in range(1, 16))
"""The places of the source's own numbers: see `knowledge.bigmove.BigMove`."""

GIVE_FIRST, GIVE_ALL, GIVE_WHOLE = range(3)
WEIGH_STONES, WEIGH_LIBERTIES, WEIGH_STRENGTH = range(3)
CORNER_LINES = np.uintp(5)
"""A corner is where both edges are within so many lines, a side where one is."""
FIGHT_POTENTIAL = 4.0
"""Holds the region of the last fight still."""
STRAY = 0.01
"""Share of the empty board's mode in a start from another position's: were that one confined to
a part of the board, it would never be left."""

KNOWN_ROWS, KNOWN_COLUMNS, KNOWN_MODE = np.uintp(0), np.uintp(1), np.uintp(2)
VARIANT = np.uintp(2) + POINTS
"""Cells of memory a variant keeps: the board's size, and the mode that was found last."""
MEMORY = WORK + int(POINTS)
"""Cells of memory all variants share: the solver's work, and the empty board's mode."""


@kernel
def equivalent_visits(visits, span, share, moves):
    """Return sqrt(y - moves / (x * 100)) times the visits, 0 once the root would be of less than 0.

    Paper 000, section 5.4: x is `span`, y is `share`.
    """
    return visits * math.sqrt(max(share - moves / (span * 100.0), 0.0))


@inline_kernel
def _from_edge(place, length):
    """Return the line of a row or column, counted from the nearer edge, the first being 1."""
    return min(place, length + ONE - place)


@kernel
def _stone_weight(block, point, numbers):
    """Return what a stone adds to the diagonal: 1 in the thesis."""
    weight = numbers[OWN] if block[COLOUR + point] == block[TO_PLAY] else numbers[OTHER]
    if numbers[WEIGH] == WEIGH_STONES:
        return weight
    head = np.uintp(block[HEAD + point])
    liberties = float(block[LIBERTIES + head])
    if numbers[WEIGH] == WEIGH_LIBERTIES:
        return weight * min(liberties / 4.0, 2.0)
    return weight * min(math.sqrt(liberties * block[STONES + head]) / 3.0, 2.0)


@inline_kernel
def _steps_apart(first, second):
    rows = abs(np.int64(first // STRIDE) - np.int64(second // STRIDE))
    return rows + abs(np.int64(first % STRIDE) - np.int64(second % STRIDE))


@kernel
def _is_in_fight(block, point, reach):
    """Tell whether a point is nearer than `reach` steps to one of the last two moves."""
    for move in (np.uintp(block[LAST]), np.uintp(block[LAST_BUT_ONE])):
        if move != NOWHERE and _steps_apart(point, move) < reach:
            return True
    return False


@kernel
def set_matrix(block, numbers, lines, work):
    """Write the Dirichlet matrix of a position into a solver's work.

    4 on the diagonal, more for a stone, and the potentials `lines` on the lines.
    """
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    start_work(work, rows, columns)
    for row in range(ONE, rows + ONE):
        for column in range(ONE, columns + ONE):
            point = row * STRIDE + column
            line = min(_from_edge(row, rows), _from_edge(column, columns))
            work[DIAGONAL + point] += lines[min(line, LINES) - ONE]
            if block[COLOUR + point] != EMPTY:
                work[DIAGONAL + point] += _stone_weight(block, point, numbers)
            if numbers[FIGHT] > 0 and _is_in_fight(block, point, numbers[FIGHT]):
                work[DIAGONAL + point] += FIGHT_POTENTIAL


@kernel
def _start_mode(rows, columns, empty, kept):
    """Begin with the mode of the last position, or of the empty board if the size is another."""
    mode = kept[KNOWN_MODE:]
    if kept[KNOWN_ROWS] == rows and kept[KNOWN_COLUMNS] == columns:
        for point in range(POINTS):
            mode[point] += STRAY * empty[point]
        return
    kept[KNOWN_ROWS], kept[KNOWN_COLUMNS] = rows, columns
    for point in range(POINTS):
        mode[point] = empty[point]


@inline_kernel
def _preferred(block, point, mode, numbers):
    """Return a point's mode with the preference for corners and sides."""
    in_row = _from_edge(point // STRIDE, np.uintp(block[ROWS])) <= CORNER_LINES
    in_column = _from_edge(point % STRIDE, np.uintp(block[COLUMNS])) <= CORNER_LINES
    if in_row and in_column:
        return mode[point] * (1.0 + numbers[CORNER])
    if in_row or in_column:
        return mode[point] * (1.0 + numbers[SIDE])
    return mode[point]


@kernel
def _most(block, mode, numbers):
    """Return the largest preferred mode of an empty point that ko does not forbid."""
    most = 0.0
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if point != block[KO]:
            most = max(most, _preferred(block, point, mode, numbers))
    return most


@kernel
def _add_variant(block, mode, numbers, weight, wins, visits):
    """Give visits to the biggest move, to all that are equally big, or to every empty point."""
    most = _most(block, mode, numbers)
    if most <= 0.0:
        return
    first = POINTS
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        size = _preferred(block, point, mode, numbers)
        if numbers[GIVE] == GIVE_WHOLE:
            share = weight * (size / most) ** numbers[SHARPNESS]
            wins[point] += numbers[VALUE] * share
            visits[point] += share
        elif point != block[KO] and size >= most * (1.0 - numbers[TIE]):
            if numbers[GIVE] == GIVE_ALL:
                wins[point] += numbers[VALUE] * weight
                visits[point] += weight
            first = min(first, point)
    if numbers[GIVE] == GIVE_FIRST and first != POINTS:
        wins[first] += numbers[VALUE] * weight
        visits[first] += weight


@kernel
def add_bigmove(block, numbers, tables, memory, wins, visits):
    """Like the biggest move of each variant; `tables` has LINES potentials for each."""
    weight = equivalent_visits(
        numbers[EQUIVALENT_VISITS], numbers[SPAN], numbers[SHARE], float(block[MOVES])
    )
    if weight <= 0.0 or block[EMPTIES] == 0:
        return
    rows, columns = np.uintp(block[ROWS]), np.uintp(block[COLUMNS])
    work, empty = memory[:WORK], memory[WORK:MEMORY]
    empty_board_mode(rows, columns, empty)
    for variant in range(np.uintp(numbers[VARIANTS])):
        kept = memory[MEMORY + variant * VARIANT : MEMORY + (variant + ONE) * VARIANT]
        set_matrix(block, numbers, tables[variant * LINES : (variant + ONE) * LINES], work)
        _start_mode(rows, columns, empty, kept)
        mode = kept[KNOWN_MODE:]
        find_mode(work, mode, rows, numbers[TOLERANCE])
        if numbers[PHANTOM] == 0:
            _add_variant(block, mode, numbers, np.float32(weight), wins, visits)
