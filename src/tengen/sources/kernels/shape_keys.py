"""Zobrist keys of the patterns around a point, from the side to move's point of view.

A *pattern* of size 3, 5, 7 or 9 is the square around an empty point. Its key is a Zobrist hash (A.
Zobrist, 1970): the exclusive or of one random number per stone in the square and one per board edge
visible in it. Larger squares contain the smaller ones, so each *ring* of the square has its own
partial hash, and the key of a size joins the rings up to that size.

The eight *views* of a pattern (rotations and reflections) are computed side by side; the smallest
of the eight keys represents all of them.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    COLUMNS,
    DOWN,
    EMPTY,
    EMPTY_COUNT,
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
from tengen.util.compiler import inline_kernel, kernel

RADIUS = 4
SIDE = 2 * RADIUS + 1
RINGS = np.uintp(RADIUS)
VIEWS = np.uintp(8)
RING_CELLS = RINGS * VIEWS
"""Cells for the rings of one point."""
BOARD_CELLS = POINTS * RING_CELLS
"""Cells for the rings of all points."""

# Bits of `marks`: optional parts of a pattern.
SYMMETRY, ATARI, KO_TAKEN, LAST_MOVE, SMALL_BOARD = (np.uintp(1 << bit) for bit in range(5))
"""All views are one pattern; adjacent chains in atari; moves that capture a ko; the opponent's last
move; and, for the largest square only, that the board is small."""
LARGEST_SMALL_BOARD = np.uintp(11)
"""Openings on small boards differ: the center of a 9x9 board sees no edge, but is unlike the center
of a 19x19 board."""

OWN, ENEMY, IN_ATARI, JUST_PLAYED = (np.uintp(n) for n in range(4))
KINDS = np.uintp(4)
ONE = np.uintp(1)


def _views_of(row, column):
    """Return where each of the eight views puts an offset from the center."""
    turned = [(row, column), (column, -row), (-row, -column), (-column, row)]
    return turned + [(r, -c) for r, c in turned]


def _cell(row, column):
    """Return the index of a cell of the square by its offset from the center."""
    return (row + RADIUS) * SIDE + column + RADIUS


def _make_keys():
    """Return the fixed random keys of stones, edges, ko captures and small boards."""
    draw = np.random.Generator(np.random.PCG64(2013)).integers
    stones = draw(0, 2**64, size=(SIDE * SIDE, int(KINDS)), dtype=np.uint64)
    # Indexed by the direction of the edge as an offset, and its distance from the center.
    edges = draw(0, 2**64, size=(SIDE * SIDE, RADIUS + 1), dtype=np.uint64)
    ko, small = draw(0, 2**64, size=2, dtype=np.uint64)
    offsets = [(r, c) for r in range(-RADIUS, RADIUS + 1) for c in range(-RADIUS, RADIUS + 1)]
    views = np.array([[_cell(*seen) for seen in _views_of(r, c)] for r, c in offsets])
    sides = [_cell(-1, 0), _cell(0, -1), _cell(0, 1), _cell(1, 0)]
    stone_keys = stones[views].transpose(0, 2, 1)
    edge_keys = edges[views[sides]].transpose(0, 2, 1)
    return stone_keys.ravel().copy(), edge_keys.ravel().copy(), ko, small


STONE_KEYS, EDGE_KEYS, KO_KEY, SMALL_KEY = _make_keys()
"""Indexed by `(cell * KINDS + kind) * VIEWS + view` and `(side * (RADIUS + 1) + distance) * VIEWS +
view`, with sides in the order up, left, right, down."""


@inline_kernel
def flip_stone(rings, at, row, column, kind):
    """Toggle a stone, or a mark on it, at an offset from the center in the rings at `at`."""
    ring = np.uintp(max(abs(row), abs(column)) - 1)
    cell = np.uintp((row + RADIUS) * SIDE + column + RADIUS)
    place = at + ring * VIEWS
    key = (cell * KINDS + kind) * VIEWS
    for view in range(VIEWS):
        rings[place + view] ^= STONE_KEYS[key + view]


@inline_kernel
def flip_edge(rings, at, side, distance):
    """Toggle an edge of the board in the rings at `at`, if the square reaches it."""
    if distance > np.uintp(RADIUS):
        return
    place = at + (distance - ONE) * VIEWS
    key = (side * np.uintp(RADIUS + 1) + distance) * VIEWS
    for view in range(VIEWS):
        rings[place + view] ^= EDGE_KEYS[key + view]


@inline_kernel
def _flip_all(rings, place, key):
    """Toggle a key that is the same in all views in one ring."""
    for view in range(VIEWS):
        rings[place + view] ^= key


@inline_kernel
def takes_ko(block, point, color):
    """Return whether a move captures a ko: one stone that could immediately be recaptured."""
    if not is_eye_like(block, point, COLORS - color):
        return False
    taken = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        head = np.uintp(block[HEAD + neighbor])
        if block[COLOR + neighbor] != WALL and in_atari(block, head):
            taken += np.uintp(block[STONES + head])
    return taken == ONE


@kernel
def _add_marks(block, point, marks, rings, at):
    """Add the optional parts of a pattern."""
    color = np.uintp(block[TO_PLAY])
    if marks & ATARI:
        for offset, row, column in ((UP, -1, 0), (LEFT, 0, -1), (RIGHT, 0, 1), (DOWN, 1, 0)):
            neighbor_color = np.uintp(block[COLOR + point + offset])
            if neighbor_color == EMPTY or neighbor_color == WALL:
                continue
            if in_atari(block, np.uintp(block[HEAD + point + offset])):
                flip_stone(rings, at, row, column, IN_ATARI)
    if marks & KO_TAKEN and takes_ko(block, point, color):
        _flip_all(rings, at, KO_KEY)
    if marks & SMALL_BOARD and max(block[ROWS], block[COLUMNS]) <= LARGEST_SMALL_BOARD:
        _flip_all(rings, at + (RINGS - ONE) * VIEWS, SMALL_KEY)
    last = np.uintp(block[LAST])
    if marks & LAST_MOVE and last != NOWHERE and block[COLOR + last] == COLORS - color:
        row = np.int64(last // STRIDE) - np.int64(point // STRIDE)
        column = np.int64(last % STRIDE) - np.int64(point % STRIDE)
        if max(abs(row), abs(column)) <= RADIUS:
            flip_stone(rings, at, row, column, JUST_PLAYED)


@inline_kernel
def least_view(rings, place, marks):
    """Return the smallest key of all views, or the first key if views are distinct patterns."""
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
    """Return the range of rows or columns of a square, clipped to the board."""
    return max(middle - RADIUS, 1), min(middle + RADIUS, np.int64(length)) + 1


@kernel
def point_keys(block, point, marks, rings, keys):
    """Write the keys of the patterns around one empty point into `keys`, the smallest size first.

    `marks` selects the optional parts of a pattern; `rings` is scratch memory of RING_CELLS cells.
    """
    for cell in range(RING_CELLS):
        rings[cell] = np.uint64(0)
    color = np.uintp(block[TO_PLAY])
    top, left = np.int64(point // STRIDE), np.int64(point % STRIDE)
    for row in range(max(top - RADIUS, 1), min(top + RADIUS, np.int64(block[ROWS])) + 1):
        start = np.uintp(row) * STRIDE
        for column in range(
            max(left - RADIUS, 1), min(left + RADIUS, np.int64(block[COLUMNS])) + 1
        ):
            here = np.uintp(block[COLOR + start + np.uintp(column)])
            if here != EMPTY:
                kind = OWN if here == color else ENEMY
                flip_stone(rings, np.uintp(0), row - top, column - left, kind)
    finish_keys(block, point, marks, rings, np.uintp(0), keys)


@kernel
def _spread_stone(block, stone, kind, rings):
    """Toggle a stone in the rings of all empty points whose square contains it."""
    top, left = np.int64(stone // STRIDE), np.int64(stone % STRIDE)
    for row in range(*_reach(top, block[ROWS])):
        start = np.uintp(row) * STRIDE
        for column in range(*_reach(left, block[COLUMNS])):
            point = start + np.uintp(column)
            if block[COLOR + point] == EMPTY:
                flip_stone(rings, point * RING_CELLS, top - row, left - column, kind)


@kernel
def spread_stones(block, rings):
    """Set `rings` (BOARD_CELLS cells) to the stones around every empty point.

    Much faster than `point_keys` for every point, because only stones cost time. `finish_keys` at
    `point * RING_CELLS` then gives the keys. Cells of other points are undefined.
    """
    color = np.uintp(block[TO_PLAY])
    for place in range(np.uintp(block[EMPTY_COUNT])):
        at = np.uintp(block[EMPTY_LIST + place]) * RING_CELLS
        for cell in range(RING_CELLS):
            rings[at + cell] = np.uint64(0)
    for row in range(ONE, np.uintp(block[ROWS]) + ONE):
        for column in range(ONE, np.uintp(block[COLUMNS]) + ONE):
            stone = row * STRIDE + column
            here = np.uintp(block[COLOR + stone])
            if here != EMPTY:
                _spread_stone(block, stone, OWN if here == color else ENEMY, rings)
