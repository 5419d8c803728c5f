"""Event streams: a game as the sequence of stones added to and removed from the board.

An event has 16 bits: the point, the color of the stone, and the flags below. Captures are part of
the stream, so that a search needs no rules. A pass is an event at point 0. Setup stones come first;
the stones that a move captures come right after it.
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
)
from tengen.board.kernels.stones import play
from tengen.util.compiler import kernel

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
