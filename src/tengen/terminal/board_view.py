"""The board in colour, for a terminal."""

from rich.text import Text

from tengen.board.points import LETTERS, PASS, STRIDE, point_at
from tengen.board.position import Position

WOOD = "on #dcb35c"
GRID = f"#8a6d3b {WOOD}"
STONE_STYLES = {1: f"bold black {WOOD}", 2: f"bold bright_white {WOOD}"}
LAST_STYLES = {1: "bold black on #f2d58c", 2: "bold bright_white on #a8803a"}
FULL_MARKS, HOLLOW_MARKS, LETTER_MARKS = "·●●+", "·●○+", ".XO+"
"""Empty, Black, White and star point: with colours, without, and without Unicode."""
STAR_LINES = {9: (2, 4, 6), 13: (3, 6, 9), 19: (3, 9, 15)}


def board_text(position: Position, marks: str = FULL_MARKS) -> Text:
    """Return the board with coordinates; the last move stands between brackets."""
    letters = "    " + " ".join(LETTERS[: position.columns]) + "\n"
    text = Text(letters)
    for row in range(position.rows):
        number = f"{position.rows - row:2d}"
        text.append(f" {number}")
        for column in range(position.columns):
            _append_point(text, position, point_at(row, column), marks)
        _append_gap(text, position, point_at(row, position.columns))
        text.append(f" {number}\n")
    text.append(letters.rstrip("\n"))
    return text


def _append_point(text: Text, position: Position, point: int, marks: str) -> None:
    """Add a point: the gap before it, then its mark."""
    last = position.last_move
    _append_gap(text, position, point)
    colour = position.colour(point)
    if colour:
        style = LAST_STYLES[colour] if point == last else STONE_STYLES[colour]
        text.append(marks[colour], style=style)
    else:
        text.append(marks[3 if _is_star(position, point) else 0], style=GRID)


def _append_gap(text: Text, position: Position, point: int) -> None:
    """Add what stands before a point, or after the last of a row: a bracket beside a last move."""
    last = position.last_move
    if last in (None, PASS) or last not in (point, point - 1):
        text.append(" ", style=GRID)
    else:
        text.append("(" if point == last else ")", style=f"bold red {WOOD}")


def _is_star(position: Position, point: int) -> bool:
    lines = STAR_LINES.get(position.rows, ())
    if position.rows != position.columns:
        return False
    row, column = point // STRIDE - 1, point % STRIDE - 1
    if position.rows == 9 and (row == 4) != (column == 4):
        return False
    return row in lines and column in lines
