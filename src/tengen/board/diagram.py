"""Boards as text: `X` Black, `O` White, `.` empty, one row a line."""

from collections.abc import Callable

from tengen.board.points import LETTERS, point_at
from tengen.core.errors import TengenError

STONES = {".": 0, "+": 0, "X": 1, "#": 1, "B": 1, "O": 2, "0": 2, "W": 2}


def parse_diagram(text: str) -> list[list[int]]:
    """Return rows of colours from a diagram; raise TengenError if it is not one.

    Blanks and empty lines are ignored, `/` may end a row instead of a line break; both lower and
    upper case are read.
    """
    lines = [line.replace(" ", "").upper() for line in text.replace("/", "\n").splitlines()]
    rows = [line for line in lines if line]
    if not rows or len({len(row) for row in rows}) != 1:
        raise TengenError("a diagram needs rows of equal length")
    unknown = set("".join(rows)) - set(STONES)
    if unknown:
        raise TengenError(f"unknown characters in diagram: {''.join(sorted(unknown))}")
    return [[STONES[character] for character in row] for row in rows]


def draw(rows: int, columns: int, cell: Callable[[int], str]) -> str:
    """Return a board with coordinates; `cell` gives each point's single character."""
    letters = "   " + " ".join(LETTERS[:columns])
    lines = [letters]
    for row in range(rows):
        number = f"{rows - row:2d}"
        cells = " ".join(cell(point_at(row, column)) for column in range(columns))
        lines.append(f"{number} {cells} {number.strip()}")
    return "\n".join([*lines, letters])
