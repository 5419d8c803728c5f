"""Games played over and over, with what a potential filter does after each move."""

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import TO_PLAY
from tengen.board.kernels.stones import play
from tengen.core.compiler import kernel
from tengen.knowledge.kernels.potential import ATTENUATION, rank_moves
from tengen.knowledge.kernels.potential_field import FIELD_CELLS, FIELDS, update_potential

ONLY_PLAY, UPDATE, RANK, RECOMPUTE = (np.uintp(n) for n in range(4))
"""What is done after each move."""


@kernel
def replay_with(start, block, moves, numbers, memory, what):
    """Play `moves` from `start` on, and do the same work after each."""
    copy_block(start, block)
    for index in range(np.uintp(len(moves))):
        play(block, np.uintp(moves[index]))
        if what == RANK:
            rank_moves(block, numbers, memory)
        elif what != ONLY_PLAY:
            if what == RECOMPUTE:
                for cell in range(FIELDS, FIELD_CELLS):
                    memory[cell] = 0.0
            update_potential(block, numbers[ATTENUATION], memory)
    return block[TO_PLAY]
