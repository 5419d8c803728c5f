"""Points, GTP vertices, board sizes, star points, handicap points and symmetries.

A *point* is an index on the padded board of the kernels. A *vertex* is the GTP text of a move: a
column letter without I and a row number counted from the bottom, or `pass`.

Symmetries are tables of points: eight for square boards, four for others. Symmetry `s` first
mirrors top and bottom if bit 0 is set, then left and right if bit 1 is set, then transposes if bit
2 is set. Symmetry 0 is the identity.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout
from tengen.util import TengenError

PASS = int(layout.PASS)
STRIDE = int(layout.STRIDE)
MAX_SIZE = layout.MAX_SIZE
NEIGHBOR_OFFSETS = (-STRIDE, -1, 1, STRIDE)
"""Offsets from a point to its four neighbors."""
LETTERS = "ABCDEFGHJKLMNOPQRST"

HANDICAP_KOMI = 0.5
"""Default komi of handicap games; it only prevents draws."""
_MIN_HANDICAP_SIZE = 7
_FOURTH_LINE_SIZE = 13
"""Smallest board with star points on the fourth line instead of the third."""


def point_at(row: int, column: int) -> int:
    """Return the point at a zero-based row and column, row 0 at the top."""
    return (row + 1) * STRIDE + column + 1


def row_of(point: int) -> int:
    """Return the row of a point, 0 at the top."""
    return point // STRIDE - 1


def column_of(point: int) -> int:
    """Return the column of a point, 0 at the left."""
    return point % STRIDE - 1


def board_points(rows: int, columns: int) -> list[int]:
    """Return all points of a board, row by row from the top left."""
    return [point_at(row, column) for row in range(rows) for column in range(columns)]


def vertex(move: int, rows: int) -> str:
    """Return the vertex of a move on a board with that many rows."""
    if move == PASS:
        return "pass"
    return f"{LETTERS[column_of(move)]}{rows - row_of(move)}"


def parse_vertex(text: str, rows: int, columns: int) -> int:
    """Parse a vertex; raise TengenError if it is invalid or not on the board."""
    name = text.strip().upper()
    if name == "PASS":
        return PASS
    column = LETTERS.find(name[:1]) if name else -1
    number = name[1:]
    if column < 0 or not (number.isascii() and number.isdigit()):
        raise TengenError(f"invalid vertex {text!r}: use a letter and a number like D4, or pass")
    row = rows - int(number) if len(number) < 4 else -1
    if column >= columns or not 0 <= row < rows:
        raise TengenError(f"vertex {text!r} is outside the {columns}x{rows} board")
    return point_at(row, column)


def check_size(rows: int, columns: int) -> None:
    """Raise TengenError unless the size is from 1x1 to 19x19."""
    if not (1 <= rows <= MAX_SIZE and 1 <= columns <= MAX_SIZE):
        raise TengenError(f"unacceptable size {columns}x{rows}: use 1x1 to 19x19")


def parse_size(text: str) -> tuple[int, int]:
    """Parse `9` or `7x9` (columns x rows) and return (rows, columns)."""
    columns, cross, rows = text.lower().partition("x")
    try:
        size = int(rows if cross else columns), int(columns)
    except ValueError:
        raise TengenError(f"invalid size {text!r}: use a number like 9, or 7x9") from None
    check_size(*size)
    return size


def star_points(rows: int, columns: int) -> set[tuple[int, int]]:
    """Return the star points as zero-based (row, column): corners, center, and sides from 15x15.

    `web/page/coordinates.js` has the same function.
    """
    has_sides = min(rows, columns) >= 15
    return {
        (row, column)
        for row in _star_lines(rows)
        for column in _star_lines(columns)
        if has_sides or (2 * row + 1 == rows) == (2 * column + 1 == columns)
    }


def _star_lines(length: int) -> list[int]:
    """Return the lines with star points: near the edges, and the middle of an odd length."""
    middle = [length // 2] if length % 2 and length != 7 else []
    if length < 7:
        return middle
    edge = 3 if length >= _FOURTH_LINE_SIZE else 2
    return [edge, *middle, length - 1 - edge]


def max_fixed_handicap(rows: int, columns: int) -> int:
    """Return the maximum number of fixed handicap stones."""
    if min(rows, columns) < _MIN_HANDICAP_SIZE:
        return 0
    has_middle = rows % 2 == 1 and columns % 2 == 1
    return 9 if has_middle and min(rows, columns) > _MIN_HANDICAP_SIZE else 4


def fixed_handicap_points(rows: int, columns: int, count: int) -> list[int]:
    """Return the points of a fixed handicap in the order of the GTP standard; raise TengenError."""
    most = max_fixed_handicap(rows, columns)
    if not 2 <= count <= most:
        allowed = f"use 2 to {most}" if most else "the board is too small for handicap"
        raise TengenError(f"invalid number of stones: {count}; {allowed}")
    line = 3 if min(rows, columns) >= _FOURTH_LINE_SIZE else 2
    top, bottom, middle = line, rows - 1 - line, rows // 2
    left, right, center = line, columns - 1 - line, columns // 2
    corners = [(bottom, left), (top, right), (top, left), (bottom, right)]
    sides = [(middle, left), (middle, right), (bottom, center), (top, center)]
    places = (corners + sides)[: count - count % 2] if count > 4 else corners[:count]
    if count > 4 and count % 2:
        places.append((middle, center))
    return [point_at(row, column) for row, column in places]


def free_handicap_points(rows: int, columns: int, count: int) -> list[int]:
    """Return points for a free handicap: the fixed ones, at most as many as there are."""
    most = max_fixed_handicap(rows, columns)
    if most < 2:
        raise TengenError("invalid number of stones")
    return fixed_handicap_points(rows, columns, min(count, most))


PointTable = npt.NDArray[np.uint16]
"""Image of each padded point, one row per symmetry: uint16 [symmetries, POINTS]."""


@lru_cache(maxsize=64)
def symmetries(rows: int, columns: int) -> PointTable:
    """Return the image of each point under each symmetry; PASS and walls stay fixed."""
    count = 8 if rows == columns else 4
    table = np.tile(np.arange(int(layout.POINTS), dtype=np.uint16), (count, 1))
    row, column = np.divmod(np.arange(rows * columns), columns)
    points = _points(row, column)
    for symmetry in range(count):
        new_row = rows - 1 - row if symmetry & 1 else row
        new_column = columns - 1 - column if symmetry & 2 else column
        if symmetry & 4:
            new_row, new_column = new_column, new_row
        table[symmetry, points] = _points(new_row, new_column)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=64)
def inverse_symmetries(rows: int, columns: int) -> PointTable:
    """Return the table of inverses: row `s` reverts symmetry `s`."""
    inverse = np.argsort(symmetries(rows, columns), axis=1).astype(np.uint16)
    inverse.flags.writeable = False
    return inverse


@lru_cache(maxsize=64)
def eight_symmetries(rows: int, columns: int) -> PointTable:
    """Return a table with eight rows; on non-square boards each symmetry occurs twice."""
    table = symmetries(rows, columns)
    return np.concatenate([table] * (8 // len(table)))


def _points(row: npt.NDArray[np.intp], column: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    return (row + 1) * int(layout.STRIDE) + column + 1
