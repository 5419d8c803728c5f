"""Memory layout of a board.

A board is one `uint32` array of `CELLS` elements, the *block*: a header followed by fields of
`POINTS` elements each. With a single array, kernels pass one pointer and copy a board in one loop.

A *point* is an index into a field: `(row + 1) * STRIDE + column + 1`, row 0 at the top. The
stride is the same for all board sizes, so neighbor offsets are constants. WALL points surround the
board; the wall to the right of a row is also the wall to the left of the next one.

All constants are `np.uintp`: signed indices make Numba emit a wrap-around test on every access,
and mixing signed and unsigned 64-bit integers yields floats.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

MAX_SIZE = 19

_u = np.uintp

STRIDE = _u(20)
POINTS = _u(424)
"""Nineteen rows, a wall row above and below, and room for the last diagonal."""

EMPTY, BLACK, WHITE, WALL = _u(0), _u(1), _u(2), _u(3)
COLORS = _u(3)
"""The opponent of a color is `COLORS - color`."""

PASS = _u(0)
"""A move is a point or PASS. Point 0 is a wall point, so it cannot be a move."""

NOWHERE = _u(0)
"""No point, for example no ko. Also point 0."""

# Header.
ROWS, COLUMNS = _u(0), _u(1)
TO_PLAY = _u(2)
KO = _u(3)
"""The point that simple ko forbids to the side to move, or NOWHERE."""
EMPTY_COUNT = _u(4)
"""Number of empty points."""
HASH_LOW, HASH_HIGH = _u(5), _u(6)
"""Halves of the Zobrist hash of the stones, without the side to move."""
PRISONERS = _u(7)
"""PRISONERS + color: number of captured stones of that color (cells 8 and 9)."""
LAST, SECOND_LAST = _u(10), _u(11)
"""The last two moves; NOWHERE for a pass or no move."""
PASSES = _u(12)
"""Number of consecutive passes up to now."""
MOVES = _u(13)
"""Number of moves played, passes included."""
HEADER = _u(16)

# Fields. Those marked (chain) are valid only at the head of a chain.
COLOR = HEADER
HEAD = COLOR + POINTS
"""The head of a stone's chain: one of its points, the same for all its stones. NOWHERE without a
stone: counters at that head are written but never read, which saves branches."""
NEXT = HEAD + POINTS
"""The next stone of the chain, as a circular list."""
STONES = NEXT + POINTS
"""(chain) Number of stones."""
LIBERTIES = STONES + POINTS
"""(chain) Number of pseudo-liberties: pairs of a stone and an empty neighbor."""
LIBERTY_SUM = LIBERTIES + POINTS
"""(chain) Sum of the liberty points over those pairs."""
LIBERTY_SQUARES = LIBERTY_SUM + POINTS
"""(chain) Sum of their squares. The chain is in atari if and only if
count * squares == sum * sum (Cauchy-Schwarz)."""
EMPTY_LIST = LIBERTY_SQUARES + POINTS
"""The empty points, unordered."""
EMPTY_INDEX = EMPTY_LIST + POINTS
"""Index of an empty point in that list."""
NEIGHBORHOOD = EMPTY_INDEX + POINTS
"""The colors of the eight neighbors, two bits each, in the order of NEIGHBORS."""
CELLS = int(NEIGHBORHOOD + POINTS)

DOWN, RIGHT = STRIDE, _u(1)
UP, LEFT = _u(2**64 - 20), _u(2**64 - 1)
"""Unsigned offsets that wrap around: `point + UP` is `point - STRIDE`."""
DIAGONALS = (_u(2**64 - 21), _u(2**64 - 19), _u(19), _u(21))
NEIGHBORS = (DIAGONALS[0], UP, DIAGONALS[1], LEFT, RIGHT, DIAGONALS[2], DOWN, DIAGONALS[3])
"""All eight, row by row. The opposite of NEIGHBORS[n] is NEIGHBORS[7 - n]."""


def _random_keys():
    """Return both halves of a random key for each color and point; stored hashes depend on them."""
    keys = np.random.Generator(np.random.PCG64(361)).integers(
        0, 2**32, size=(2, int(COLORS * POINTS)), dtype=np.uint32
    )
    return keys[0], keys[1]


ZOBRIST_LOW, ZOBRIST_HIGH = _random_keys()
"""Indexed by `color * POINTS + point`."""

SITUATION_KEY = np.uint64(0x9E3779B97F4A7C15)
"""XORed into the hash when White is to play, for situational superko."""


@cache
def zobrist_keys() -> npt.NDArray[np.uint64]:
    """Return the 64-bit keys of stones, uint64 [3, POINTS]; row 0 is unused."""
    keys: npt.NDArray[np.uint64]
    keys = (ZOBRIST_HIGH.astype(np.uint64) << np.uint64(32)) | ZOBRIST_LOW
    keys.flags.writeable = False
    return keys.reshape(3, int(POINTS))
