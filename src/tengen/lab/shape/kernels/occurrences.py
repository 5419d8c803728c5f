"""Patterns around all legal moves of a game."""

import numpy as np

from tengen.board.kernels.block import clear
from tengen.board.kernels.layout import PASS
from tengen.board.kernels.legality import SIMPLE_KO, legal_points
from tengen.records.kernels.moves import SETUP
from tengen.sources.kernels.shape_keys import RING_CELLS, finish_keys, spread_stones
from tengen.sources.kernels.shape_tables import begin_move, make_move
from tengen.util.compiler import kernel

ONE = np.uintp(1)


@kernel
def occurrences(words, rows, columns, marks, every, ranking, keys, played):
    """Write the pattern keys of all legal moves and mark the played ones; return their number.

    Only every `every`-th position is used. `ranking` is scratch memory. Writing stops when another
    position does not fit.
    """
    block, points = ranking.scratch.block, ranking.scratch.points
    clear(block, rows, columns)
    done = np.uintp(0)
    for index in range(np.uintp(len(words))):
        point = begin_move(block, words[index])
        is_move = point != PASS and not np.uintp(words[index]) & SETUP
        if is_move and index % every == 0 and done + rows * columns <= np.uintp(len(keys)):
            spread_stones(block, ranking.rings)
            count = legal_points(block, SIMPLE_KO, False, ranking.scratch.history, ONE, points)
            for place in range(count):
                here = np.uintp(points[place])
                at = here * RING_CELLS
                finish_keys(block, here, marks, ranking.rings, at, keys[done])
                played[done] = here == point
                done += ONE
        make_move(block, words[index], point)
    return done
