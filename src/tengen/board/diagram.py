"""Boards as text diagrams and as pictures."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.board.points import LETTERS, PASS, column_of, point_at, row_of, star_points
from tengen.util import Drawing, Ellipse, Gradient, Label, Polyline, Rectangle, Shape, TengenError

Colors = npt.NDArray[np.uint8]
"""Colors of points [rows, columns]: 0 empty, 1 Black, 2 White."""

_SYMBOLS = {".": 0, "+": 0, "X": 1, "#": 1, "B": 1, "O": 2, "0": 2, "W": 2}

WOOD, GRAIN, LINE = "#e3b878", "#b98645", "#3d2b14"
BLACK_STONE, WHITE_STONE = Gradient("#70707a", "#08080a"), Gradient("#ffffff", "#c4c0b6")
SHADOW = "#2a1c08"
LAST_MARK = "#d6301f"
CELL = 26.0
"""Default distance between two lines, in pixels."""


def parse_diagram(text: str) -> list[list[int]]:
    """Parse a text diagram into rows of colors; raise TengenError if it is invalid.

    Black is `X`, `#` or `B`, White is `O`, `0` or `W`, empty is `.` or `+`, in any case. Rows end
    with a line break or `/`; spaces and empty lines are ignored.
    """
    lines = [line.replace(" ", "").upper() for line in text.replace("/", "\n").splitlines()]
    rows = [line for line in lines if line]
    if not rows or len({len(row) for row in rows}) != 1:
        raise TengenError("diagram rows must have equal length")
    unknown = set("".join(rows)) - set(_SYMBOLS)
    if unknown:
        raise TengenError(f"unknown characters in diagram: {''.join(sorted(unknown))}")
    return [[_SYMBOLS[character] for character in row] for row in rows]


def draw_diagram(rows: int, columns: int, cell: Callable[[int], str]) -> str:
    """Return a text diagram with coordinates; `cell` returns the character of a point."""
    letters = "   " + " ".join(LETTERS[:columns])
    lines = [letters]
    for row in range(rows):
        number = f"{rows - row:2d}"
        cells = " ".join(cell(point_at(row, column)) for column in range(columns))
        lines.append(f"{number} {cells} {number.strip()}")
    return "\n".join([*lines, letters])


@dataclass(frozen=True)
class BoardFrame:
    """Pixel coordinates of a board in a picture."""

    rows: int
    columns: int
    left: float = 0.0
    top: float = 0.0
    cell: float = CELL

    @property
    def margin(self) -> float:
        """Distance from the edge of the board to the first line."""
        return self.cell * 1.3

    @property
    def width(self) -> float:
        """Width of the board with margins."""
        return 2 * self.margin + (self.columns - 1) * self.cell

    @property
    def height(self) -> float:
        """Height of the board with margins."""
        return 2 * self.margin + (self.rows - 1) * self.cell

    def x(self, column: float) -> float:
        """Return the x coordinate of a column."""
        return self.left + self.margin + column * self.cell

    def y(self, row: float) -> float:
        """Return the y coordinate of a row."""
        return self.top + self.margin + row * self.cell


def board_drawing(colors: Colors, last_move: int | None = None) -> Drawing:
    """Return a picture of a board with its last move marked."""
    rows, columns = colors.shape
    frame = BoardFrame(rows, columns)
    shapes = [*wood(frame), *lines(frame), *coordinates(frame), *stones(frame, colors)]
    if last_move is not None and last_move != PASS:
        row, column = row_of(last_move), column_of(last_move)
        shapes.append(Ellipse(frame.x(column), frame.y(row), 0.16 * frame.cell, LAST_MARK))
    black, white = (int((colors == color).sum()) for color in (1, 2))
    title = f"{frame.columns}x{frame.rows} board, {black} black and {white} white stones"
    return Drawing(frame.width, frame.height, tuple(shapes), title)


def wood(frame: BoardFrame) -> Iterator[Shape]:
    """Yield the wooden board."""
    yield Rectangle(frame.left, frame.top, frame.width, frame.height, WOOD, radius=0.2 * frame.cell)
    steps = 12
    for number in range(1, int(frame.width / (0.62 * frame.cell))):
        middle = frame.left + number * 0.62 * frame.cell
        yield Polyline(
            tuple(
                (
                    middle + 0.12 * frame.cell * math.sin(2.1 * number + 0.45 * step),
                    frame.top + frame.height * step / steps,
                )
                for step in range(steps + 1)
            ),
            GRAIN,
            width=0.05 * frame.cell * (1 + number * 7 % 3),
            opacity=0.16,
        )


def lines(frame: BoardFrame) -> Iterator[Shape]:
    """Yield the grid lines and star points."""
    left, right = frame.x(0), frame.x(frame.columns - 1)
    top, bottom = frame.y(0), frame.y(frame.rows - 1)
    width = max(0.6, frame.cell / 32)
    for row in range(frame.rows):
        yield Polyline(((left, frame.y(row)), (right, frame.y(row))), LINE, width, 0.8)
    for column in range(frame.columns):
        yield Polyline(((frame.x(column), top), (frame.x(column), bottom)), LINE, width, 0.8)
    for row, column in sorted(star_points(frame.rows, frame.columns)):
        yield Ellipse(frame.x(column), frame.y(row), 0.1 * frame.cell, LINE)


def coordinates(frame: BoardFrame) -> Iterator[Shape]:
    """Yield column letters above and below, row numbers left and right."""
    size, away = 0.42 * frame.cell, 0.88 * frame.cell
    for column in range(frame.columns):
        for y in (frame.y(0) - away, frame.y(frame.rows - 1) + away):
            yield Label(frame.x(column), y + 0.36 * size, LETTERS[column], size, LINE, "middle")
    for row in range(frame.rows):
        for x in (frame.x(0) - away, frame.x(frame.columns - 1) + away):
            text = str(frame.rows - row)
            yield Label(x, frame.y(row) + 0.36 * size, text, size, LINE, "middle")


def stones(frame: BoardFrame, colors: Colors) -> Iterator[Shape]:
    """Yield the stones with their shadows."""
    radius = 0.47 * frame.cell
    for row, column in np.argwhere(colors).tolist():
        x, y = frame.x(column), frame.y(row)
        yield Ellipse(x + 0.05 * frame.cell, y + 0.07 * frame.cell, radius, SHADOW, opacity=0.28)
        yield Ellipse(x, y, radius, BLACK_STONE if colors[row, column] == 1 else WHITE_STONE)
