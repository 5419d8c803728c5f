"""A game as a stream of events: every stone put on the board and every stone taken off it.

An event is 16 bits: the point, the colour of the stone, and marks. Captures are in the stream,
so that a search need not know the rules: it follows stones that come and go. A pass is a move at
point 0. Setup stones come first, and the stones that a move captures come right after it.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    COLOURS,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    KO,
    NOWHERE,
    PASS,
    POINTS,
    TO_PLAY,
)
from tengen.board.kernels.stones import play
from tengen.core.compiler import kernel

_u = np.uintp

POINT_MASK = _u(511)
COLOUR_SHIFT = _u(9)
REMOVAL = _u(1 << 11)
"""The stone is taken off the board."""
SETUP = _u(1 << 12)
"""The stone was there before the first move."""
CHANGE_MASK = REMOVAL | _u(2047)
"""The bits of an event that say which stone comes or goes: point, colour, and REMOVAL."""
ONE = _u(1)

STONE_WORDS = _u(14)
"""Words of 64 bits that hold a bit for each colour and point: 2 * POINTS bits."""


@kernel
def write_events(block, colours, moves, events, count):
    """Play legal moves on the block, writing events from `count` on; return the new count."""
    for index in range(_u(len(moves))):
        move, colour = _u(moves[index]), _u(colours[index])
        if block[TO_PLAY] != colour:
            block[TO_PLAY] = colour
            block[KO] = NOWHERE
        events[count] = move | (colour << COLOUR_SHIFT)
        count += ONE
        before = _u(block[EMPTIES])
        play(block, move)
        if move == PASS:
            continue
        # Stones taken off join the end of the list of empty points, which `move` has left.
        taken = COLOURS - colour
        if block[COLOUR + move] == EMPTY:
            taken = colour
        for place in range(before - ONE, _u(block[EMPTIES])):
            stone = _u(block[EMPTY_LIST + place])
            events[count] = stone | (taken << COLOUR_SHIFT) | REMOVAL
            count += ONE
    return count


@kernel
def note_stones(events, starts, stones):
    """Set in `stones[game]` the bit of every colour and point that ever held a stone."""
    for game in range(_u(len(starts)) - ONE):
        for place in range(_u(starts[game]), _u(starts[game + ONE])):
            event = _u(events[place])
            point = event & POINT_MASK
            if point != PASS:
                bit = (((event >> COLOUR_SHIFT) & _u(3)) - ONE) * POINTS + point
                stones[game, bit >> _u(6)] |= np.uint64(1) << np.uint64(bit & _u(63))
