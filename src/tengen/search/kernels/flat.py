"""Flat Monte-Carlo: the same number of playouts for each move, no tree (Brügmann 1993)."""

import numpy as np

from tengen.board.kernels.area import finished_area
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import COLUMNS, ROWS
from tengen.board.kernels.stones import play
from tengen.core.compiler import kernel
from tengen.playout.kernels.heavy import heavy_playout
from tengen.search.kernels.simulation import reward_for_black


@kernel
def run_flat(start, block, moves, playouts, policy, memory, komi, score_weight, rewards):
    """Add Black's rewards of `playouts` playouts after each of `moves` to `rewards`."""
    longest = np.uintp(3) * np.uintp(start[ROWS]) * np.uintp(start[COLUMNS])
    for index in range(np.uintp(len(moves))):
        for _ in range(playouts):
            copy_block(start, block)
            play(block, np.uintp(moves[index]))
            heavy_playout(block, policy, memory, longest, longest)
            rewards[index] += reward_for_black(finished_area(block) - komi, score_weight)
