"""The board before a mistake: the move that was played, and the better line."""

from collections.abc import Iterator

from tengen.board.colour import BLACK, Colour
from tengen.board.picture import (
    BLACK_STONE,
    WHITE_STONE,
    Frame,
    coordinates,
    lines,
    stones,
    wood,
)
from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Position
from tengen.core.drawing import Disc, Drawing, Shape, Stroke, Words
from tengen.review.review import MoveReview

SHOWN_LINE = 5
"""Moves of the better line that are drawn."""
PLAYED, BETTER = "#c2410c", "#15803d"


def mistake_picture(position: Position, move: MoveReview) -> Drawing:
    """Return the board before a move: the move crossed, the better line numbered from 1."""
    frame, colours = Frame(position.rows, position.columns), position.board()
    shapes = [*wood(frame), *lines(frame), *coordinates(frame), *stones(frame, colours)]
    taken = {point for point in position.points() if position.colour(point)}
    if move.move != PASS:
        shapes += _stone(frame, move.move, move.colour, PLAYED)
        shapes += _cross(frame, move.move)
        taken.add(move.move)
    colour = move.colour
    for number, point in enumerate(move.before.line[:SHOWN_LINE], start=1):
        if point != PASS and point not in taken:
            shapes += _stone(frame, point, colour, BETTER)
            shapes.append(_number(frame, point, colour, number))
            taken.add(point)
        colour = colour.opponent
    title = f"Board before move {move.number}"
    return Drawing(frame.width, frame.height, tuple(shapes), title)


def _place(frame: Frame, point: int) -> tuple[float, float]:
    return frame.x(column_of(point)), frame.y(row_of(point))


def _stone(frame: Frame, point: int, colour: Colour, ring: str) -> Iterator[Shape]:
    """Yield a stone with a ring around it."""
    x, y = _place(frame, point)
    fill = BLACK_STONE if colour is BLACK else WHITE_STONE
    yield Disc(x, y, 0.45 * frame.cell, fill, stroke=ring, stroke_width=0.11 * frame.cell)


def _cross(frame: Frame, point: int) -> Iterator[Shape]:
    x, y = _place(frame, point)
    arm = 0.19 * frame.cell
    for slope in (-arm, arm):
        yield Stroke(((x - arm, y - slope), (x + arm, y + slope)), PLAYED, 0.1 * frame.cell)


def _number(frame: Frame, point: int, colour: Colour, number: int) -> Shape:
    x, y = _place(frame, point)
    ink = "#ffffff" if colour is BLACK else "#111111"
    size = 0.52 * frame.cell
    return Words(x, y + 0.36 * size, str(number), size, ink, "middle", bold=True)
