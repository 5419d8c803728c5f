"""All compiled sources behind one kernel: the interface through which the search asks them.

A source is a code and its parameters, one row of the `sources` table, since Numba cannot cache
functions that are passed as arguments. Whoever compiles a new source adds a code here.
"""

import numpy as np

from tengen.board.kernels.layout import MOVES, POINTS
from tengen.core.compiler import kernel
from tengen.knowledge.kernels.basic import (
    add_distance,
    add_even_game,
    add_lines,
    add_patterns,
    add_tactics,
)

EVEN_GAME, TACTICS, PATTERNS, DISTANCE, LINES = (np.uintp(n) for n in range(5))

# The columns of the `sources` table.
CODE, EQUIVALENT_VISITS, BEFORE_MOVE, TO_DEPTH = (np.uintp(n) for n in range(4))
COLUMNS_OF_SOURCE = 4

SCRATCH = int(POINTS) * 2
"""Cells of scratch memory the sources share."""


@kernel
def _add_source(block, code, weight, wins, visits, scratch, boards):
    """Add what one source says."""
    if code == EVEN_GAME:
        add_even_game(block, weight, wins, visits)
    elif code == TACTICS:
        add_tactics(block, weight, wins, visits, boards)
    elif code == PATTERNS:
        add_patterns(block, weight, wins, visits)
    elif code == DISTANCE:
        add_distance(block, weight, wins, visits, scratch[:POINTS], scratch[POINTS:])
    elif code == LINES:
        add_lines(block, weight, wins, visits)


@kernel
def add_priors(block, depth, sources, wins, visits, scratch, boards):
    """Set `wins` and `visits` over the points to what all sources say for the side to move.

    `sources` has one row a source; a row holds before its move number and down to its depth.
    `scratch` and `boards` (of `new_ladder_boards`) are scratch memory.
    """
    wins[:] = 0.0
    visits[:] = 0.0
    for index in range(np.uintp(len(sources))):
        source = sources[index]
        if block[MOVES] < source[BEFORE_MOVE] and depth <= source[TO_DEPTH]:
            weight = np.float32(source[EQUIVALENT_VISITS])
            _add_source(block, np.uintp(source[CODE]), weight, wins, visits, scratch, boards)
