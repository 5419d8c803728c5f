"""The source `shape`: how likely strong players are to play each move, by the pattern around it."""

import numpy as np

from tengen.board.kernels.layout import EMPTIES, EMPTY_LIST, KO, POINTS, TO_PLAY
from tengen.board.kernels.tactics import is_suicide
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.registry import EQUIVALENT_VISITS
from tengen.knowledge.kernels.shape_keys import (
    BOARD_CELLS,
    RING_CELLS,
    RINGS,
    finish_keys,
    spread_stones,
)
from tengen.knowledge.kernels.shape_tables import (
    BITS,
    LOADS,
    MARKS,
    TABLE_NUMBERS,
    TABLES,
    fetch_slots,
    look_up,
)

ONE = np.uintp(1)

# Behind the numbers of the tables.
BACKOFF, VALUE = TABLE_NUMBERS, TABLE_NUMBERS + np.uintp(1)

ODDS_START = BOARD_CELLS + POINTS * RINGS
SHAPE_MEMORY = int(ODDS_START + POINTS)
"""Rings of all points, keys of all, odds of all."""

COLLISION_NOISE = np.float32(2.0)
"""How many times its variance by chance the load of a slot counts; chosen by prediction."""
NEAREST = np.float32(1e-4)
"""Rates keep this distance from 0 and 1, so that odds stay finite."""


@inline_kernel
def refine(coarser, rate, least, load, backoff):
    """Return the rate of a pattern, given that of the smaller pattern in its middle.

    The tables keep no keys, so nobody knows how often a pattern was really seen. But its slots
    hold all it brought, and what others brought by chance: `own`, the least of its slots less the
    load of an ordinary slot, is about what it brought itself. What others brought is about half
    wins, half losses; taking that out of the mixture gives the pattern's own rate, known as well
    as from own^2 / (own + noise * load) clean samples. These are weighed against `backoff`
    samples at the rate of the smaller pattern.
    """
    own = least - load
    if own <= np.float32(0.0):
        return coarser
    seen = own * own / (own + COLLISION_NOISE * load)
    unmixed = np.float32(0.5) + (rate - np.float32(0.5)) * least / own
    unmixed = min(max(unmixed, np.float32(0.0)), np.float32(1.0))
    return (unmixed * seen + coarser * backoff) / (seen + backoff)


@inline_kernel
def combined_rate(keys, numbers, slots):
    """Return one rate for a point from the patterns of all sizes, the smallest first."""
    backoff = np.float32(numbers[BACKOFF])
    tables = np.uintp(numbers[TABLES])
    first = np.uintp(0)
    combined = np.float32(0.5)
    for ring in range(RINGS):
        bits = np.uintp(numbers[BITS + ring])
        if bits != 0:
            rate, least = look_up(keys[ring], first, tables, bits, slots)
            combined = refine(combined, rate, least, np.float32(numbers[LOADS + ring]), backoff)
            first += tables << bits
    return min(max(combined, NEAREST), np.float32(1.0) - NEAREST)


@kernel
def combined_rates(rates, leasts, numbers, combined):
    """Write what each size makes of the rate of all smaller ones, for people to look at."""
    rate = np.float32(0.5)
    for ring in range(RINGS):
        if numbers[BITS + ring] != 0:
            load = np.float32(numbers[LOADS + ring])
            rate = refine(rate, rates[ring], leasts[ring], load, np.float32(numbers[BACKOFF]))
        combined[ring] = rate


@kernel
def board_odds(block, numbers, slots, memory, odds):
    """Set `odds` of every legal move to rate / (1 - rate); return their sum.

    Other points get 0. The ko rule is the simple one, suicide is illegal.
    """
    rings = memory[:BOARD_CELLS].view(np.uint64)
    keys = memory[BOARD_CELLS:ODDS_START].view(np.uint64)
    marks = np.uintp(numbers[MARKS])
    colour = np.uintp(block[TO_PLAY])
    for point in range(POINTS):
        odds[point] = 0.0
    spread_stones(block, rings)
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if point == block[KO] or is_suicide(block, point, colour):
            continue
        own_keys = keys[point * RINGS : (point + ONE) * RINGS]
        finish_keys(block, point, marks, rings, point * RING_CELLS, own_keys)
        fetch_slots(own_keys, numbers, slots)
        odds[point] = 1.0
    # In a second round: by now the slots, which lie all over the tables, are at hand.
    total = 0.0
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if odds[point] > 0.0:
            rate = combined_rate(keys[point * RINGS : (point + ONE) * RINGS], numbers, slots)
            odds[point] = rate / (np.float32(1.0) - rate)
            total += odds[point]
    return total


@kernel
def add_shape(block, numbers, tables, memory, wins, visits):
    """Give each move sqrt(P) times the equivalent visits, P being its playing probability.

    That is Pachi's formula for its pattern library (paper 000, section 5.4.1); P is the odds of
    the move's pattern, shared out over the legal moves.
    """
    odds = memory[ODDS_START:]
    total = board_odds(block, numbers, tables, memory, odds)
    weight = np.float32(numbers[EQUIVALENT_VISITS])
    value = np.float32(numbers[VALUE])
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if odds[point] > 0.0:
            equivalent = weight * np.float32(np.sqrt(odds[point] / total))
            wins[point] += value * equivalent
            visits[point] += equivalent
