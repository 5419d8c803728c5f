"""Search of all games of a board size for a position or a pattern, by scanning event streams.

A pattern has sixteen *variants*: eight symmetries, then the same with colors swapped. Games that
never had the stones of any variant are skipped. For each game, the search writes the first variant
that occurred and the index of the event of the continuation, or NONE.
"""

import numpy as np

from tengen.board.kernels.layout import PASS, POINTS, ZOBRIST_HIGH, ZOBRIST_LOW
from tengen.records.database.kernels.events import (
    CHANGE_MASK,
    COLOR_SHIFT,
    ONE,
    POINT_MASK,
    REMOVAL,
    SETUP,
    STONE_WORDS,
)
from tengen.util.compiler import inline_kernel, kernel

_u = np.uintp

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
