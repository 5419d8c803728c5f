"""Opening moves of many games, each with the canonical key of the position before it.

Stones are hashed as the mover's own or the opponent's, in all eight symmetries; the key is the
lowest hash. The move is mapped by the symmetry with the lowest hash; if there are several because
the position is symmetric, to the lowest of the mapped points.
"""

import numpy as np

from tengen.board.kernels.layout import PASS
from tengen.records.kernels.game_search import COLOR_SHIFT, ONE, POINT_MASK, REMOVAL, SETUP
from tengen.util.compiler import inline_kernel, kernel

_u = np.uintp

SYMMETRIES = _u(8)
UNKNOWN, WON, LOST = np.uint8(0), np.uint8(1), np.uint8(2)
"""Result of a game for the player who made the move."""


@kernel
def _flip(hashes, symmetries, keys, event):
    """Add or remove a stone in the sixteen hashes: first for Black to move, then for White."""
    point = event & POINT_MASK
    color = (event >> COLOR_SHIFT) & _u(3)
    for symmetry in range(SYMMETRIES):
        mapped = symmetries[symmetry, point]
        hashes[0, symmetry] ^= keys[color, mapped]
        hashes[1, symmetry] ^= keys[_u(3) - color, mapped]


@kernel
def _key_and_move(hashes, symmetries, point):
    """Return the lowest of eight hashes, and the move mapped by its symmetry."""
    key = hashes[0]
    move = symmetries[0, point]
    for symmetry in range(ONE, SYMMETRIES):
        mapped = symmetries[symmetry, point]
        if hashes[symmetry] < key:
            key, move = hashes[symmetry], mapped
        elif hashes[symmetry] == key and mapped < move:
            move = mapped
    return key, move


@inline_kernel
def _have_same_color(event, following):
    """Return whether two events have the same color."""
    return ((event ^ following) >> COLOR_SHIFT) & _u(3) == _u(0)


@kernel
def write_steps(
    events,
    starts,
    winners,
    symmetries,
    keys,
    size_key,
    depth,
    hashes,
    step_keys,
    moves,
    results,
    event_indices,
):
    """Write up to `depth` moves of each game; return how many were written.

    Games with setup stones or two moves in a row are skipped, since they have a handicap. A game
    ends at its first pass. `hashes` is scratch; `event_indices` gets the event index of each move.
    """
    count = _u(0)
    for game in range(_u(len(starts)) - ONE):
        index, end = _u(starts[game]), _u(starts[game + ONE])
        if index < end and events[index] & SETUP:
            continue
        if index + ONE < end and _have_same_color(_u(events[index]), _u(events[index + ONE])):
            continue
        for view in range(_u(2)):
            for symmetry in range(SYMMETRIES):
                hashes[view, symmetry] = size_key
        number = _u(0)
        while index < end and number < depth:
            event = _u(events[index])
            point = event & POINT_MASK
            if point == PASS:
                break
            color = (event >> COLOR_SHIFT) & _u(3)
            step_keys[count], moves[count] = _key_and_move(hashes[color - ONE], symmetries, point)
            results[count] = UNKNOWN
            if winners[game]:
                results[count] = WON if winners[game] == color else LOST
            event_indices[count] = index
            count += ONE
            number += ONE
            _flip(hashes, symmetries, keys, event)
            index += ONE
            while index < end and events[index] & REMOVAL:
                _flip(hashes, symmetries, keys, _u(events[index]))
                index += ONE
    return count
