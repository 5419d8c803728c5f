"""The odds of 3x3 patterns beside the last move, as a table that playouts can look into."""

import numpy as np

from tengen.board.kernels.layout import BLACK, EMPTY, WALL, WHITE
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.shape import combined_rate
from tengen.knowledge.kernels.shape_keys import (
    ATARI,
    ENEMY,
    IN_ATARI,
    JUST_PLAYED,
    LAST_MOVE,
    OWN,
    RING_CELLS,
    flip_edge,
    flip_stone,
    least_view,
)
from tengen.knowledge.kernels.shape_tables import MARKS
from tengen.playout.kernels.shape import (
    ATARIS,
    DIAGONAL,
    LAST_PLACE,
    ODDS_UNIT,
    PATTERN_CODES,
    PLACES,
)

START, ONE, TWO = np.uintp(0), np.uintp(1), np.uintp(2)
ROW_OF = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
COLUMN_OF = np.array([0, 1, 1, 1, 0, -1, -1, -1])
"""Offsets of the eight places of `playout.kernels.shape.CIRCLE`."""
SIDE_OF = np.array([0, 2, 3, 1], dtype=np.uintp)
"""The edges above, right, below and left, as the keys number them."""
NEXT_TO_IT = np.uintp(1)


@inline_kernel
def _add_place(rings, code, step, marks):
    """Put what lies `step` places after the last move into the rings.

    In codes, black stones are those of the side to move.
    """
    place = (step + (code >> DIAGONAL)) & LAST_PLACE
    is_beside = place & ONE == 0
    row, column = ROW_OF[place], COLUMN_OF[place]
    here = WHITE
    if step > 0:
        here = (code >> (step + step - TWO)) & np.uintp(3)
    elif marks & LAST_MOVE:
        flip_stone(rings, START, row, column, JUST_PLAYED)
    if here == WALL:
        if is_beside:
            flip_edge(rings, START, SIDE_OF[place >> ONE], NEXT_TO_IT)
    elif here != EMPTY:
        flip_stone(rings, START, row, column, OWN if here == BLACK else ENEMY)
        if marks & ATARI and is_beside and (code >> (ATARIS + (step >> ONE))) & ONE:
            flip_stone(rings, START, row, column, IN_ATARI)


@kernel
def write_answer_odds(numbers, slots, rings, keys, odds):
    """Write the odds of every pattern that `playout.kernels.shape.pattern_code` can name.

    `numbers` and `slots` are the tables; larger sizes than 3x3 must be left out of `numbers`.
    `rings` and `keys` are scratch memory. That a move takes a ko is not seen.
    """
    marks = np.uintp(numbers[MARKS])
    for code in range(np.uintp(PATTERN_CODES)):
        for cell in range(RING_CELLS):
            rings[cell] = np.uint64(0)
        for step in range(PLACES):
            _add_place(rings, code, step, marks)
        keys[0] = least_view(rings, START, marks)
        rate = combined_rate(keys, numbers, slots)
        odds[code] = np.uint32(np.float32(ODDS_UNIT) * rate / (np.float32(1.0) - rate))
