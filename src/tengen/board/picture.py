"""A board as a picture: wood, lines, stones, coordinates.

The parts are there one by one, so that others can paint between them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.board.points import LETTERS, PASS, column_of, row_of
from tengen.board.stars import star_points
from tengen.core.drawing import Box, Disc, Drawing, Shape, Shine, Stroke, Words

Colours = npt.NDArray[np.uint8]
"""Rows by columns: 0 empty, 1 Black, 2 White."""

WOOD, GRAIN, LINE = "#e3b878", "#b98645", "#3d2b14"
BLACK_STONE, WHITE_STONE = Shine("#70707a", "#08080a"), Shine("#ffffff", "#c4c0b6")
SHADOW = "#2a1c08"
LAST_MARK = "#d6301f"
CELL = 26.0
"""The usual distance of two lines."""


@dataclass(frozen=True)
class Frame:
    """Where the points of a board are in a picture."""

    rows: int
    columns: int
    left: float = 0.0
    top: float = 0.0
    cell: float = CELL

    @property
    def margin(self) -> float:
        """From the edge of the wood to the first line: room for stones and coordinates."""
        return self.cell * 1.3

    @property
    def width(self) -> float:
        """Of the wood."""
        return 2 * self.margin + (self.columns - 1) * self.cell

    @property
    def height(self) -> float:
        """Of the wood."""
        return 2 * self.margin + (self.rows - 1) * self.cell

    def x(self, column: float) -> float:
        """Return the place of a column."""
        return self.left + self.margin + column * self.cell

    def y(self, row: float) -> float:
        """Return the place of a row, 0 at the top."""
        return self.top + self.margin + row * self.cell


def board_drawing(colours: Colours, last_move: int | None = None) -> Drawing:
    """Return a plain board with its last move marked."""
    rows, columns = colours.shape
    frame = Frame(rows, columns)
    shapes = [*wood(frame), *lines(frame), *coordinates(frame), *stones(frame, colours)]
    if last_move is not None and last_move != PASS:
        row, column = row_of(last_move), column_of(last_move)
        shapes.append(Disc(frame.x(column), frame.y(row), 0.16 * frame.cell, LAST_MARK))
    black, white = (int((colours == colour).sum()) for colour in (1, 2))
    title = f"{frame.columns}x{frame.rows} board, {black} black and {white} white stones"
    return Drawing(frame.width, frame.height, tuple(shapes), title)


def wood(frame: Frame) -> Iterator[Shape]:
    """Yield the board itself, with a quiet grain."""
    yield Box(frame.left, frame.top, frame.width, frame.height, WOOD, radius=0.2 * frame.cell)
    steps = 12
    for number in range(1, int(frame.width / (0.62 * frame.cell))):
        middle = frame.left + number * 0.62 * frame.cell
        yield Stroke(
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


def lines(frame: Frame) -> Iterator[Shape]:
    """Yield the lines and the star points."""
    left, right = frame.x(0), frame.x(frame.columns - 1)
    top, bottom = frame.y(0), frame.y(frame.rows - 1)
    width = max(0.6, frame.cell / 32)
    for row in range(frame.rows):
        yield Stroke(((left, frame.y(row)), (right, frame.y(row))), LINE, width, 0.8)
    for column in range(frame.columns):
        yield Stroke(((frame.x(column), top), (frame.x(column), bottom)), LINE, width, 0.8)
    for row, column in sorted(star_points(frame.rows, frame.columns)):
        yield Disc(frame.x(column), frame.y(row), 0.1 * frame.cell, LINE)


def coordinates(frame: Frame) -> Iterator[Shape]:
    """Yield letters below and above, numbers at both sides."""
    size, away = 0.42 * frame.cell, 0.88 * frame.cell
    for column in range(frame.columns):
        for y in (frame.y(0) - away, frame.y(frame.rows - 1) + away):
            yield Words(frame.x(column), y + 0.36 * size, LETTERS[column], size, LINE, "middle")
    for row in range(frame.rows):
        for x in (frame.x(0) - away, frame.x(frame.columns - 1) + away):
            text = str(frame.rows - row)
            yield Words(x, frame.y(row) + 0.36 * size, text, size, LINE, "middle")


def stones(frame: Frame, colours: Colours) -> Iterator[Shape]:
    """Yield the stones, each with its shadow."""
    radius = 0.47 * frame.cell
    for row, column in np.argwhere(colours).tolist():
        x, y = frame.x(column), frame.y(row)
        yield Disc(x + 0.05 * frame.cell, y + 0.07 * frame.cell, radius, SHADOW, opacity=0.28)
        yield Disc(x, y, radius, BLACK_STONE if colours[row, column] == 1 else WHITE_STONE)
