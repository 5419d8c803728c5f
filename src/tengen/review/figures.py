"""Figures of a review page: the chart of win rate and lead, and the boards of mistakes."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from tengen.board import (
    BLACK,
    BLACK_STONE,
    PASS,
    WHITE_STONE,
    BoardFrame,
    Color,
    Position,
    column_of,
    coordinates,
    lines,
    row_of,
    stones,
    vertex,
    wood,
)
from tengen.review.annotation import estimate_text, lead_text, loss_text
from tengen.review.review import GameReview, MoveReview
from tengen.util import Drawing, Ellipse, Label, Polyline, Shape
from tengen.view import render

WIDTH, HEIGHT, LEFT, RIGHT = 760, 376, 50, 14
LEAD_STEP = 10
"""The lead axis ends at a multiple of it, so that noise in an even game looks small."""
MAX_NUMBERS = 12
"""Move numbers on the axis."""
SHOWN_LINE = 5
"""Moves of the better variation on a board."""
PLAYED, BETTER = "#c2410c", "#15803d"


class Panel(NamedTuple):
    """One of the charts: its title, place, axis and values."""

    title: str
    kind: str
    """CSS class of the area below the line."""
    top: float
    height: float
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    values: Sequence[float]

    def y(self, value: float) -> float:
        """Return the vertical position of a value, clamped to the axis."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.top + self.height * (1 - share), 1)

    def line_path(self, xs: Sequence[float]) -> str:
        """Return the points of the line as SVG path data."""
        return "L".join(f"{x} {self.y(value)}" for x, value in zip(xs, self.values, strict=True))

    def area_path(self, xs: Sequence[float]) -> str:
        """Return the area between the line and 0 as SVG path data."""
        base = self.y(0.0)
        return f"M{xs[0]} {base}L{self.line_path(xs)}V{base}Z"


def chart(review: GameReview) -> Markup:
    """Return the chart; mistakes link to `#move-N`, and every move has a tooltip."""
    leads = [estimate.lead for estimate in review.estimates]
    most = LEAD_STEP * max(1, math.ceil(max(map(abs, leads)) / LEAD_STEP))
    winrate_panel = Panel(
        title="Black's win rate",
        kind="share",
        top=22,
        height=170,
        low=0,
        high=1,
        ticks=[(0.0, "0%"), (0.5, "50%"), (1.0, "100%")],
        values=[estimate.winrate for estimate in review.estimates],
    )
    lead_panel = Panel(
        title="Score lead in points (Black above)",
        kind="lead",
        top=240,
        height=110,
        low=-most,
        high=most,
        ticks=[(most, lead_text(most)), (0.0, "even"), (-most, lead_text(-most))],
        values=leads,
    )
    step = (WIDTH - LEFT - RIGHT) / max(len(leads) - 1, 1)
    interval = next(n for n in (5, 10, 20, 50, 100, 10**6) if len(leads) / n <= MAX_NUMBERS)

    def tooltip(move: MoveReview) -> str:
        played = f"{move.number}: {move.color.letter} {vertex(move.move, review.game.rows)}"
        loss = f", loses {loss_text(move)}" if move.is_mistake else ""
        return f"{played}. {estimate_text(review.estimates[move.number])}{loss}"

    return render(
        "review_chart.svg",
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=winrate_panel.top,
        bottom=lead_panel.top + lead_panel.height,
        panels=[winrate_panel, lead_panel],
        xs=[round(LEFT + step * index, 1) for index in range(len(leads))],
        step=step,
        numbers=range(0, len(leads), interval),
        moves=review.moves,
        mistakes=[move for color in Color for move in review.mistakes(color)],
        tooltip=tooltip,
    )


def mistake_board(position: Position, move: MoveReview) -> Drawing:
    """Draw the board before a mistake: the move crossed, the better variation numbered."""
    frame, colors = BoardFrame(position.rows, position.columns), position.board()
    shapes = [*wood(frame), *lines(frame), *coordinates(frame), *stones(frame, colors)]
    taken = {point for point in position.points() if position.color(point)}
    if move.move != PASS:
        shapes += _ringed_stone(frame, move.move, move.color, PLAYED)
        shapes += _cross(frame, move.move)
        taken.add(move.move)
    color = move.color
    for number, point in enumerate(move.before.line[:SHOWN_LINE], start=1):
        if point != PASS and point not in taken:
            shapes += _ringed_stone(frame, point, color, BETTER)
            shapes.append(_number(frame, point, color, number))
            taken.add(point)
        color = color.opponent
    title = f"Board before move {move.number}"
    return Drawing(frame.width, frame.height, tuple(shapes), title)


def _center(frame: BoardFrame, point: int) -> tuple[float, float]:
    return frame.x(column_of(point)), frame.y(row_of(point))


def _ringed_stone(frame: BoardFrame, point: int, color: Color, ring: str) -> Iterator[Shape]:
    x, y = _center(frame, point)
    fill = BLACK_STONE if color is BLACK else WHITE_STONE
    yield Ellipse(x, y, 0.45 * frame.cell, fill, stroke=ring, stroke_width=0.11 * frame.cell)


def _cross(frame: BoardFrame, point: int) -> Iterator[Shape]:
    x, y = _center(frame, point)
    arm = 0.19 * frame.cell
    for slope in (-arm, arm):
        yield Polyline(((x - arm, y - slope), (x + arm, y + slope)), PLAYED, 0.1 * frame.cell)


def _number(frame: BoardFrame, point: int, color: Color, number: int) -> Shape:
    x, y = _center(frame, point)
    ink = "#ffffff" if color is BLACK else "#111111"
    size = 0.52 * frame.cell
    return Label(x, y + 0.36 * size, str(number), size, ink, "middle", bold=True)
