"""The potential filters: rank the legal moves by potential or slope, prune an end (paper 002).

A filter ranks the legal moves from the highest potential (or slope) down and prunes the ranks at
one end or at both, while there are more legal moves than its switching point. What the numbers
of each filter are says `tengen.knowledge.potential`.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    COLUMNS,
    EMPTIES,
    EMPTY_LIST,
    KO,
    LAST,
    LAST_BUT_ONE,
    MOVES,
    POINTS,
    ROWS,
    TO_PLAY,
    WALL,
)
from tengen.board.kernels.tactics import is_suicide
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.potential_field import (
    FIELD_CELLS,
    UNIT,
    combine_fields,
    place_of,
    slope_at,
    update_potential,
)
from tengen.knowledge.kernels.registry import EQUIVALENT_VISITS, PRUNED

_u = np.uintp
ONE = _u(1)

# The cells of `numbers` after the equivalent visits.
RANKING, ATTENUATION, OWN_SIGN, OTHER_SIGN, STENCIL = (_u(n) for n in range(1, 6))
PRUNED_TOP, PRUNED_BOTTOM, SWITCH, USE, SEED = (_u(n) for n in range(6, 11))

BY_CHANCE, BY_POTENTIAL, BY_SLOPE = 0.0, 1.0, 2.0
"""RANKING."""
FILTER, PRIOR, BOTH = 0.0, 1.0, 2.0
"""USE."""

# The cells of `memory` after those of the field.
VALUES = FIELD_CELLS
"""What the legal moves are ranked by, in the order of the board's empty points."""
RANKED = VALUES + POINTS
"""The legal moves as keys, best first."""
MEMORY_CELLS = int(RANKED + POINTS)

TIE_BITS = np.uint64(20)
"""The low bits of a key: nine for the point, the others drawn by lot."""
POINT_MASK = np.uint64(2**9 - 1)
TIE_MASK = np.uint64(2**20 - 2**9)
SIGN_BIT = np.uint64(2**63)
GAPS = (_u(132), _u(57), _u(23), _u(10), _u(4), ONE)
"""Of Ciura's Shell sort."""


@inline_kernel
def _scattered(number):
    """Return 64 bits that look random (the end of splitmix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@inline_kernel
def _lot_of_position(block, seed):
    """Return a number from which ties are broken: the same for both colours."""
    moves = np.uint64(block[LAST]) * np.uint64(512) + np.uint64(block[LAST_BUT_ONE])
    number = (np.uint64(block[MOVES]) << np.uint64(20)) + moves
    return _scattered((np.uint64(seed) << np.uint64(32)) + number)


@inline_kernel
def _ordered_bits(bits):
    """Return the bits of a float as a number in the order of the floats."""
    if bits & SIGN_BIT:
        return ~bits
    return bits | SIGN_BIT


@kernel
def _sort_down(words, count):
    """Sort the first `count` RANKED keys, the highest first (Shell sort)."""
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
    """Return the move of a rank, 0 the highest."""
    return np.uintp(words[RANKED + rank] & POINT_MASK)


@kernel
def _is_ranked(block, point, colour):
    """Tell whether a move is legal: only simple ko is known here."""
    return point != block[KO] and not is_suicide(block, point, colour)


@kernel
def count_legal(block):
    """Return the number of legal moves of the side to move, the pass not counted."""
    colour, count = np.uintp(block[TO_PLAY]), _u(0)
    for index in range(np.uintp(block[EMPTIES])):
        count += _u(_is_ranked(block, np.uintp(block[EMPTY_LIST + index]), colour))
    return count


@kernel
def rank_moves(block, numbers, memory):
    """Bring the fields up to date and rank the legal moves; return how many there are.

    Equal values (to one part in four thousand millions) are put in an order drawn by lot from the
    seed, the move number and the last moves.
    """
    words = memory.view(np.uint64)
    ranking, stencil = numbers[RANKING], numbers[STENCIL]
    if ranking != BY_CHANCE:
        update_potential(block, numbers[ATTENUATION], memory)
        combine_fields(block, np.int64(numbers[OWN_SIGN]), np.int64(numbers[OTHER_SIGN]), memory)
    cells = memory.view(np.int64)
    colour, count = np.uintp(block[TO_PLAY]), _u(0)
    lot = _lot_of_position(block, numbers[SEED])
    for index in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + index])
        if not _is_ranked(block, point, colour):
            continue
        drawn = _scattered(lot + np.uint64(point))
        if ranking == BY_POTENTIAL:
            memory[VALUES + count] = float(cells[place_of(point)]) / UNIT
        elif ranking == BY_SLOPE:
            memory[VALUES + count] = slope_at(place_of(point), stencil, memory)
        else:
            memory[VALUES + count] = float(drawn >> np.uint64(32))
        value = (_ordered_bits(words[VALUES + count]) >> TIE_BITS) << TIE_BITS
        words[RANKED + count] = value | (drawn & TIE_MASK) | np.uint64(point)
        count += ONE
    _sort_down(words, count)
    return count


@inline_kernel
def kept_ranks(numbers, count):
    """Return the first kept rank and the one after the last.

    `PRUNED_TOP` and `PRUNED_BOTTOM` are the shares of all that go, together rounded down.
    """
    top, bottom = numbers[PRUNED_TOP], numbers[PRUNED_BOTTOM]
    pruned = _u(float(count) * (top + bottom))
    if top + bottom <= 0.0 or pruned >= count:
        return _u(0), count
    from_top = _u(float(pruned) * (top / (top + bottom)))
    return from_top, count - (pruned - from_top)


@inline_kernel
def value_of_rank(numbers, rank, count):
    """Return 1 for the rank farthest from what is pruned, down to 0 for the first to go."""
    top, bottom = numbers[PRUNED_TOP], numbers[PRUNED_BOTTOM]
    liked = top / (top + bottom) if top + bottom > 0.0 else 0.0
    share = float(rank) / float(count - ONE) if count > ONE else liked
    return 1.0 - abs(share - liked) / max(liked, 1.0 - liked)


@kernel
def is_on(block, numbers):
    """Tell whether there are more legal moves than the switching point.

    Below 2 the switching point is a share of the board's points.
    """
    switch = numbers[SWITCH]
    if switch < 2.0:
        switch *= float(block[ROWS]) * float(block[COLUMNS])
    return float(block[EMPTIES]) > switch and float(count_legal(block)) > switch


@kernel
def add_potential(block, numbers, tables, memory, wins, visits):
    """Prune moves, or add to their wins and visits, by the rank of their potential or slope."""
    if not is_on(block, numbers):
        return
    count = rank_moves(block, numbers, memory)
    words = memory.view(np.uint64)
    first, end = kept_ranks(numbers, count)
    weight = numbers[EQUIVALENT_VISITS]
    for rank in range(count):
        point = ranked_point(words, rank)
        if numbers[USE] != FILTER:
            wins[point] += np.float32(value_of_rank(numbers, rank, count) * weight)
            visits[point] += np.float32(weight)
        if numbers[USE] != PRIOR and (rank < first or rank >= end):
            visits[point] = PRUNED


@kernel
def survey_moves(block, numbers, memory, seen):
    """Write potential, slope, rank (from 1) and value of each point into the rows of `seen`."""
    update_potential(block, numbers[ATTENUATION], memory)
    combine_fields(block, np.int64(numbers[OWN_SIGN]), np.int64(numbers[OTHER_SIGN]), memory)
    cells, words = memory.view(np.int64), memory.view(np.uint64)
    for point in range(POINTS):
        if block[COLOUR + point] != WALL:
            place = place_of(point)
            seen[0, point] = float(cells[place]) / UNIT
            seen[1, point] = slope_at(place, numbers[STENCIL], memory)
    count = rank_moves(block, numbers, memory)
    for rank in range(count):
        point = ranked_point(words, rank)
        seen[2, point] = float(rank) + 1.0
        seen[3, point] = value_of_rank(numbers, rank, count)
