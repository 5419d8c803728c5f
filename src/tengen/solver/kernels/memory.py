"""How the solver lies in memory.

A set of points is the bits of a word, point `row * columns + column` at its place; a *board* is
one word of 64 bits: Black's stones in the low half, White's in the high half. So a board fits
where it has at most 30 points, and it is its own exact hash key.

Two vectors hold everything but the transposition table: `words` (unsigned: the board's geometry,
the boards of the line searched, sets) and `numbers` (signed: settings, registers, history
heuristic, values). So a search can stop anywhere, be looked at, and go on.
"""

import numpy as np

_u = np.uintp

HALF_BITS = 32
HALF = np.uint64(HALF_BITS)
LOW_HALF = np.uint64(0xFFFFFFFF)
ZERO, ONE = np.uint64(0), np.uint64(1)
EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The set no board contains: all points black and all white."""

POINT_LIMIT = 30
PASS = 31
"""A move is a point or PASS."""
SYMMETRIES = 8
PLY_LIMIT = 512
"""Boards of the line: the game so far, and the search."""
DEEPEST = 254
PROVED = 255
"""The depth of a bound that needs no horizon."""
NO_PLY = 1 << 30
"""The ply on which a bound that holds after any history depends."""

# `words`: the geometry.
FULL, NOT_FIRST, NOT_LAST, COLUMNS, POINTS = _u(0), _u(1), _u(2), _u(3), _u(4)
"""All points, those not in the first and not in the last column, how many."""
SYMMETRY_COUNT = _u(5)
INVERSE = _u(8)
"""INVERSE + s: the symmetry that undoes s."""
BIT = _u(16)
"""BIT + b * SYMMETRIES + s: where symmetry s takes the bit b of a board, as a word."""
LIFE = BIT + _u(64 * SYMMETRIES)
"""Room for chains and regions."""
PATH = LIFE + _u(128)
"""PATH + ply * SYMMETRIES + s: the board at a ply as symmetry s shows it; s = 0 is itself."""
SETS = PATH + _u(PLY_LIMIT * SYMMETRIES)
"""SETS + ply * SETS_STRIDE: what follows, for each ply."""
LOW_SET, UP_SET = _u(0), _u(1)
"""The stones that all boards of the lower and of the upper bound's proof share."""
CHILDREN = _u(2)
"""CHILDREN + i: the board after the i-th move."""
SETS_STRIDE = _u(40)
WORDS = int(SETS + _u(PLY_LIMIT) * SETS_STRIDE)

# `numbers`: settings.
POWER, HORIZON, TABLE_BITS, FLAGS = _u(0), _u(1), _u(2), _u(3)
USE_TABLE, USE_HISTORY, USE_NULL_MOVE, USE_LIFE, USE_SYMMETRY = 1, 2, 4, 8, 16
LIMIT = _u(4)
"""No value lies above it: the number of points to the POWER."""
EVALUATE, BLACK_PROVES, WHITE_PROVES = 0, 1, 2
"""HORIZON: what a position at the end of the depth counts: its evaluation, or all against the
side that has something to prove."""
ROOT = _u(5)
"""The ply of the root; earlier boards are the game so far."""

# `numbers`: registers.
PLY, STATUS, NODES = _u(8), _u(9), _u(10)
RUNNING, DONE = 0, 1
VALUE = _u(11)
"""The value a node hands to its parent, from its own side to move, and its two bounds:"""
LOW, UP = _u(12), _u(14)
DEPENDS, IS_PROVED = _u(0), _u(1)
"""LOW + DEPENDS, ...: the lowest ply whose board it needs; whether it needs no horizon."""
ROOT_MOVE = _u(16)
PRIORITY = _u(32)
"""PRIORITY + point: centre high, corners low."""
HISTORY = PRIORITY + _u(32)
"""HISTORY + side * 32 + move: the history heuristic."""
FRAMES = HISTORY + _u(64)
"""FRAMES + ply * FRAME_STRIDE: what follows, for each ply."""
ALPHA, BETA, DEPTH, BEST, BEST_MOVE = _u(0), _u(1), _u(2), _u(3), _u(4)
F_LOW, F_UP = _u(5), _u(7)
"""As LOW and UP."""
MOVER, PASSES, COUNT, NEXT, CURRENT = _u(9), _u(10), _u(11), _u(12), _u(13)
CAPTURED = _u(14)
"""The ply of the first board after the last capture; then the same for Black's, White's loss."""
LOST = _u(15)
BEGUN = _u(17)
"""NODES when the node was entered."""
SYMMETRY = _u(18)
NULL = _u(20)
"""1 while the null move is searched, 2 after it."""
MOVES, SCORES = _u(24), _u(56)
FRAME_STRIDE = _u(88)
NUMBERS = int(FRAMES + _u(PLY_LIMIT) * FRAME_STRIDE)

# The table: entries of four words.
ENTRY_WORDS = _u(4)
KEY, ENTRY_LOW_SET, ENTRY_UP_SET, DATA = _u(0), _u(1), _u(2), _u(3)
