"""Keys of patterns: what lies around a point, seen from the side to move.

A *pattern* of size 3, 5, 7 or 9 is the square around an empty point. Its key is a Zobrist hash
(A. Zobrist, 1970): one random number for each stone in the square, and one for each edge of the
board that is seen in it, joined by exclusive or. Larger squares contain the smaller ones, so each
*ring* of the square has a part of its own and the key of a size joins the rings up to it.

The eight *views* of a pattern (rotations, reflections) are computed side by side, eight numbers in
a row; the smallest of the eight keys stands for all of them.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    COLOURS,
    COLUMNS,
    DOWN,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    HEAD,
    LAST,
    LEFT,
    NOWHERE,
    POINTS,
    RIGHT,
    ROWS,
    STONES,
    STRIDE,
    TO_PLAY,
    UP,
    WALL,
)
from tengen.board.kernels.tactics import in_atari, is_eye_like
from tengen.core.compiler import inline_kernel, kernel

RADIUS = 4
SIDE = 2 * RADIUS + 1
RINGS = np.uintp(RADIUS)
VIEWS = np.uintp(8)
RING_CELLS = RINGS * VIEWS
"""Cells of memory for the rings of one point."""
BOARD_CELLS = POINTS * RING_CELLS
"""Cells of memory for the rings of all points."""

# What a pattern may contain beside stones and edges; bits of `marks`.
SYMMETRY, ATARI, KO_TAKEN, LAST_MOVE, SMALL_BOARD = (np.uintp(1 << bit) for bit in range(5))
"""All views are one pattern; neighbours in atari are marked; so are moves that take a ko; the
opponent's last move; and, for the largest square only, that the board is a small one."""
LARGEST_SMALL_BOARD = np.uintp(11)
"""Openings differ there: the middle of a 9x9 board sees no edge, but is no middle of a 19x19."""

OWN, ENEMY, IN_ATARI, JUST_PLAYED = (np.uintp(n) for n in range(4))
KINDS = np.uintp(4)
ONE = np.uintp(1)


def _views_of(row, column):
    """Return where each of the eight views puts an offset from the centre."""
    turned = [(row, column), (column, -row), (-row, -column), (-column, row)]
    return turned + [(r, -c) for r, c in turned]


def _cell(row, column):
    """Return the number of a cell of the square by its offset from the centre."""
    return (row + RADIUS) * SIDE + column + RADIUS


def _make_keys():
    """Return the keys of stones, of edges, of taking a ko, of small boards; fixed for all time."""
    draw = np.random.Generator(np.random.PCG64(2013)).integers
    stones = draw(0, 2**64, size=(SIDE * SIDE, int(KINDS)), dtype=np.uint64)
    # By the direction of the edge as an offset, and its distance from the centre.
    edges = draw(0, 2**64, size=(SIDE * SIDE, RADIUS + 1), dtype=np.uint64)
    ko, small = draw(0, 2**64, size=2, dtype=np.uint64)
    offsets = [(r, c) for r in range(-RADIUS, RADIUS + 1) for c in range(-RADIUS, RADIUS + 1)]
    views = np.array([[_cell(*seen) for seen in _views_of(r, c)] for r, c in offsets])
    sides = [_cell(-1, 0), _cell(0, -1), _cell(0, 1), _cell(1, 0)]
    stone_keys = stones[views].transpose(0, 2, 1)
    edge_keys = edges[views[sides]].transpose(0, 2, 1)
    return stone_keys.ravel().copy(), edge_keys.ravel().copy(), ko, small


STONE_KEYS, EDGE_KEYS, KO_KEY, SMALL_KEY = _make_keys()
"""Index them by `(cell * KINDS + kind) * VIEWS + view` and
`(side * (RADIUS + 1) + distance) * VIEWS + view`, sides in the order up, left, right, down."""


@inline_kernel
def flip_stone(rings, at, row, column, kind):
    """Put a stone, or a mark on it, at an offset from the centre into the rings at `at`."""
    ring = np.uintp(max(abs(row), abs(column)) - 1)
    cell = np.uintp((row + RADIUS) * SIDE + column + RADIUS)
    place = at + ring * VIEWS
    key = (cell * KINDS + kind) * VIEWS
    for view in range(VIEWS):
        rings[place + view] ^= STONE_KEYS[key + view]


@inline_kernel
def flip_edge(rings, at, side, distance):
    """Put an edge of the board into the rings at `at`, if the square reaches it."""
    if distance > np.uintp(RADIUS):
        return
    place = at + (distance - ONE) * VIEWS
    key = (side * np.uintp(RADIUS + 1) + distance) * VIEWS
    for view in range(VIEWS):
        rings[place + view] ^= EDGE_KEYS[key + view]


@inline_kernel
def _flip_all(rings, place, key):
    """Put what looks the same in all views into one ring."""
    for view in range(VIEWS):
        rings[place + view] ^= key


@inline_kernel
def takes_ko(block, point, colour):
    """Tell whether a move takes a ko: it captures one stone and can be captured back at once."""
    if not is_eye_like(block, point, COLOURS - colour):
        return False
    taken = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        head = np.uintp(block[HEAD + neighbour])
        if block[COLOUR + neighbour] != WALL and in_atari(block, head):
            taken += np.uintp(block[STONES + head])
    return taken == ONE


@kernel
def _add_marks(block, point, marks, rings, at):
    """Add what is marked beside stones and edges."""
    colour = np.uintp(block[TO_PLAY])
    if marks & ATARI:
        for offset, row, column in ((UP, -1, 0), (LEFT, 0, -1), (RIGHT, 0, 1), (DOWN, 1, 0)):
            beside = np.uintp(block[COLOUR + point + offset])
            if beside == EMPTY or beside == WALL:
                continue
            if in_atari(block, np.uintp(block[HEAD + point + offset])):
                flip_stone(rings, at, row, column, IN_ATARI)
    if marks & KO_TAKEN and takes_ko(block, point, colour):
        _flip_all(rings, at, KO_KEY)
    if marks & SMALL_BOARD and max(block[ROWS], block[COLUMNS]) <= LARGEST_SMALL_BOARD:
        _flip_all(rings, at + (RINGS - ONE) * VIEWS, SMALL_KEY)
    last = np.uintp(block[LAST])
    if marks & LAST_MOVE and last != NOWHERE and block[COLOUR + last] == COLOURS - colour:
        row = np.int64(last // STRIDE) - np.int64(point // STRIDE)
        column = np.int64(last % STRIDE) - np.int64(point % STRIDE)
        if max(abs(row), abs(column)) <= RADIUS:
            flip_stone(rings, at, row, column, JUST_PLAYED)


@inline_kernel
def least_view(rings, place, marks):
    """Return the key that stands for all views, or the first if each stands for itself."""
    least = rings[place]
    if marks & SYMMETRY:
        for view in range(VIEWS):
            least = min(least, rings[place + view])
    return least


@kernel
def finish_keys(block, point, marks, rings, at, keys):
    """Turn the stones in the rings at `at` into the keys of the four sizes."""
    row, column = point // STRIDE, point % STRIDE
    flip_edge(rings, at, np.uintp(0), row)
    flip_edge(rings, at, np.uintp(1), column)
    flip_edge(rings, at, np.uintp(2), np.uintp(block[COLUMNS]) + ONE - column)
    flip_edge(rings, at, np.uintp(3), np.uintp(block[ROWS]) + ONE - row)
    if marks & ~SYMMETRY:
        _add_marks(block, point, marks, rings, at)
    keys[0] = least_view(rings, at, marks)
    for ring in range(ONE, RINGS):
        place = at + ring * VIEWS
        for view in range(VIEWS):
            rings[place + view] ^= rings[place - VIEWS + view]
        keys[ring] = least_view(rings, place, marks)


@inline_kernel
def _reach(middle, length):
    """Return the limits of the rows or columns of a square, within the board."""
    return max(middle - RADIUS, 1), min(middle + RADIUS, np.int64(length)) + 1


@kernel
def point_keys(block, point, marks, rings, keys):
    """Write the keys of the patterns around one empty point into `keys`, the smallest first.

    `marks` says what a pattern contains; `rings` is scratch memory of RING_CELLS numbers.
    """
    for cell in range(RING_CELLS):
        rings[cell] = np.uint64(0)
    colour = np.uintp(block[TO_PLAY])
    top, left = np.int64(point // STRIDE), np.int64(point % STRIDE)
    for row in range(max(top - RADIUS, 1), min(top + RADIUS, np.int64(block[ROWS])) + 1):
        start = np.uintp(row) * STRIDE
        for column in range(
            max(left - RADIUS, 1), min(left + RADIUS, np.int64(block[COLUMNS])) + 1
        ):
            here = np.uintp(block[COLOUR + start + np.uintp(column)])
            if here != EMPTY:
                kind = OWN if here == colour else ENEMY
                flip_stone(rings, np.uintp(0), row - top, column - left, kind)
    finish_keys(block, point, marks, rings, np.uintp(0), keys)


@kernel
def _spread_stone(block, stone, kind, rings):
    """Put a stone into the rings of all empty points whose square contains it."""
    top, left = np.int64(stone // STRIDE), np.int64(stone % STRIDE)
    for row in range(*_reach(top, block[ROWS])):
        start = np.uintp(row) * STRIDE
        for column in range(*_reach(left, block[COLUMNS])):
            point = start + np.uintp(column)
            if block[COLOUR + point] == EMPTY:
                flip_stone(rings, point * RING_CELLS, top - row, left - column, kind)


@kernel
def spread_stones(block, rings):
    """Set `rings` (BOARD_CELLS numbers) to the stones around every empty point at once.

    Much faster than asking point by point: only stones cost time, and `finish_keys` at
    `point * RING_CELLS` then gives the keys. What lies at other points means nothing.
    """
    colour = np.uintp(block[TO_PLAY])
    for place in range(np.uintp(block[EMPTIES])):
        at = np.uintp(block[EMPTY_LIST + place]) * RING_CELLS
        for cell in range(RING_CELLS):
            rings[at + cell] = np.uint64(0)
    for row in range(ONE, np.uintp(block[ROWS]) + ONE):
        for column in range(ONE, np.uintp(block[COLUMNS]) + ONE):
            stone = row * STRIDE + column
            here = np.uintp(block[COLOUR + stone])
            if here != EMPTY:
                _spread_stone(block, stone, OWN if here == colour else ENEMY, rings)
