"""The potential field of the stones, and filters that rank moves by it (paper 002).

A stone contributes `1 / m^r` at Euclidean distance r (eq. 2 and 3). The potential of a point is the
sum over all stones (eq. 4), with one sign for own stones and one for the opponent's.

The sums are integer multiples of 2^-52, one field per color. Adding and removing a stone therefore
cancels exactly, points that are equal by symmetry are exactly equal, and an update costs only what
changed since the last call. The fields extend one point beyond each edge, because the slope is
computed from the neighbors.

A filter ranks the legal moves from the highest potential (or slope) down and prunes the ranks at
one or both ends, as long as there are more legal moves than its switching point.
`tengen.sources.potential` describes the parameters.
"""

import math

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    COLUMNS,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    KO,
    LAST,
    MOVES,
    POINTS,
    ROWS,
    SECOND_LAST,
    STRIDE,
    TO_PLAY,
    WALL,
)
from tengen.board.kernels.tactics import is_suicide
from tengen.sources.kernels.registry import PRUNED
from tengen.util.compiler import inline_kernel, kernel

_u = np.uintp
ONE = _u(1)

HORN, FOUR_NEIGHBORS, STEEPEST = 0.0, 1.0, 2.0
"""Stencils of the slope."""

REACH = _u(20)
"""Greatest difference of rows or columns: from one edge to one point beyond the other."""
SPAN = REACH + REACH + ONE
LINE = _u(21)
"""Row stride of a field: nineteen points and one beyond each edge."""
FIELD = LINE * LINE
UNIT = 2.0**52
"""A potential of 1. With m = 4 the far corner of a 19x19 board still gets one unit."""

# Offsets in `memory`.
KNOWN_SIZE, KNOWN_ATTENUATION = _u(0), _u(1)
FALLOFF = _u(2)
"""1 / m^r by row difference (0 to REACH) and column difference (-REACH to REACH)."""
FIELDS = FALLOFF + (REACH + ONE) * SPAN
"""The field of Black, then that of White."""
COMBINED = FIELDS + FIELD + FIELD
"""Sum of the two fields with the signs of the side to move."""
SEEN = COMBINED + FIELD
"""Color of each point at the last update."""
FIELD_CELLS = SEEN + POINTS
"""Memory cells of the fields."""

DIAGONAL = math.sqrt(0.5)


@kernel
def _start(block, attenuation, memory):
    """Reset the fields to an empty board of the block's size."""
    cells = memory.view(np.int64)
    memory[KNOWN_ATTENUATION] = attenuation
    cells[KNOWN_SIZE] = np.int64(block[ROWS]) * 32 + np.int64(block[COLUMNS])
    for row in range(REACH + ONE):
        for column in range(SPAN):
            across = float(column) - float(REACH)
            distance = math.sqrt(float(row) * float(row) + across * across)
            cells[FALLOFF + row * SPAN + column] = round(UNIT * attenuation**-distance)
    for cell in range(FIELDS, FIELD_CELLS):
        cells[cell] = 0


@kernel
def _add_stone(block, row, column, color, sign, cells):
    """Add the contribution of a stone to the field of its color; sign -1 removes it."""
    field = FIELDS + (color - ONE) * FIELD
    first = REACH - column - ONE
    for other in range(np.uintp(block[ROWS]) + _u(2)):
        rows_between = other - row - ONE if other > row else row + ONE - other
        falloff = FALLOFF + rows_between * SPAN + first
        line = field + other * LINE
        for across in range(np.uintp(block[COLUMNS]) + _u(2)):
            cells[line + across] += sign * cells[falloff + across]


@kernel
def update_potential(block, attenuation, memory):
    """Update the fields in `memory` to the stones of `block`."""
    cells = memory.view(np.int64)
    size = np.int64(block[ROWS]) * 32 + np.int64(block[COLUMNS])
    if cells[KNOWN_SIZE] != size or memory[KNOWN_ATTENUATION] != attenuation:
        _start(block, attenuation, memory)
    for row in range(np.uintp(block[ROWS])):
        for column in range(np.uintp(block[COLUMNS])):
            point = (row + ONE) * STRIDE + column + ONE
            now, before = np.uintp(block[COLOR + point]), np.uintp(cells[SEEN + point])
            if now != before:
                if before != EMPTY:
                    _add_stone(block, row, column, before, -1, cells)
                if now != EMPTY:
                    _add_stone(block, row, column, now, 1, cells)
                cells[SEEN + point] = np.int64(now)


@kernel
def combine_fields(block, own_sign, other_sign, memory):
    """Write the potential as seen by the side to move into COMBINED, including the border."""
    cells = memory.view(np.int64)
    own = FIELDS + (np.uintp(block[TO_PLAY]) - ONE) * FIELD
    other = FIELDS + (COLORS - np.uintp(block[TO_PLAY]) - ONE) * FIELD
    for cell in range((np.uintp(block[ROWS]) + _u(2)) * LINE):
        cells[COMBINED + cell] = own_sign * cells[own + cell] + other_sign * cells[other + cell]


@inline_kernel
def place_of(point):
    """Return the cell of COMBINED for a padded point."""
    return COMBINED + (point // STRIDE) * LINE + point % STRIDE


@inline_kernel
def _length(across, down, share):
    """Return the norm of a vector of integer units, each divided by `share`."""
    x, y = float(across) / (share * UNIT), float(down) / (share * UNIT)
    return math.sqrt(x * x + y * y)


@inline_kernel
def _horn(cells, place):
    """Return Horn's slope over the 3x3 neighborhood (Burrough and McDonnell, p. 190)."""
    above, below = place - LINE, place + LINE
    across = cells[above + ONE] + 2 * cells[place + ONE] + cells[below + ONE]
    across -= cells[above - ONE] + 2 * cells[place - ONE] + cells[below - ONE]
    down = cells[below - ONE] + 2 * cells[below] + cells[below + ONE]
    down -= cells[above - ONE] + 2 * cells[above] + cells[above + ONE]
    return _length(across, down, 8.0)


@inline_kernel
def _central(cells, place):
    """Return the slope from the central differences of the four neighbors."""
    across = cells[place + ONE] - cells[place - ONE]
    return _length(across, cells[place + LINE] - cells[place - LINE], 2.0)


@inline_kernel
def _steepest(cells, place):
    """Return the greatest absolute slope to one of the eight neighbors."""
    here = cells[place]
    straight = np.int64(0)
    for neighbor in (place - LINE, place - ONE, place + ONE, place + LINE):
        straight = max(straight, abs(cells[neighbor] - here))
    oblique = np.int64(0)
    above, below = place - LINE, place + LINE
    for neighbor in (above - ONE, above + ONE, below - ONE, below + ONE):
        oblique = max(oblique, abs(cells[neighbor] - here))
    return max(float(straight), float(oblique) * DIAGONAL) / UNIT


@kernel
def slope_at(place, stencil, memory):
    """Return the slope of the combined field at a cell on the board."""
    cells = memory.view(np.int64)
    if stencil == HORN:
        return _horn(cells, place)
    if stencil == FOUR_NEIGHBORS:
        return _central(cells, place)
    return _steepest(cells, place)


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
