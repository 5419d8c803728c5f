"""The board in colour, for a terminal."""

from rich.text import Text

from tengen.board.points import LETTERS, PASS, column_of, point_at, row_of
from tengen.board.position import Position
from tengen.board.stars import star_points

WOOD = "on #dcb35c"
GRID = f"#8a6d3b {WOOD}"
STONE_STYLES = {1: f"bold black {WOOD}", 2: f"bold bright_white {WOOD}"}
LAST_STYLES = {1: "bold black on #f2d58c", 2: "bold bright_white on #a8803a"}
FULL_MARKS, HOLLOW_MARKS, LETTER_MARKS = "·●●+", "·●○+", ".XO+"
"""Empty, Black, White and star point: with colours, without, and without Unicode."""


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
        is_star = (row_of(point), column_of(point)) in star_points(position.rows, position.columns)
        text.append(marks[3 if is_star else 0], style=GRID)


def _append_gap(text: Text, position: Position, point: int) -> None:
    """Add what stands before a point, or after the last of a row: a bracket beside a last move."""
    last = position.last_move
    if last in (None, PASS) or last not in (point, point - 1):
        text.append(" ", style=GRID)
    else:
        text.append("(" if point == last else ")", style=f"bold red {WOOD}")
