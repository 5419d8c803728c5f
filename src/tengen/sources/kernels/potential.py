"""Potential filters: rank the legal moves by potential or slope and prune ranks (paper 002).

A filter ranks the legal moves from the highest potential (or slope) down and prunes the ranks at
one or both ends, as long as there are more legal moves than its switching point.
`tengen.sources.potential` describes the parameters.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLUMNS,
    EMPTY_COUNT,
    EMPTY_LIST,
    KO,
    LAST,
    MOVES,
    POINTS,
    ROWS,
    SECOND_LAST,
    TO_PLAY,
    WALL,
)
from tengen.board.kernels.tactics import is_suicide
from tengen.sources.kernels.potential_field import (
    FIELD_CELLS,
    UNIT,
    combine_fields,
    place_of,
    slope_at,
    update_potential,
)
from tengen.sources.kernels.registry import PRUNED
from tengen.util.compiler import inline_kernel, kernel

_u = np.uintp
ONE = _u(1)

POTENTIAL_PARAMETERS = np.dtype(
    [
        (name, np.float64)
        for name in (
            "equivalent_visits",
            "ranking",
            "attenuation",
            "own_sign",
            "other_sign",
            "stencil",
            "pruned_top",
            "pruned_bottom",
            "switch",
            "use",
            "seed",
        )
    ]
)
"""Fields of the source's parameters."""
_PARAMETER_COUNT = len(POTENTIAL_PARAMETERS)

RANDOM, BY_POTENTIAL, BY_SLOPE = 0.0, 1.0, 2.0
"""Values of `ranking`."""
FILTER, PRIOR, BOTH = 0.0, 1.0, 2.0
"""Values of `use`."""

# Offsets in `memory`, after the fields.
VALUES = FIELD_CELLS
"""Ranking values of the legal moves, in the order of the block's empty points."""
RANKED = VALUES + POINTS
"""Sort keys of the legal moves, best first."""
MEMORY_CELLS = int(RANKED + POINTS)

TIE_BITS = np.uint64(20)
"""Low bits of a sort key: nine for the point, the others random."""
POINT_MASK = np.uint64(2**9 - 1)
TIE_MASK = np.uint64(2**20 - 2**9)
SIGN_BIT = np.uint64(2**63)
GAPS = (_u(132), _u(57), _u(23), _u(10), _u(4), ONE)
"""Gaps of Ciura's Shell sort."""


@inline_kernel
def potential_fields(parameters):
    """Return the source's parameters as a record."""
    return parameters[:_PARAMETER_COUNT].view(POTENTIAL_PARAMETERS)[0]


@inline_kernel
def _mix(number):
    """Return a 64-bit hash (the finalizer of splitmix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@inline_kernel
def _position_seed(block, seed):
    """Return the seed for breaking ties; it does not depend on colors."""
    moves = np.uint64(block[LAST]) * np.uint64(512) + np.uint64(block[SECOND_LAST])
    number = (np.uint64(block[MOVES]) << np.uint64(20)) + moves
    return _mix((np.uint64(seed) << np.uint64(32)) + number)


@inline_kernel
def _ordered_bits(bits):
    """Map the bits of a float to an integer with the same order."""
    if bits & SIGN_BIT:
        return ~bits
    return bits | SIGN_BIT


@kernel
def _sort_down(words, count):
    """Sort the first `count` RANKED keys in descending order (Shell sort)."""
    for gap in GAPS:
        for index in range(gap, count):
            key = words[RANKED + index]
            place = index
            while place >= gap and words[RANKED + place - gap] < key:
                words[RANKED + place] = words[RANKED + place - gap]
                place -= gap
            words[RANKED + place] = key


@inline_kernel
def ranked_point(words, rank):
    """Return the move of a rank, 0 being the highest."""
    return np.uintp(words[RANKED + rank] & POINT_MASK)


@kernel
def _is_ranked(block, point, color):
    """Return whether a move is legal under the simple ko rule."""
    return point != block[KO] and not is_suicide(block, point, color)


@kernel
def count_legal(block):
    """Return the number of legal moves of the side to move, not counting the pass."""
    color, count = np.uintp(block[TO_PLAY]), _u(0)
    for index in range(np.uintp(block[EMPTY_COUNT])):
        count += _u(_is_ranked(block, np.uintp(block[EMPTY_LIST + index]), color))
    return count


@kernel
def rank_moves(block, parameters, memory):
    """Update the fields and rank the legal moves; return their number.

    Ties (values equal to about one part in four billion) are broken at random, seeded by `seed`,
    the move number and the last moves.
    """
    words = memory.view(np.uint64)
    fields = potential_fields(parameters)
    ranking, stencil = fields.ranking, fields.stencil
    if ranking != RANDOM:
        update_potential(block, fields.attenuation, memory)
        combine_fields(block, np.int64(fields.own_sign), np.int64(fields.other_sign), memory)
    cells = memory.view(np.int64)
    color, count = np.uintp(block[TO_PLAY]), _u(0)
    seed = _position_seed(block, fields.seed)
    for index in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + index])
        if not _is_ranked(block, point, color):
            continue
        random = _mix(seed + np.uint64(point))
        if ranking == BY_POTENTIAL:
            memory[VALUES + count] = float(cells[place_of(point)]) / UNIT
        elif ranking == BY_SLOPE:
            memory[VALUES + count] = slope_at(place_of(point), stencil, memory)
        else:
            memory[VALUES + count] = float(random >> np.uint64(32))
        value = (_ordered_bits(words[VALUES + count]) >> TIE_BITS) << TIE_BITS
        words[RANKED + count] = value | (random & TIE_MASK) | np.uint64(point)
        count += ONE
    _sort_down(words, count)
    return count


@inline_kernel
def kept_ranks(parameters, count):
    """Return the first kept rank and the one after the last.

    `pruned_top` and `pruned_bottom` are shares of all moves; their sum is rounded down.
    """
    fields = potential_fields(parameters)
    top, bottom = fields.pruned_top, fields.pruned_bottom
    pruned = _u(float(count) * (top + bottom))
    if top + bottom <= 0.0 or pruned >= count:
        return _u(0), count
    from_top = _u(float(pruned) * (top / (top + bottom)))
    return from_top, count - (pruned - from_top)


@inline_kernel
def value_of_rank(parameters, rank, count):
    """Return 1 for the rank farthest from the pruned ranks, down to 0 for the first pruned."""
    fields = potential_fields(parameters)
    top, bottom = fields.pruned_top, fields.pruned_bottom
    best = top / (top + bottom) if top + bottom > 0.0 else 0.0
    share = float(rank) / float(count - ONE) if count > ONE else best
    return 1.0 - abs(share - best) / max(best, 1.0 - best)


@kernel
def is_on(block, parameters):
    """Return whether there are more legal moves than the switching point.

    A switching point below 2 is a share of the points of the board.
    """
    switch = potential_fields(parameters).switch
    if switch < 2.0:
        switch *= float(block[ROWS]) * float(block[COLUMNS])
    return float(block[EMPTY_COUNT]) > switch and float(count_legal(block)) > switch


@kernel
def add_potential(block, parameters, tables, memory, wins, visits):
    """Prune or score moves by the rank of their potential or slope."""
    if not is_on(block, parameters):
        return
    fields = potential_fields(parameters)
    count = rank_moves(block, parameters, memory)
    words = memory.view(np.uint64)
    first, end = kept_ranks(parameters, count)
    weight = fields.equivalent_visits
    for rank in range(count):
        point = ranked_point(words, rank)
        if fields.use != FILTER:
            wins[point] += np.float32(value_of_rank(parameters, rank, count) * weight)
            visits[point] += np.float32(weight)
        if fields.use != PRIOR and (rank < first or rank >= end):
            visits[point] = PRUNED


@kernel
def survey_moves(block, parameters, memory, survey):
    """Write potential, slope, rank (from 1) and value of each point into the rows of `survey`."""
    fields = potential_fields(parameters)
    update_potential(block, fields.attenuation, memory)
    combine_fields(block, np.int64(fields.own_sign), np.int64(fields.other_sign), memory)
    cells, words = memory.view(np.int64), memory.view(np.uint64)
    for point in range(POINTS):
        if block[COLOR + point] != WALL:
            place = place_of(point)
            survey[0, point] = float(cells[place]) / UNIT
            survey[1, point] = slope_at(place, fields.stencil, memory)
    count = rank_moves(block, parameters, memory)
    for rank in range(count):
        point = ranked_point(words, rank)
        survey[2, point] = float(rank) + 1.0
        survey[3, point] = value_of_rank(parameters, rank, count)
