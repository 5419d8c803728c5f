"""3x3 patterns in playouts: MoGo's pattern set, and moves drawn by pattern odds (paper 004).

MoGo's patterns (S. Gelly, Y. Wang, R. Munos, O. Teytaud, Modification of UCT with Patterns in
Monte-Carlo Go, 2006) cover hane, cuts and moves at the edge. They are expanded into a table of all
4^8 neighborhoods.

Pattern odds depend on the 3x3 square around a neighbor of the last move, read clockwise from the
last move, and on which adjacent stones are in atari: a 19-bit code that indexes a table of odds
made by `tengen.sources.shape.answer_odds`.
"""

import itertools

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLOR,
    COLORS,
    DIAGONALS,
    DOWN,
    EMPTY,
    HEAD,
    KO,
    LEFT,
    NEIGHBORHOOD,
    PASS,
    RIGHT,
    UP,
    WALL,
    WHITE,
)
from tengen.board.kernels.tactics import in_atari
from tengen.playout.kernels.light import playable
from tengen.playout.kernels.random import random_below
from tengen.playout.kernels.self_atari import is_bad_self_atari
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
MAX_EYE_SPACE = np.uintp(6)
"""Points of the largest eye space with a vital point."""

MOGO_PATTERNS = (
    ("hane: enclosing", "XOX", "...", "???"),
    ("hane: non-cutting", "XO.", "...", "?.?"),
    ("hane: magari", "XO?", "X..", "o.?"),
    ("generic", ".O.", "X..", "..."),
    ("cut 1: unprotected cross-cut", "XO?", "O.x", "?x?"),
    ("cut 1: peeped", "XO?", "O.X", "???"),
    ("cut 2: de", "?X?", "O.O", "xxx"),
    ("cut: keima", "OX?", "x.O", "???"),
    ("side: chase", "X.?", "O.?", "###"),
    ("side: block", "OX?", "X.O", "###"),
    ("side: block a connection", "?X?", "o.O", "###"),
    ("side: sagari", "?XO", "o.o", "###"),
    ("side: cut", "?OX", "X.O", "###"),
)
"""X own, O enemy, . empty, x not own, o not enemy, # wall, ? anything; also with colors swapped."""

_CELL_VALUES = {
    ".": (0,),
    "X": (1,),
    "O": (2,),
    "#": (3,),
    "x": (0, 2, 3),
    "o": (0, 1, 3),
    "?": (0, 1, 2, 3),
}

_ORDER = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2))
"""Row and column of the neighbors in the order of neighborhood codes."""

CIRCLE = (UP, DIAGONALS[1], RIGHT, DIAGONALS[3], DOWN, DIAGONALS[2], LEFT, DIAGONALS[0])
"""The eight neighbors, clockwise: adjacent points at even places, diagonal ones at odd places."""
PLACES, OPPOSITE, LAST_PLACE = np.uintp(8), np.uintp(4), np.uintp(7)

# Bits of a pattern code: seven neighbors (two bits each, own stones as 1), ataris, and whether the
# last move is diagonal to the point.
ATARIS = np.uintp(14)
DIAGONAL = np.uintp(18)
PATTERN_CODES = 1 << 19

ODDS_UNIT = 1024
"""Table value of even odds (1:1)."""


def _orientations(rows):
    """Yield the pattern's eight rotations and reflections."""
    grid = [list(row) for row in rows]
    for _ in range(4):
        grid = [list(row) for row in zip(*grid[::-1], strict=True)]
        yield grid
        yield [row[::-1] for row in grid]


def _codes(grid):
    """Yield the code of every neighborhood that fits the grid."""
    choices = [_CELL_VALUES[grid[row][column]] for row, column in _ORDER]
    for cells in itertools.product(*choices):
        yield sum(cell << (2 * index) for index, cell in enumerate(cells))


def pattern_table():
    """Return whether a pattern matches, for each neighborhood code."""
    table = np.zeros(4**8, dtype=np.uint8)
    swap = str.maketrans("XOxo", "OXox")
    for _, *rows in MOGO_PATTERNS:
        for variant in (rows, [row.translate(swap) for row in rows]):
            for grid in _orientations(variant):
                table[list(_codes(grid))] = 1
    return table


FITS = np.uintp(1)
"""Bit of `NEIGHBORHOODS`: a pattern matches; a pattern for one side is one for the other."""
NO_EYE_SPACE = np.uintp(1)
"""Bit of `NEIGHBORHOODS`, shifted by a color: the point is not in an eye space of that color that
has three to six points, all empty."""


def _has_no_eye_space(cells, enemy):
    """Return which neighborhoods rule out an eye space: all points known to be in it are checked.

    `cells` is [codes, 8]: the colors of the neighbors.
    """
    adjacent = {1: cells[:, 1] == 0, 3: cells[:, 3] == 0, 4: cells[:, 4] == 0, 6: cells[:, 6] == 0}
    size = 1 + sum(empty.astype(int) for empty in adjacent.values())
    is_touched = (cells[:, list(adjacent)] == enemy).any(axis=1)
    for diagonal, one, other in ((0, 1, 3), (2, 1, 4), (5, 3, 6), (7, 4, 6)):
        is_linked = adjacent[one] | adjacent[other]
        size += is_linked & (cells[:, diagonal] == 0)
        is_touched |= is_linked & (cells[:, diagonal] == enemy)
    return is_touched | (size == 1) | (size > MAX_EYE_SPACE)


def neighborhood_table():
    """Return the bits of every neighborhood code."""
    codes = np.arange(4**8)
    cells = (codes[:, None] >> (2 * np.arange(8))) & 3
    table = pattern_table()
    for color in (BLACK, WHITE):
        is_excluded = _has_no_eye_space(cells, COLORS - color)
        table[is_excluded] |= np.uint8(NO_EYE_SPACE << color)
    return table


NEIGHBORHOODS = neighborhood_table()
"""What is known of an empty point by the colors around it, as bits."""


@inline_kernel
def swap_colors(code):
    """Return a neighborhood code with black and white swapped."""
    low = code & np.uintp(0x5555)
    high = (code >> np.uintp(1)) & np.uintp(0x5555)
    return (low << np.uintp(1)) | high


@inline_kernel
def fits_pattern(block, point):
    """Return whether a 3x3 pattern matches at the empty `point`, for either color."""
    return NEIGHBORHOODS[block[NEIGHBORHOOD + point]] & FITS != 0


@inline_kernel
def has_no_eye_space(block, point, color):
    """Return whether the colors around an empty point rule out an eye space of `color`."""
    return NEIGHBORHOODS[block[NEIGHBORHOOD + point]] & (NO_EYE_SPACE << color) != 0


@inline_kernel
def _stones_around(block, point, color):
    """Return the colors of the eight neighbors clockwise, two bits each, own stones as 1."""
    code = np.uintp(0)
    for place in range(PLACES):
        code |= np.uintp(block[COLOR + point + CIRCLE[place]]) << (place + place)
    return code if color == BLACK else swap_colors(code)


@inline_kernel
def _adjacent_ataris(block, point):
    """Return which of the points above, right, below and left hold a stone in atari."""
    ataris = np.uintp(0)
    for side in range(np.uintp(4)):
        neighbor = point + CIRCLE[side + side]
        occupant = block[COLOR + neighbor]
        if occupant != EMPTY and occupant != WALL:
            ataris |= np.uintp(in_atari(block, np.uintp(block[HEAD + neighbor]))) << side
    return ataris


@inline_kernel
def pattern_code(block, point, color, start):
    """Return the pattern code of the empty `point`, read clockwise from place `start`.

    Place `start` holds the last move, an enemy stone, which is not part of the code.
    """
    turn = start + start
    stones = _stones_around(block, point, color)
    stones = ((stones >> turn) | (stones << (np.uintp(16) - turn))) & np.uintp(0xFFFF)
    turn = (start + ONE) >> ONE
    ataris = _adjacent_ataris(block, point)
    ataris = ((ataris >> turn) | (ataris << (np.uintp(4) - turn))) & np.uintp(0xF)
    return (stones >> np.uintp(2)) | (ataris << ATARIS) | ((start & ONE) << DIAGONAL)


@inline_kernel
def _place_at(weights, share):
    """Return the first place where the cumulative weights exceed `share`."""
    place = np.uintp(0)
    while place < LAST_PLACE and share >= np.uintp(weights[place]):
        share -= np.uintp(weights[place])
        place += ONE
    return place


@kernel
def shape_move(block, last, color, random, odds, weights):
    """Return a neighbor of the last move, drawn in proportion to the odds of its pattern.

    Moves that are illegal, fill an own eye or are bad self-ataris are rejected. Return PASS if no
    move is left, or if `odds` does not have PATTERN_CODES entries. `weights` is scratch memory.
    """
    if len(odds) != PATTERN_CODES:
        return PASS
    total = np.uintp(0)
    for place in range(PLACES):
        point = last + CIRCLE[place]
        weights[place] = 0
        if block[COLOR + point] == EMPTY and point != block[KO]:
            start = (place + OPPOSITE) & LAST_PLACE
            weights[place] = odds[pattern_code(block, point, color, start)]
            total += np.uintp(weights[place])
    # Test only drawn moves; rejecting one keeps the proportions of the others.
    while total > np.uintp(0):
        place = _place_at(weights, np.uintp(random_below(random, total)))
        point = last + CIRCLE[place]
        if playable(block, point, color) and not is_bad_self_atari(block, point, color):
            return point
        total -= np.uintp(weights[place])
        weights[place] = 0
    return PASS
