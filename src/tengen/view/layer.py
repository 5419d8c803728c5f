"""`Layer`: one number per point of a position, with its colors and its heat map."""

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import (
    WOOD,
    BoardFrame,
    column_of,
    coordinates,
    lines,
    row_of,
    stones,
    vertex,
    wood,
)
from tengen.util import Drawing, Ellipse, Label, Rectangle, Shape

Grid = npt.NDArray[np.float64]
Labels = tuple[tuple[str | None, ...], ...]
Rgb = tuple[int, int, int]

SEQUENTIAL: tuple[Rgb, ...] = (
    (243, 240, 226),
    (168, 216, 185),
    (63, 167, 163),
    (44, 110, 155),
    (59, 47, 124),
)
"""The color map of `web/page/color_scale.js`: monotonic in lightness, so that it works in gray."""
WHITE_OWNED, BLACK_OWNED = (255, 252, 244), (22, 22, 52)
PRUNED, KEPT = (104, 24, 44), (128, 214, 120)
"""Dark and light, so that they differ for color-blind people."""
INK, MUTED_INK = "#2b2116", "#6b5c48"
PAPER = "#fbf7ef"
MARK = "#d6301f"
CELL = 26.0
TITLE_SIZE, TEXT_SIZE = 15.0, 11.5
LETTER_WIDTH = 0.53
"""Mean width of a letter, relative to the font size."""
GAP = 14.0
LEGEND_STEPS = 48
MIN_WIDTH = 260.0
"""Minimum width, so that the title of a small board fits."""


class Scale(IntEnum):
    """The kind of values of a layer, which determines its colors."""

    SEQUENTIAL = 0
    """From low to high."""
    DIVERGING = 1
    """From White (negative) to Black (positive)."""
    MASK = 2
    """1 for kept, 0 for pruned."""


@dataclass(frozen=True, eq=False)
class Layer:
    """The values of one source for one position.

    Examples
    --------
    >>> from tengen.api import Position, see
    >>> layer = see(Position(9), "bigmove.p1")
    >>> layer.values.shape, [Position(9).vertex(point) for point in layer.marks]
    ((9, 9), ['E5'])
    """

    name: str
    title: str
    meaning: str
    values: Grid
    """Rows by columns, row 0 at the top; NaN for points without a value."""
    scale: Scale = Scale.SEQUENTIAL
    marks: tuple[int, ...] = ()
    """Highlighted points, best first, such as the moves with the highest value."""
    labels: Labels | None = None
    """Short texts to draw on the points, rows by columns."""
    notes: Labels | None = None
    """Longer texts about points, such as the pattern around them."""
    unit: str = ""
    low: float | None = None
    """Lower end of the color scale; None for the minimum of the values."""
    high: float | None = None
    board: npt.NDArray[np.uint8] | None = None
    """Rows by columns of stones (0 empty, 1 black, 2 white), for pictures."""

    def limits(self) -> tuple[float, float]:
        """Return the lower and upper end of the color scale; they are different."""
        finite = self.values[np.isfinite(self.values)]
        if self.scale is Scale.MASK or not finite.size:
            return 0.0, 1.0
        if self.scale is Scale.DIVERGING:
            high = float(np.abs(finite).max()) if self.high is None else self.high
            return -(high or 1.0), high or 1.0
        low = min(0.0, float(finite.min())) if self.low is None else self.low
        high = float(finite.max()) if self.high is None else self.high
        return low, high if high > low else low + 1.0

    def _repr_svg_(self) -> str:
        """Return the heat map for display in notebooks."""
        return heat_map(self).svg()

    def as_dict(self) -> dict[str, Any]:
        """Return the layer for JSON: None for NaN, marks as vertices, without the stones."""
        low, high = self.limits()
        rows = [[float(v) if np.isfinite(v) else None for v in row] for row in self.values]
        return {
            "name": self.name,
            "title": self.title,
            "meaning": self.meaning,
            "scale": self.scale.name.lower(),
            "unit": self.unit,
            "low": low,
            "high": high,
            "values": rows,
            "marks": [vertex(point, len(rows)) for point in self.marks],
            "labels": _as_lists(self.labels),
            "notes": _as_lists(self.notes),
        }


def _as_lists(texts: Labels | None) -> list[list[str | None]] | None:
    return None if texts is None else [list(row) for row in texts]


# Colors


class Paint(NamedTuple):
    """A color with its opacity."""

    rgb: Rgb
    opacity: float

    @property
    def hex(self) -> str:
        """The color as `#rrggbb`."""
        return "#{:02x}{:02x}{:02x}".format(*self.rgb)


def scaled_value(layer: Layer, value: float) -> float:
    """Scale a value to 0..1, or to -1 (White) to 1 (Black) on a diverging scale."""
    low, high = layer.limits()
    if layer.scale is Scale.DIVERGING:
        return max(-1.0, min(1.0, value / high))
    return max(0.0, min(1.0, (value - low) / (high - low)))


def heat_color(scale: Scale, scaled: float) -> Paint:
    """Return the color of a scaled value; low values are transparent."""
    if scale is Scale.MASK:
        return Paint(KEPT if scaled > 0.5 else PRUNED, 0.55)
    if scale is Scale.DIVERGING:
        return Paint(BLACK_OWNED if scaled > 0 else WHITE_OWNED, 0.85 * abs(scaled) ** 0.7)
    return Paint(interpolate_color(SEQUENTIAL, scaled), 0.9 * scaled**0.4)


def interpolate_color(colors: tuple[Rgb, ...], fraction: float) -> Rgb:
    """Interpolate in a list of colors; 0 is the first, 1 the last."""
    place = max(0.0, min(1.0, fraction)) * (len(colors) - 1)
    below = min(int(place), len(colors) - 2)
    red, green, blue = (
        round(one + (other - one) * (place - below))
        for one, other in zip(colors[below], colors[below + 1], strict=True)
    )
    return red, green, blue


def text_color(background: Paint) -> str:
    """Return black or white, whichever is readable on a color over wood."""
    red, green, blue = background.rgb
    opacity = background.opacity
    lightness = (0.3 * red + 0.59 * green + 0.11 * blue) / 255
    return "#ffffff" if lightness * opacity + 0.74 * (1 - opacity) < 0.5 else "#1a1208"


ColorMap = Callable[[Scale, float], Paint]
"""Returns the color of a scaled value."""


# Heat map


def heat_map(layer: Layer) -> Drawing:
    """Draw a layer: the board with colored points, a title, a legend and the meaning."""
    rows, columns = layer.values.shape
    bare = BoardFrame(rows, columns, cell=CELL)
    width = max(bare.width, MIN_WIDTH) + 2 * GAP
    title = _wrap_text(layer.title, width - 2 * GAP, TITLE_SIZE * 1.06)
    top = GAP + len(title) * TITLE_SIZE * 1.3 + 4
    frame = BoardFrame(rows, columns, (width - bare.width) / 2, top, CELL)
    below, height = draw_caption(layer, width, top + frame.height)
    shapes = [*draw_title(title, GAP + TITLE_SIZE), *_board(frame, layer), *below]
    return make_drawing(width, height, shapes, layer.title)


def make_drawing(width: float, height: float, shapes: list[Shape], title: str) -> Drawing:
    """Return a drawing of shapes on the background color."""
    return Drawing(width, height, (Rectangle(0, 0, width, height, PAPER), *shapes), title)


def draw_title(title: list[str], y: float) -> Iterator[Shape]:
    """Yield the title; `y` is the baseline of its first line."""
    for number, line in enumerate(title):
        yield Label(GAP, y + number * TITLE_SIZE * 1.3, line, TITLE_SIZE, INK, bold=True)


def draw_caption(
    layer: Layer, width: float, top: float, color_map: ColorMap = heat_color
) -> tuple[list[Shape], float]:
    """Return the legend and the meaning below `top`, and the height of the drawing."""
    shapes = list(_legend(layer, width, top + 12, color_map))
    y = top + 12 + 10 + TEXT_SIZE * 1.5
    for line in _wrap_text(layer.meaning, width - 2 * GAP, TEXT_SIZE):
        y += TEXT_SIZE * 1.4
        shapes.append(Label(GAP, y, line, TEXT_SIZE, MUTED_INK))
    return shapes, y + GAP


def _wrap_text(text: str, width: float, size: float) -> list[str]:
    return textwrap.wrap(text, max(10, int(width / (LETTER_WIDTH * size))))


def _board(frame: BoardFrame, layer: Layer) -> Iterator[Shape]:
    yield from wood(frame)
    yield from lines(frame)
    yield from _colored_points(frame, layer)
    yield from coordinates(frame)
    if layer.board is not None:
        yield from stones(frame, layer.board)
    yield from _labels(frame, layer)
    for number, point in enumerate(layer.marks):
        x, y = frame.x(column_of(point)), frame.y(row_of(point))
        width = 0.1 if number == 0 else 0.06
        yield Ellipse(x, y, 0.4 * frame.cell, "none", 1, MARK, width * frame.cell)


def _colored_points(frame: BoardFrame, layer: Layer) -> Iterator[Shape]:
    """Yield a square for each value."""
    side = 0.94 * frame.cell
    for row, column in np.argwhere(np.isfinite(layer.values)).tolist():
        scaled = scaled_value(layer, float(layer.values[row, column]))
        paint = heat_color(layer.scale, scaled)
        if paint.opacity > 0.01:
            x, y = frame.x(column) - side / 2, frame.y(row) - side / 2
            yield Rectangle(x, y, side, side, paint.hex, paint.opacity, 0.12 * frame.cell)


def _labels(frame: BoardFrame, layer: Layer) -> Iterator[Shape]:
    for row, texts in enumerate(layer.labels or ()):
        for column, text in enumerate(texts):
            if text is None or (layer.board is not None and layer.board[row, column]):
                continue
            size = frame.cell * (0.42 if len(text) < 4 else 0.34)
            value = float(layer.values[row, column])
            color = text_color(heat_color(layer.scale, scaled_value(layer, value)))
            x, y = frame.x(column), frame.y(row) + 0.36 * size
            yield Label(x, y, text, size, color, "middle")


def _legend(layer: Layer, width: float, y: float, color_map: ColorMap) -> Iterator[Shape]:
    """Yield a bar of colors with the values at its ends."""
    bar = width - 2 * GAP
    first = -1.0 if layer.scale is Scale.DIVERGING else 0.0
    steps = 2 if layer.scale is Scale.MASK else LEGEND_STEPS
    yield Rectangle(GAP, y, bar, 10, WOOD)
    for step in range(steps):
        scaled = first + (1.0 - first) * (step + 0.5) / steps
        paint = color_map(layer.scale, scaled)
        yield Rectangle(
            GAP + bar * step / steps, y, bar / steps + 0.3, 10, paint.hex, paint.opacity
        )
    for place, text in zip((0.0, 0.5, 1.0), legend_texts(layer), strict=True):
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[place]
        if text:
            yield Label(GAP + bar * place, y + 10 + TEXT_SIZE * 1.2, text, TEXT_SIZE, INK, anchor)


def legend_texts(layer: Layer) -> tuple[str, str, str]:
    """Return the texts at the left, in the middle and at the right of the legend."""
    low, high = layer.limits()
    if layer.scale is Scale.MASK:
        return "pruned", "", "kept"
    if layer.scale is Scale.DIVERGING:
        return f"White {_short_number(low)}", layer.unit, f"{_short_number(high)} Black"
    return _short_number(low), layer.unit, _short_number(high)


def _short_number(value: float) -> str:
    """Format a number in few characters, without exponents."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
