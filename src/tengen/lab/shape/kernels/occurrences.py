"""Every pattern that occurs around a legal move, played or not."""

import numpy as np

from tengen.board.kernels.block import clear
from tengen.board.kernels.layout import PASS
from tengen.board.kernels.legality import SIMPLE_KO, legal_points
from tengen.core.compiler import kernel
from tengen.knowledge.kernels.shape_keys import RING_CELLS, finish_keys, spread_stones
from tengen.learn.kernels.samples import begin_move, make_move
from tengen.records.kernels.moves import SETUP

ONE = np.uintp(1)


@kernel
def occurrences(words, rows, columns, marks, every, ranking, keys, played):
    """Write the keys of all legal moves of a sound game, and 1 for the one that was played.

    Only one position in `every` is looked at. `ranking` is scratch memory. Return how many moves
    were written; it stops where there is no room for another position.
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
