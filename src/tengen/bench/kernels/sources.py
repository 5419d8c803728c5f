"""Benchmark loops over source kernels, without Python calls in between."""

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import TO_PLAY
from tengen.board.kernels.stones import play
from tengen.sources.kernels.metric import evaluate_board
from tengen.sources.kernels.potential import (
    FIELD_CELLS,
    FIELDS,
    potential_fields,
    rank_moves,
    update_potential,
)
from tengen.sources.kernels.shape import board_odds
from tengen.sources.kernels.shape_keys import RINGS
from tengen.sources.kernels.shape_tables import look_up, shape_fields
from tengen.util.compiler import kernel

ONLY_PLAY, UPDATE, RANK, RECOMPUTE = (np.uintp(n) for n in range(4))
"""Work done by `replay_with` after each move."""


@kernel
def evaluate_repeatedly(block, weights, scratch, values, times):
    """Evaluate a board `times` times; return the sum, so that no call is optimized away."""
    total = 0.0
    for _ in range(times):
        total += evaluate_board(block, weights, scratch, values)
    return total


@kernel
def replay_with(start, block, moves, parameters, memory, what):
    """Play `moves` from `start` and do the work `what` after each."""
    copy_block(start, block)
    for index in range(np.uintp(len(moves))):
        play(block, np.uintp(moves[index]))
        if what == RANK:
            rank_moves(block, parameters, memory)
        elif what != ONLY_PLAY:
            if what == RECOMPUTE:
                for cell in range(FIELDS, FIELD_CELLS):
                    memory[cell] = 0.0
            update_potential(block, potential_fields(parameters).attenuation, memory)
    return block[TO_PLAY]


@kernel
def odds_of_boards(blocks, parameters, slots, memory, odds):
    """Compute the odds of all legal moves on each board; return their sum."""
    total = 0.0
    for index in range(np.uintp(len(blocks))):
        total += board_odds(blocks[index], parameters, slots, memory, odds)
    return total


@kernel
def rates_of_keys(keys, parameters, slots):
    """Look up all keys in the table of each pattern size; return the sum of the rates."""
    total = np.float32(0.0)
    fields = shape_fields(parameters)
    tables = np.uintp(fields.tables)
    first = np.uintp(0)
    for ring in range(RINGS):
        bits = np.uintp(fields.bits[ring])
        if bits != 0:
            for index in range(np.uintp(len(keys))):
                rate, _ = look_up(keys[index, ring], first, tables, bits, slots)
                total += rate
            first += tables << bits
    return total
