"""3x3 patterns: is this a move that players like, by its eight neighbours alone?

The patterns are those of MoGo (S. Gelly, Y. Wang, R. Munos, O. Teytaud, Modification of UCT with
Patterns in Monte-Carlo Go, 2006): hane, cuts, and moves at the edge. X is the side to move. They
are expanded once into a table of all 4^8 neighbourhoods.
"""

import itertools

import numpy as np

from tengen.board.kernels.layout import AROUND
from tengen.core.compiler import inline_kernel

# X own, O enemy, . empty, x not own, o not enemy, # wall, ? anything. Both colours may be X.
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

MEANINGS = {
    ".": (0,),
    "X": (1,),
    "O": (2,),
    "#": (3,),
    "x": (0, 2, 3),
    "o": (0, 1, 3),
    "?": (0, 1, 2, 3),
}

# The neighbours in the order in which the board packs them (AROUND), two bits each.
_ORDER = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2))


def _orientations(rows):
    """Yield the pattern's eight rotations and reflections."""
    grid = [list(row) for row in rows]
    for _ in range(4):
        grid = [list(row) for row in zip(*grid[::-1], strict=True)]
        yield grid
        yield [row[::-1] for row in grid]


def _codes(grid):
    """Yield the code of every neighbourhood that fits the grid."""
    choices = [MEANINGS[grid[row][column]] for row, column in _ORDER]
    for cells in itertools.product(*choices):
        yield sum(cell << (2 * index) for index, cell in enumerate(cells))


def pattern_table():
    """Return, for each neighbourhood, whether a pattern fits."""
    table = np.zeros(4**8, dtype=np.uint8)
    swap = str.maketrans("XOxo", "OXox")
    for _, *rows in MOGO_PATTERNS:
        for variant in (rows, [row.translate(swap) for row in rows]):
            for grid in _orientations(variant):
                table[list(_codes(grid))] = 1
    return table


PATTERNS = pattern_table()
"""Symmetric in the two colours, as MoGo used them: good for one, good for the other."""


@inline_kernel
def swap_colours(code):
    """Return the neighbourhood with black and white exchanged; empty and wall stay."""
    low = code & np.uintp(0x5555)
    high = (code >> np.uintp(1)) & np.uintp(0x5555)
    return (low << np.uintp(1)) | high


@inline_kernel
def fits_pattern(block, point):
    """Tell whether a 3x3 pattern likes a move at the empty `point`, whoever plays it."""
    return PATTERNS[block[AROUND + point]] != 0
