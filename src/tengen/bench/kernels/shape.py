"""Looking up patterns again and again, as a search would."""

import numpy as np

from tengen.core.compiler import kernel
from tengen.knowledge.kernels.shape import board_odds
from tengen.knowledge.kernels.shape_keys import RINGS
from tengen.knowledge.kernels.shape_tables import BITS, TABLES, look_up


@kernel
def odds_of_boards(blocks, numbers, slots, memory, odds):
    """Find the odds of all legal moves on each board; return the sum of all."""
    total = 0.0
    for index in range(np.uintp(len(blocks))):
        total += board_odds(blocks[index], numbers, slots, memory, odds)
    return total


@kernel
def rates_of_keys(keys, numbers, slots):
    """Look up one pattern after the other, in tables of each size in turn; return the sum."""
    total = np.float32(0.0)
    tables = np.uintp(numbers[TABLES])
    first = np.uintp(0)
    for ring in range(RINGS):
        bits = np.uintp(numbers[BITS + ring])
        if bits != 0:
            for index in range(np.uintp(len(keys))):
                rate, _ = look_up(keys[index, ring], first, tables, bits, slots)
                total += rate
            first += tables << bits
    return total
