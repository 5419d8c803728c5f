"""Points, rows and columns, and how people write them.

A point is a number on the padded board of the kernels. A *vertex* is its GTP text: a letter
without I, then the row number from the bottom, or `pass`.
"""

from tengen.board.kernels import layout
from tengen.core.errors import TengenError

PASS = int(layout.PASS)
STRIDE = int(layout.STRIDE)
MAX_SIZE = layout.MAX_SIZE
AROUND = (-STRIDE, -1, 1, STRIDE)
"""From a point to its four neighbours."""
LETTERS = "ABCDEFGHJKLMNOPQRST"


def point_at(row: int, column: int) -> int:
    """Return the point at row and column, both from 0, row 0 at the top."""
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
    """Return the GTP text of a move on a board of that many rows."""
    if move == PASS:
        return "pass"
    return f"{LETTERS[column_of(move)]}{rows - row_of(move)}"


def parse_vertex(text: str, rows: int, columns: int) -> int:
    """Return the move that `text` names; raise TengenError if it is not on the board."""
    name = text.strip().upper()
    if name == "PASS":
        return PASS
    column = LETTERS.find(name[:1]) if name else -1
    number = name[1:]
    if column < 0 or not (number.isascii() and number.isdigit()):
        raise TengenError(f"invalid vertex {text!r}: write it like D4, or pass")
    row = rows - int(number) if len(number) < 4 else -1
    if column >= columns or not 0 <= row < rows:
        raise TengenError(f"vertex {text!r} is outside the {columns}x{rows} board")
    return point_at(row, column)


def check_size(rows: int, columns: int) -> None:
    """Raise TengenError unless the board is one we can play on."""
    if not (1 <= rows <= MAX_SIZE and 1 <= columns <= MAX_SIZE):
        raise TengenError(f"unacceptable size {columns}x{rows}: from 1x1 to 19x19")


def parse_size(text: str) -> tuple[int, int]:
    """Read `9` or `7x9` (columns x rows) and return (rows, columns)."""
    columns, cross, rows = text.lower().partition("x")
    try:
        size = int(rows if cross else columns), int(columns)
    except ValueError:
        raise TengenError(f"invalid size {text!r}: write it like 9 or 7x9") from None
    check_size(*size)
    return size
