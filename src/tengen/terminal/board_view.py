"""The board in colour, for a terminal."""

from rich.text import Text

from tengen.board.points import LETTERS, STRIDE, point_at
from tengen.board.position import Position

WOOD = "on #dcb35c"
GRID = f"#8a6d3b {WOOD}"
STONE_STYLES = {1: f"bold black {WOOD}", 2: f"bold bright_white {WOOD}"}
LAST_STYLES = {1: "bold black on #f2d58c", 2: "bold bright_white on #a8803a"}
STAR_LINES = {9: (2, 4, 6), 13: (3, 6, 9), 19: (3, 9, 15)}


def board_text(position: Position, coloured: bool = True) -> Text:
    """Return the board with coordinates; the last move stands between brackets.

    Without colours White's stones are drawn hollow.
    """
    letters = "    " + " ".join(LETTERS[: position.columns]) + "\n"
    text = Text(letters)
    for row in range(position.rows):
        number = f"{position.rows - row:2d}"
        text.append(f" {number}")
        for column in range(position.columns):
            _append_point(text, position, point_at(row, column), coloured)
        text.append(" ", style=WOOD)
        text.append(f" {number}\n")
    text.append(letters.rstrip("\n"))
    return text


def _append_point(text: Text, position: Position, point: int, coloured: bool) -> None:
    """Add a point: the gap before it, then its mark."""
    last = position.last_move
    before = "(" if point == last else ")" if point - 1 == last and _same_row(point, last) else " "
    text.append(before, style=GRID if before == " " else f"bold red {WOOD}")
    colour = position.colour(point)
    if colour:
        style = LAST_STYLES[colour] if point == last else STONE_STYLES[colour]
        text.append("●" if colour == 1 or coloured else "○", style=style)
    else:
        text.append("+" if _is_star(position, point) else "·", style=GRID)


def _same_row(point: int, other: int) -> bool:
    return point // STRIDE == other // STRIDE


def _is_star(position: Position, point: int) -> bool:
    lines = STAR_LINES.get(position.rows, ())
    if position.rows != position.columns:
        return False
    row, column = point // STRIDE - 1, point % STRIDE - 1
    if position.rows == 9 and (row == 4) != (column == 4):
        return False
    return row in lines and column in lines
