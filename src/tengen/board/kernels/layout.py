"""How a board lies in memory.

A board is one flat vector of `CELLS` unsigned 32-bit numbers, the *block*: a short header, then
one field after another, each `POINTS` long. One block means one pointer in the compiled code and
one loop to copy a board.

A *point* is an index into a field: `(row + 1) * STRIDE + column + 1`, row 0 at the top. The
stride is the same for every board size, so the offsets to the neighbours are constants. Around
the board lie WALL points; the wall to the right of a row is the wall to the left of the next.

All numbers are `np.uintp`: a signed index would make Numba emit a wrap-around test on every
access, and mixing signed with unsigned 64-bit numbers gives floats.
"""

import numpy as np

MAX_SIZE = 19

_u = np.uintp

STRIDE = _u(20)
POINTS = _u(424)
"""One wall row above and one below nineteen rows, and room for the last diagonal."""

EMPTY, BLACK, WHITE, WALL = _u(0), _u(1), _u(2), _u(3)
COLOURS = _u(3)
"""The opponent of a colour is `COLOURS - colour`."""

PASS = _u(0)
"""A move is a point or PASS. Point 0 is a wall, so it is free to mean this."""

NOWHERE = _u(0)
"""No point: no ko, no last move. Also a wall point."""

# The header.
ROWS, COLUMNS = _u(0), _u(1)
TO_PLAY = _u(2)
KO = _u(3)
"""The point that simple ko forbids to the side to move, or NOWHERE."""
EMPTIES = _u(4)
"""How many points are empty."""
HASH_LOW, HASH_HIGH = _u(5), _u(6)
"""The two halves of the Zobrist hash of the stones (the side to move is not part of it)."""
PRISONERS = _u(7)
"""PRISONERS + colour: how many stones of that colour were captured (cells 8 and 9)."""
LAST, LAST_BUT_ONE = _u(10), _u(11)
"""The last two moves; NOWHERE for a pass or for none."""
PASSES = _u(12)
"""How many passes in a row end the moves so far."""
MOVES = _u(13)
"""How many moves were played, passes included."""
HEADER = _u(16)

# The fields. Those marked (chain) are valid at the chain's head only.
COLOUR = HEADER
HEAD = COLOUR + POINTS
"""The head of the chain a stone belongs to: one of its points, the same for all of them.
NOWHERE where no stone is: what is counted for such a head means nothing, and costs no branch."""
NEXT = HEAD + POINTS
"""The next stone of the chain, in a ring."""
STONES = NEXT + POINTS
"""(chain) How many stones."""
LIBERTIES = STONES + POINTS
"""(chain) Pseudo-liberties: pairs of a stone and an empty neighbour."""
LIBERTY_SUM = LIBERTIES + POINTS
"""(chain) The sum of the liberty points over those pairs."""
LIBERTY_SQUARES = LIBERTY_SUM + POINTS
"""(chain) The sum of their squares. All liberties are one point if and only if
count * squares == sum * sum (Cauchy-Schwarz), which is how atari is seen at once."""
EMPTY_LIST = LIBERTY_SQUARES + POINTS
"""The empty points, in no order."""
EMPTY_PLACE = EMPTY_LIST + POINTS
"""Where an empty point stands in that list."""
AROUND = EMPTY_PLACE + POINTS
"""What the eight neighbours of a point are, two bits each, in the order of NEIGHBOURS."""
CELLS = int(AROUND + POINTS)

DOWN, RIGHT = STRIDE, _u(1)
UP, LEFT = _u(2**64 - 20), _u(2**64 - 1)
"""Offsets as unsigned numbers that wrap around: `point + UP` is `point - STRIDE`."""
DIAGONALS = (_u(2**64 - 21), _u(2**64 - 19), _u(19), _u(21))
NEIGHBOURS = (DIAGONALS[0], UP, DIAGONALS[1], LEFT, RIGHT, DIAGONALS[2], DOWN, DIAGONALS[3])
"""All eight, row by row. Seen from the one at place n, the point itself is at place 7 - n."""


def _zobrist_keys():
    """Return the two halves of a random key for each colour and point; fixed for all time."""
    keys = np.random.Generator(np.random.PCG64(361)).integers(
        0, 2**32, size=(2, int(COLOURS * POINTS)), dtype=np.uint32
    )
    return keys[0], keys[1]


ZOBRIST_LOW, ZOBRIST_HIGH = _zobrist_keys()
"""Index them by `colour * POINTS + point`."""

SITUATION_KEY = np.uint64(0x9E3779B97F4A7C15)
"""Mixed into the hash when White is to play, for situational superko."""
