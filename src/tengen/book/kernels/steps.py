"""The first moves of many games, each with the key of the position before it.

The key is the same for a position however it is turned and whichever colour is to move: stones
are hashed as the mover's own or the opponent's, in all eight symmetries, and the least hash is
the key. A move is turned by the symmetry that gave the least; where several did, because the
position is symmetric, the least point of those it may be turned to is taken.
"""

import numpy as np

from tengen.board.kernels.layout import PASS
from tengen.core.compiler import inline_kernel, kernel
from tengen.database.kernels.events import COLOUR_SHIFT, ONE, POINT_MASK, REMOVAL, SETUP

_u = np.uintp

SYMMETRIES = _u(8)
UNKNOWN, WON, LOST = np.uint8(0), np.uint8(1), np.uint8(2)
"""The result of a step, for who made it."""


@kernel
def _flip(hashes, turns, keys, event):
    """Put a stone into the sixteen hashes, or take it out: Black's eyes first, then White's."""
    point = event & POINT_MASK
    colour = (event >> COLOUR_SHIFT) & _u(3)
    for symmetry in range(SYMMETRIES):
        turned = turns[symmetry, point]
        hashes[0, symmetry] ^= keys[colour, turned]
        hashes[1, symmetry] ^= keys[_u(3) - colour, turned]


@kernel
def _key_and_move(hashes, turns, point):
    """Return the least of eight hashes, and the move as that symmetry turns it."""
    key = hashes[0]
    move = turns[0, point]
    for symmetry in range(ONE, SYMMETRIES):
        turned = turns[symmetry, point]
        if hashes[symmetry] < key:
            key, move = hashes[symmetry], turned
        elif hashes[symmetry] == key and turned < move:
            move = turned
    return key, move


@inline_kernel
def _is_by_the_same(event, following):
    """Tell whether two events are of the same colour."""
    return ((event ^ following) >> COLOUR_SHIFT) & _u(3) == _u(0)


@kernel
def write_steps(
    events, starts, winners, turns, keys, size_key, depth, hashes, step_keys, moves, results, places
):
    """Write up to `depth` steps of each game; return how many were written.

    Games with setup or with two moves in a row are left out: they have a handicap. A game ends at
    its first pass. `hashes` is scratch. `places`
    gets where in the events each move stands.
    """
    count = _u(0)
    for game in range(_u(len(starts)) - ONE):
        place, end = _u(starts[game]), _u(starts[game + ONE])
        if place < end and events[place] & SETUP:
            continue
        if place + ONE < end and _is_by_the_same(_u(events[place]), _u(events[place + ONE])):
            continue
        for view in range(_u(2)):
            for symmetry in range(SYMMETRIES):
                hashes[view, symmetry] = size_key
        number = _u(0)
        while place < end and number < depth:
            event = _u(events[place])
            point = event & POINT_MASK
            if point == PASS:
                break
            colour = (event >> COLOUR_SHIFT) & _u(3)
            step_keys[count], moves[count] = _key_and_move(hashes[colour - ONE], turns, point)
            results[count] = UNKNOWN
            if winners[game]:
                results[count] = WON if winners[game] == colour else LOST
            places[count] = place
            count += ONE
            number += ONE
            _flip(hashes, turns, keys, event)
            place += ONE
            while place < end and events[place] & REMOVAL:
                _flip(hashes, turns, keys, _u(events[place]))
                place += ONE
    return count
