"""Whole light playouts on sixty-four boards at once, from one or several positions.

A *start* is a position written down row by row, as the boards need it. Whoever runs playouts puts a
start on every board, lets all of them advance until a game is over somewhere, takes its result and
begins another there. Boards for which there is no start any more idle: they play for nobody.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    COLUMNS,
    EMPTY,
    KO,
    RIGHT,
    ROWS,
    STRIDE,
    TO_PLAY,
)
from tengen.core.compiler import inline_kernel, kernel
from tengen.core.lanes import lowest_bit
from tengen.playout.kernels.simultaneous import (
    ALL_BOARDS,
    LANES,
    LENGTH,
    OTHER_AREA,
    OWN_AREA,
    PASSES,
    PLANE_ROWS,
    TURN,
    count_areas,
    step,
)

_u = np.uintp
ZERO, ONE, TWO = _u(0), _u(1), _u(2)

START_CELLS = 3 * PLANE_ROWS
"""A start: the rows of OWN, OTHER and BANNED, which follow each other on the boards too."""


class Terms(NamedTuple):
    """What all playouts of a run have in common."""

    rows: int
    columns: int
    black_begins: bool


@kernel
def write_start(block, starts, index):
    """Write a position down as the start `index`, seen by the side to move."""
    begin, own = index * _u(START_CELLS), block[TO_PLAY]
    starts[begin : begin + _u(START_CELLS)] = 0
    for row in range(_u(block[ROWS])):
        for column in range(_u(block[COLUMNS])):
            point = (row + ONE) * STRIDE + column + RIGHT
            colour, bit = block[COLOUR + point], ONE << column
            cell = begin + row + ONE
            if colour != EMPTY:
                starts[cell if colour == own else cell + _u(PLANE_ROWS)] |= bit
            elif point == block[KO]:
                starts[cell + TWO * _u(PLANE_ROWS)] |= bit


@inline_kernel
def begin(boards, lane, starts, index, rows):
    """Put a start on a board."""
    planes, first = boards.planes, _u(index) * _u(START_CELLS)
    boards.starts[lane] = index
    planes[PASSES + lane] = planes[LENGTH + lane] = planes[TURN + lane] = ZERO
    for plane in range(ZERO, _u(START_CELLS), _u(PLANE_ROWS)):
        for cell in range(plane + ONE, plane + ONE + rows):
            planes[cell * LANES + lane] = starts[first + cell]


@inline_kernel
def advance(boards, terms, idle):
    """Let the boards play until games are over on some that do not idle; return the set of them."""
    rows, columns = _u(terms.rows), _u(terms.columns)
    full, longest = (ONE << columns) - ONE, _u(3) * rows * columns
    over = np.uint64(0)
    while over == np.uint64(0):
        over = step(boards.planes, boards.random, rows, full, longest) & ~idle
    count_areas(boards.planes, rows, full)
    return over


@inline_kernel
def black_area(boards, terms, lane):
    """Return Black's area minus White's where a game is over."""
    planes = boards.planes
    area = np.int64(planes[OWN_AREA + lane]) - np.int64(planes[OTHER_AREA + lane])
    is_black = terms.black_begins == (planes[TURN + lane] == 0)
    return area if is_black else -area


@inline_kernel
def _fill_boards(boards, idle, starts, wanted, rows):
    """Begin what is wanted on the boards that idle; return those that still do."""
    for index in range(wanted.size):
        while wanted[index] > 0 and idle != np.uint64(0):
            begin(boards, _u(lowest_bit(idle)), starts, np.int64(index), rows)
            idle &= idle - np.uint64(1)
            wanted[index] -= 1
    return idle


@kernel
def run_simultaneous_playouts(boards, starts, wanted, terms, results):
    """Play `wanted[n]` light playouts from the start n, for all n; `wanted` is 0 then.

    Add up in `results[n]` the wins of Black without komi, areas and moves, as
    `run_light_playouts` does.
    """
    idle = ALL_BOARDS
    while True:
        idle = _fill_boards(boards, idle, starts, wanted, _u(terms.rows))
        if idle == ALL_BOARDS:
            return
        over = advance(boards, terms, idle)
        idle |= over
        while over != np.uint64(0):
            lane = _u(lowest_bit(over))
            over &= over - np.uint64(1)
            index, area = boards.starts[lane], black_area(boards, terms, lane)
            results[index, 0] += np.int64(area > 0)
            results[index, 1] += area
            results[index, 2] += np.int64(boards.planes[LENGTH + lane])
