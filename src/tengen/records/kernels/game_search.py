"""Search of all games of a board size for a position or a pattern, by scanning event streams.

An event stream is a game as the sequence of stones added to and removed from the board. An event
has 16 bits: the point, the color of the stone, and the flags below. Captures are part of the
stream, so that a search needs no rules. A pass is an event at point 0. Setup stones come first; the
stones that a move captures come right after it.

A pattern has sixteen *variants*: eight symmetries, then the same with colors swapped. Games that
never had the stones of any variant are skipped. For each game, the search writes the first variant
that occurred and the index of the event of the continuation, or NONE.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    KO,
    NOWHERE,
    PASS,
    POINTS,
    TO_PLAY,
    ZOBRIST_HIGH,
    ZOBRIST_LOW,
)
from tengen.board.kernels.stones import play
from tengen.util.compiler import inline_kernel, kernel

_u = np.uintp

POINT_MASK = _u(511)
COLOR_SHIFT = _u(9)
REMOVAL = _u(1 << 11)
"""Flag: the stone is removed from the board."""
SETUP = _u(1 << 12)
"""Flag: the stone was placed before the first move."""
CHANGE_MASK = REMOVAL | _u(2047)
"""The bits of an event that determine the change of the board: point, color and REMOVAL."""
ONE = _u(1)

STONE_WORDS = _u(14)
"""64-bit words of a set of stones, with one bit per color and point: 2 * POINTS bits."""


@kernel
def write_events(block, colors, moves, events, count):
    """Play legal moves on the block and append their events at `count`; return the new count."""
    for index in range(_u(len(moves))):
        move, color = _u(moves[index]), _u(colors[index])
        if block[TO_PLAY] != color:
            block[TO_PLAY] = color
            block[KO] = NOWHERE
        events[count] = move | (color << COLOR_SHIFT)
        count += ONE
        before = _u(block[EMPTY_COUNT])
        play(block, move)
        if move == PASS:
            continue
        # Captured stones are appended to the list of empty points, from which `move` was removed.
        captured = COLORS - color
        if block[COLOR + move] == EMPTY:
            captured = color
        for place in range(before - ONE, _u(block[EMPTY_COUNT])):
            stone = _u(block[EMPTY_LIST + place])
            events[count] = stone | (captured << COLOR_SHIFT) | REMOVAL
            count += ONE
    return count


@kernel
def collect_stones(events, starts, stones):
    """Set the bits of all stones that were ever on the board of a game in `stones[game]`."""
    for game in range(_u(len(starts)) - ONE):
        for place in range(_u(starts[game]), _u(starts[game + ONE])):
            event = _u(events[place])
            point = event & POINT_MASK
            if point != PASS:
                bit = (((event >> COLOR_SHIFT) & _u(3)) - ONE) * POINTS + point
                stones[game, bit >> _u(6)] |= np.uint64(1) << np.uint64(bit & _u(63))


VARIANTS = _u(16)
LANES = _u(8)
"""Variants per 64-bit word, eight bits each."""
MAX_REGION_POINTS = 255
"""The largest count in eight bits."""
NONE = -1
OUTSIDE = np.uint8(3)
"""A point that is not part of the pattern."""

_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)


@inline_kernel
def _color_of(event):
    return (event >> COLOR_SHIFT) & _u(3)


@inline_kernel
def _stone_key(event):
    key = _color_of(event) * POINTS + (event & POINT_MASK)
    return (np.uint64(ZOBRIST_HIGH[key]) << np.uint64(32)) | np.uint64(ZOBRIST_LOW[key])


@kernel
def _may_occur(stones, game, needed):
    """Return whether a game had all stones of one of the variants, not necessarily at once."""
    for variant in range(VARIANTS):
        missing = np.uint64(0)
        for word in range(STONE_WORDS):
            missing |= needed[variant, word] & ~stones[game, word]
            if missing:
                break
        if not missing:
            return True
    return False


@inline_kernel
def _has_zero_lane(low, high):
    """Return whether one of the sixteen bytes is zero, by the borrow of a subtraction."""
    borrows = ((low - _LOW_BITS) & ~low) | ((high - _LOW_BITS) & ~high)
    return borrows & _HIGH_BITS != np.uint64(0)


@kernel
def _zero_lane(low, high):
    """Return the first variant whose count is zero; there must be one."""
    for lane in range(VARIANTS):
        word = low if lane < LANES else high
        if (word >> (np.uint64(8) * np.uint64(lane % LANES))) & np.uint64(255) == 0:
            return lane
    return VARIANTS


@kernel
def find_position(
    events,
    starts,
    stones,
    captured,
    needed,
    count,
    hashes,
    sides_to_move,
    first,
    last,
    variants,
    continuations,
):
    """Search games `first` to `last` - 1 for a whole position of `count` stones.

    `hashes` and `sides_to_move` are those of its variants.
    """
    for game in range(first, last):
        variants[game] = continuations[game] = NONE
        if not _may_occur(stones, game, needed):
            continue
        place, end = _u(starts[game]), _u(starts[game + ONE])
        # Stones leave the board only by capture: after more stones there are too many on it.
        max_added = count + _u(captured[game])
        on_board = _u(0)
        added = _u(0)
        key = np.uint64(0)
        last_color = _u(0)
        while place < end and events[place] & SETUP:
            key ^= _stone_key(_u(events[place]))
            on_board += ONE
            added += ONE
            place += ONE
        while True:
            if on_board == count:
                next_color = _u(0)
                if place < end:
                    next_color = _color_of(_u(events[place]))
                for variant in range(VARIANTS):
                    is_turn = next_color == sides_to_move[variant] or (
                        next_color == 0 and last_color != sides_to_move[variant]
                    )
                    if hashes[variant] == key and is_turn:
                        variants[game] = variant
                        if place < end:
                            continuations[game] = place
                        break
                if variants[game] != NONE:
                    break
            if place == end or added > max_added:
                break
            event = _u(events[place])
            place += ONE
            last_color = _color_of(event)
            if event & POINT_MASK != PASS:
                key ^= _stone_key(event)
                on_board += ONE
                added += ONE
            while place < end and events[place] & REMOVAL:
                key ^= _stone_key(_u(events[place]))
                on_board -= ONE
                place += ONE


@kernel
def find_pattern(
    events, starts, stones, needed, wanted, counts, deltas, first, last, variants, continuations
):
    """Search games `first` to `last` - 1 for a pattern in a region.

    `counts` holds, in eight bits per variant, how many points of the region differ on an empty
    board, and `deltas[event]` how an event changes them; a variant occurs when its count is zero.
    `wanted[variant]` is the pattern itself. The continuation is the next move in the region.
    """
    for game in range(first, last):
        variants[game] = continuations[game] = NONE
        if not _may_occur(stones, game, needed):
            continue
        place, end = _u(starts[game]), _u(starts[game + ONE])
        low, high = counts[0], counts[1]
        while True:
            if _has_zero_lane(low, high) and _is_before_move(events, place, end):
                variant = _zero_lane(low, high)
                variants[game] = variant
                continuations[game] = _find_continuation(events, place, end, wanted, variant)
                break
            if place == end:
                break
            change = _u(events[place]) & CHANGE_MASK
            low += deltas[change, 0]
            high += deltas[change, 1]
            place += ONE


@inline_kernel
def _is_before_move(events, place, end):
    """Return whether setup and captures are complete: the next event is a move, or the end."""
    return place == end or not events[place] & (REMOVAL | SETUP)


@kernel
def _find_continuation(events, place, end, wanted, variant):
    """Return the index of the next move in the region; NONE if a capture there comes first."""
    while place < end:
        event = _u(events[place])
        if wanted[variant, event & POINT_MASK] != OUTSIDE:
            if event & REMOVAL:
                return NONE
            return np.int64(place)
        place += ONE
    return NONE
