"""Win rate and score over the moves, as one inline SVG."""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from tengen.board.colour import Colour
from tengen.board.points import vertex
from tengen.review.annotate import lead_text, outlook_text
from tengen.review.review import MoveReview, Review

WIDTH, LEFT, RIGHT = 760, 50, 14
SCALE_POINTS = 10
"""The score's scale ends at a multiple of it, so that noise in an even game looks like noise."""


class Panel(NamedTuple):
    """One chart above the other: where it stands, and the values at its ends."""

    top: float
    height: float
    low: float
    high: float

    def y(self, value: float) -> float:
        """Return the height of a value, cut off at the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.top + self.height * (1 - share), 1)


def chart(review: Review) -> str:
    """Return the chart of a game; largest mistakes link to `#move-N`, each move has a tooltip."""
    rates = [outlook.winrate for outlook in review.outlooks]
    leads = [outlook.lead for outlook in review.outlooks]
    most = SCALE_POINTS * max(1, math.ceil(max(map(abs, leads)) / SCALE_POINTS))
    rate_panel = Panel(top=22, height=170, low=0, high=1)
    lead_panel = Panel(top=240, height=110, low=-most, high=most)
    xs = _xs(len(rates))
    parts = [
        _heading("Black's win rate", rate_panel),
        _area(xs, rates, rate_panel, 0.0, "share"),
        *_ticks(rate_panel, [(0.0, "0%"), (0.5, "50%"), (1.0, "100%")]),
        _line(xs, rates, rate_panel),
        _heading("Score lead in points, Black's above", lead_panel),
        *_ticks(lead_panel, [(most, lead_text(most)), (0.0, "even"), (-most, lead_text(-most))]),
        _area(xs, leads, lead_panel, 0.0, "lead"),
        _line(xs, leads, lead_panel),
        *_move_numbers(xs, lead_panel),
        *_tooltips(review, xs, rate_panel.top, lead_panel.top + lead_panel.height),
        *_mistakes(review, xs, rate_panel),
    ]
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} 376" role="img" '
        f'aria-label="Win rate and score over the moves">{"".join(parts)}</svg>'
    )


def _xs(count: int) -> list[float]:
    step = (WIDTH - LEFT - RIGHT) / max(count - 1, 1)
    return [round(LEFT + step * index, 1) for index in range(count)]


def _heading(text: str, panel: Panel) -> str:
    return f'<text class="heading" x="{LEFT}" y="{panel.top - 9}">{escape(text)}</text>'


def _points(xs: Sequence[float], values: Sequence[float], panel: Panel) -> str:
    return "L".join(f"{x} {panel.y(value)}" for x, value in zip(xs, values, strict=True))


def _line(xs: Sequence[float], values: Sequence[float], panel: Panel) -> str:
    return f'<path class="line" d="M{_points(xs, values, panel)}"/>'


def _area(
    xs: Sequence[float], values: Sequence[float], panel: Panel, base: float, kind: str
) -> str:
    """Return the surface between a line and a base."""
    bottom = panel.y(base)
    return f'<path class="{kind}" d="M{xs[0]} {bottom}L{_points(xs, values, panel)}V{bottom}Z"/>'


def _ticks(panel: Panel, marks: Sequence[tuple[float, str]]) -> list[str]:
    """Return the lines across with their labels."""
    parts = []
    for value, text in marks:
        y = panel.y(value)
        parts.append(f'<path class="rule" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y + 4}">{escape(text)}</text>')
    return parts


def _move_numbers(xs: Sequence[float], panel: Panel) -> list[str]:
    step = next(step for step in (5, 10, 20, 50, 100, 10**6) if len(xs) / step <= 12)
    y = panel.top + panel.height + 16
    return [
        f'<text class="number" x="{xs[number]}" y="{y}">{number}</text>'
        for number in range(0, len(xs), step)
    ]


def _tooltips(review: Review, xs: Sequence[float], top: float, bottom: float) -> list[str]:
    """Return a stripe that cannot be seen for each move; the browser shows its title."""
    half = (xs[1] - xs[0]) / 2
    return [
        f'<rect class="hover" x="{xs[move.number] - half:.1f}" y="{top}" width="{2 * half:.1f}" '
        f'height="{bottom - top}"><title>{escape(_said(move, review))}</title></rect>'
        for move in review.moves
    ]


def _mistakes(review: Review, xs: Sequence[float], panel: Panel) -> list[str]:
    found = [move for colour in Colour for move in review.mistakes(colour)]
    return [
        f'<a href="#move-{move.number}"><circle class="mistake-{move.colour.name.lower()}" '
        f'cx="{xs[move.number]}" cy="{panel.y(move.after.winrate)}" r="5">'
        f"<title>{escape(_said(move, review))}</title></circle></a>"
        for move in found
    ]


def _said(move: MoveReview, review: Review) -> str:
    """Return the tooltip of a move."""
    played = f"{move.number}: {move.colour.letter} {vertex(move.move, review.game.rows)}"
    loss = f", loses {move.winrate_loss:.1%}" if move.is_mistake else ""
    return f"{played}. {outlook_text(move.after)}{loss}"
