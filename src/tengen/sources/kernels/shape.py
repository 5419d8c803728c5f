"""Shape source: the probability that strong players play each move, from the pattern around it."""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    KO,
    POINTS,
    TO_PLAY,
    WALL,
    WHITE,
)
from tengen.board.kernels.tactics import is_suicide
from tengen.playout.kernels.patterns import (
    ATARIS,
    DIAGONAL,
    LAST_PLACE,
    ODDS_UNIT,
    PATTERN_CODES,
    PLACES,
)
from tengen.sources.kernels.shape_keys import (
    ATARI,
    BOARD_CELLS,
    ENEMY,
    IN_ATARI,
    JUST_PLAYED,
    LAST_MOVE,
    OWN,
    RING_CELLS,
    RINGS,
    finish_keys,
    flip_edge,
    flip_stone,
    least_view,
    spread_stones,
)
from tengen.sources.kernels.shape_tables import look_up, prefetch_slots, shape_fields
from tengen.util.compiler import inline_kernel, kernel

START, ONE, TWO = np.uintp(0), np.uintp(1), np.uintp(2)

ODDS_START = BOARD_CELLS + POINTS * RINGS
SHAPE_MEMORY = int(ODDS_START + POINTS)
"""Memory cells of the source: rings, keys and odds of all points."""

COLLISION_NOISE = np.float32(2.0)
"""Variance that a slot's load adds to a rate, in samples; chosen by prediction accuracy."""
NEAREST = np.float32(1e-4)
"""Rates keep this distance from 0 and 1, so that odds stay finite."""

# The eight places of `playout.kernels.patterns.CIRCLE`.
ROW_OF = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
COLUMN_OF = np.array([0, 1, 1, 1, 0, -1, -1, -1])
SIDE_OF = np.array([0, 2, 3, 1], dtype=np.uintp)
"""The edges above, right, below and left as `shape_keys` numbers them."""
ADJACENT = np.uintp(1)


@inline_kernel
def refine(coarser, rate, least, load, backoff):
    """Return the rate of a pattern, given the rate of the next smaller pattern.

    The tables store no keys, so the number of samples of a pattern is estimated: its slots hold its
    own samples plus those of colliding patterns, and `own`, the least total of its slots minus the
    median load of a slot, is approximately its own number. Colliding samples are about half wins
    and half losses; removing them from the mixture gives the rate of the pattern itself, as precise
    as from own^2 / (own + noise * load) clean samples. These are averaged with `backoff` samples at
    the rate of the smaller pattern.
    """
    own = least - load
    if own <= np.float32(0.0):
        return coarser
    seen = own * own / (own + COLLISION_NOISE * load)
    unmixed = np.float32(0.5) + (rate - np.float32(0.5)) * least / own
    unmixed = min(max(unmixed, np.float32(0.0)), np.float32(1.0))
    return (unmixed * seen + coarser * backoff) / (seen + backoff)


@inline_kernel
def combined_rate(keys, fields, slots):
    """Return one rate for a point from the patterns of all sizes, the smallest first."""
    backoff = np.float32(fields.backoff)
    tables = np.uintp(fields.tables)
    first = np.uintp(0)
    combined = np.float32(0.5)
    for ring in range(RINGS):
        bits = np.uintp(fields.bits[ring])
        if bits != 0:
            rate, least = look_up(keys[ring], first, tables, bits, slots)
            combined = refine(combined, rate, least, np.float32(fields.loads[ring]), backoff)
            first += tables << bits
    return min(max(combined, NEAREST), np.float32(1.0) - NEAREST)


@kernel
def combined_rates(rates, leasts, parameters, combined):
    """Write the combined rate after each size."""
    fields = shape_fields(parameters)
    rate = np.float32(0.5)
    for ring in range(RINGS):
        if fields.bits[ring] != 0:
            load = np.float32(fields.loads[ring])
            rate = refine(rate, rates[ring], leasts[ring], load, np.float32(fields.backoff))
        combined[ring] = rate


@kernel
def board_odds(block, parameters, slots, memory, odds):
    """Set `odds` of every legal move to rate / (1 - rate), 0 elsewhere; return their sum.

    Legality uses the simple ko rule without suicide.
    """
    fields = shape_fields(parameters)
    rings = memory[:BOARD_CELLS].view(np.uint64)
    keys = memory[BOARD_CELLS:ODDS_START].view(np.uint64)
    marks = np.uintp(fields.marks)
    color = np.uintp(block[TO_PLAY])
    for point in range(POINTS):
        odds[point] = 0.0
    spread_stones(block, rings)
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if point == block[KO] or is_suicide(block, point, color):
            continue
        own_keys = keys[point * RINGS : (point + ONE) * RINGS]
        finish_keys(block, point, marks, rings, point * RING_CELLS, own_keys)
        prefetch_slots(own_keys, fields, slots)
        odds[point] = 1.0
    # A second pass, so that the prefetched slots have arrived in the cache.
    total = 0.0
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if odds[point] > 0.0:
            rate = combined_rate(keys[point * RINGS : (point + ONE) * RINGS], fields, slots)
            odds[point] = rate / (np.float32(1.0) - rate)
            total += odds[point]
    return total


@kernel
def add_shape(block, parameters, tables, memory, wins, visits):
    """Give each move sqrt(P) times the equivalent visits, P being its playing probability.

    This is Pachi's formula for its pattern library (paper 000, section 5.4.1). P is the odds of
    the move's pattern, normalized over the legal moves.
    """
    fields = shape_fields(parameters)
    odds = memory[ODDS_START:]
    total = board_odds(block, parameters, tables, memory, odds)
    weight = np.float32(fields.equivalent_visits)
    value = np.float32(fields.value)
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if odds[point] > 0.0:
            equivalent = weight * np.float32(np.sqrt(odds[point] / total))
            wins[point] += value * equivalent
            visits[point] += equivalent


@inline_kernel
def _add_place(rings, code, step, marks):
    """Toggle what is `step` places after the last move in the rings.

    In codes, black stones are those of the side to move.
    """
    place = (step + (code >> DIAGONAL)) & LAST_PLACE
    is_adjacent = place & ONE == 0
    row, column = ROW_OF[place], COLUMN_OF[place]
    here = WHITE
    if step > 0:
        here = (code >> (step + step - TWO)) & np.uintp(3)
    elif marks & LAST_MOVE:
        flip_stone(rings, START, row, column, JUST_PLAYED)
    if here == WALL:
        if is_adjacent:
            flip_edge(rings, START, SIDE_OF[place >> ONE], ADJACENT)
    elif here != EMPTY:
        flip_stone(rings, START, row, column, OWN if here == BLACK else ENEMY)
        if marks & ATARI and is_adjacent and (code >> (ATARIS + (step >> ONE))) & ONE:
            flip_stone(rings, START, row, column, IN_ATARI)


@kernel
def write_answer_odds(parameters, slots, rings, keys, odds):
    """Write the odds of every pattern with a code of `playout.kernels.patterns.pattern_code`.

    Sizes above 3x3 must be unused in `parameters`. `rings` and `keys` are scratch memory. Ko
    captures are ignored.
    """
    fields = shape_fields(parameters)
    marks = np.uintp(fields.marks)
    for code in range(np.uintp(PATTERN_CODES)):
        for cell in range(RING_CELLS):
            rings[cell] = np.uint64(0)
        for step in range(PLACES):
            _add_place(rings, code, step, marks)
        keys[0] = least_view(rings, START, marks)
        rate = combined_rate(keys, fields, slots)
        odds[code] = np.uint32(np.float32(ODDS_UNIT) * rate / (np.float32(1.0) - rate))
