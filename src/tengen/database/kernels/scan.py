"""Finding a position or a pattern in all games of a board size, by following their stones.

What is looked for comes in sixteen *variants*: eight symmetries, then the same with colours
swapped. A game that never had a stone where all variants want one is passed over at once. For
each game two numbers are written: the variant that stood on the board first (NONE if none did),
and the place in the stream of the move that answered it (NONE if none did).
"""

import numpy as np

from tengen.board.kernels.layout import PASS, POINTS, ZOBRIST_HIGH, ZOBRIST_LOW
from tengen.core.compiler import inline_kernel, kernel
from tengen.database.kernels.events import (
    CHANGE_MASK,
    COLOUR_SHIFT,
    ONE,
    POINT_MASK,
    REMOVAL,
    SETUP,
    STONE_WORDS,
)

_u = np.uintp

VARIANTS = _u(16)
LANES = _u(8)
"""Variants in one word of 64 bits, eight bits each."""
LARGEST_REGION = 255
"""What eight bits can count."""
NONE = -1
OUTSIDE = np.uint8(3)
"""A point that a pattern says nothing of."""

_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)


@inline_kernel
def _colour_of(event):
    return (event >> COLOUR_SHIFT) & _u(3)


@inline_kernel
def _stone_key(event):
    key = _colour_of(event) * POINTS + (event & POINT_MASK)
    return (np.uint64(ZOBRIST_HIGH[key]) << np.uint64(32)) | np.uint64(ZOBRIST_LOW[key])


@kernel
def _may_occur(stones, game, needed):
    """Tell whether a game had, at some time, all stones of one of the variants."""
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
    """Tell whether one of the sixteen bytes is zero (the well-known trick with borrows)."""
    borrows = ((low - _LOW_BITS) & ~low) | ((high - _LOW_BITS) & ~high)
    return borrows & _HIGH_BITS != np.uint64(0)


@kernel
def _zero_lane(low, high):
    """Return the first variant whose count is zero; there is one."""
    for lane in range(VARIANTS):
        word = low if lane < LANES else high
        if (word >> (np.uint64(8) * np.uint64(lane % LANES))) & np.uint64(255) == 0:
            return lane
    return VARIANTS


@kernel
def find_position(
    events, starts, stones, captured, needed, count, targets, movers, first, last, variants, answers
):
    """Look for a whole position of `count` stones in the games from `first` to `last` - 1.

    `targets` are the hashes of its variants, `movers` the sides that are to move in them.
    """
    for game in range(first, last):
        variants[game] = answers[game] = NONE
        if not _may_occur(stones, game, needed):
            continue
        place, end = _u(starts[game]), _u(starts[game + ONE])
        # Stones leave the board only by capture: after so many moves there are too many of them.
        latest = count + _u(captured[game])
        on_board = _u(0)
        seen = _u(0)
        key = np.uint64(0)
        mover = _u(0)
        while place < end and events[place] & SETUP:
            key ^= _stone_key(_u(events[place]))
            on_board += ONE
            seen += ONE
            place += ONE
        while True:
            if on_board == count:
                following = _u(0)
                if place < end:
                    following = _colour_of(_u(events[place]))
                for variant in range(VARIANTS):
                    is_turn = following == movers[variant] or (
                        following == 0 and mover != movers[variant]
                    )
                    if targets[variant] == key and is_turn:
                        variants[game] = variant
                        if place < end:
                            answers[game] = place
                        break
                if variants[game] != NONE:
                    break
            if place == end or seen > latest:
                break
            event = _u(events[place])
            place += ONE
            mover = _colour_of(event)
            if event & POINT_MASK != PASS:
                key ^= _stone_key(event)
                on_board += ONE
                seen += ONE
            while place < end and events[place] & REMOVAL:
                key ^= _stone_key(_u(events[place]))
                on_board -= ONE
                place += ONE


@kernel
def find_pattern(
    events, starts, stones, needed, wanted, counts, deltas, first, last, variants, answers
):
    """Look for a pattern in a region in the games from `first` to `last` - 1.

    `counts` holds, eight bits a variant, how many points of the region differ on an empty board,
    and `deltas[event]` how an event changes that; a variant stands when its count is zero.
    `wanted[variant]` is the pattern itself. The answer is the next move in the region.
    """
    for game in range(first, last):
        variants[game] = answers[game] = NONE
        if not _may_occur(stones, game, needed):
            continue
        place, end = _u(starts[game]), _u(starts[game + ONE])
        low, high = counts[0], counts[1]
        while True:
            if _has_zero_lane(low, high) and _is_settled(events, place, end):
                variant = _zero_lane(low, high)
                variants[game] = variant
                answers[game] = _answer(events, place, end, wanted, variant)
                break
            if place == end:
                break
            change = _u(events[place]) & CHANGE_MASK
            low += deltas[change, 0]
            high += deltas[change, 1]
            place += ONE


@inline_kernel
def _is_settled(events, place, end):
    """Tell whether the next event is a move: setup is complete, captured stones are off."""
    return place == end or not events[place] & (REMOVAL | SETUP)


@kernel
def _answer(events, place, end, wanted, variant):
    """Return the place of the next move in the region; NONE if stones vanish before one comes."""
    while place < end:
        event = _u(events[place])
        if wanted[variant, event & POINT_MASK] != OUTSIDE:
            if event & REMOVAL:
                return NONE
            return np.int64(place)
        place += ONE
    return NONE
