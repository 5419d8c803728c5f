"""A layer as a heat map: the board with its colours, a title, a legend and the meaning."""

import textwrap
from collections.abc import Callable, Iterator

import numpy as np

from tengen.board.picture import WOOD, Frame, coordinates, lines, stones, wood
from tengen.board.points import column_of, row_of
from tengen.core.drawing import Box, Disc, Drawing, Shape, Words
from tengen.view.colours import Paint, ink_on, paint_of, share_of
from tengen.view.layer import Layer, Scale

PaintOf = Callable[[Scale, float], Paint]
"""From a share of the scale to its colour."""

INK, QUIET = "#2b2116", "#6b5c48"
PAPER = "#fbf7ef"
MARK = "#d6301f"
CELL = 26.0
TITLE_SIZE, TEXT_SIZE = 15.0, 11.5
LETTER = 0.53
"""The mean width of a letter, in sizes of the font."""
GAP = 14.0
LEGEND_STEPS = 48
NARROWEST = 260.0
"""So that a title fits beside a small board."""


def heat_map(layer: Layer) -> Drawing:
    """Return a layer as a picture."""
    rows, columns = layer.values.shape
    bare = Frame(rows, columns, cell=CELL)
    width = max(bare.width, NARROWEST) + 2 * GAP
    title = _wrapped(layer.title, width - 2 * GAP, TITLE_SIZE * 1.06)
    top = GAP + len(title) * TITLE_SIZE * 1.3 + 4
    frame = Frame(rows, columns, (width - bare.width) / 2, top, CELL)
    below, height = caption(layer, width, top + frame.height)
    shapes = [*headline(title, GAP + TITLE_SIZE), *_board(frame, layer), *below]
    return on_paper(width, height, shapes, layer.title)


def on_paper(width: float, height: float, shapes: list[Shape], title: str) -> Drawing:
    """Return a drawing of these shapes on a quiet ground."""
    return Drawing(width, height, (Box(0, 0, width, height, PAPER), *shapes), title)


def headline(title: list[str], y: float) -> Iterator[Shape]:
    """Yield the title; `y` is the baseline of its first line."""
    for number, line in enumerate(title):
        yield Words(GAP, y + number * TITLE_SIZE * 1.3, line, TITLE_SIZE, INK, bold=True)


def caption(
    layer: Layer, width: float, top: float, paints: PaintOf = paint_of
) -> tuple[list[Shape], float]:
    """Return the legend and the meaning below `top`, and where the sheet ends."""
    shapes = list(_legend(layer, width, top + 12, paints))
    y = top + 12 + 10 + TEXT_SIZE * 1.5
    for line in _wrapped(layer.meaning, width - 2 * GAP, TEXT_SIZE):
        y += TEXT_SIZE * 1.4
        shapes.append(Words(GAP, y, line, TEXT_SIZE, QUIET))
    return shapes, y + GAP


def _wrapped(text: str, width: float, size: float) -> list[str]:
    return textwrap.wrap(text, max(10, int(width / (LETTER * size))))


def _board(frame: Frame, layer: Layer) -> Iterator[Shape]:
    yield from wood(frame)
    yield from lines(frame)
    yield from _heat(frame, layer)
    yield from coordinates(frame)
    if layer.board is not None:
        yield from stones(frame, layer.board)
    yield from _labels(frame, layer)
    for number, point in enumerate(layer.marks):
        x, y = frame.x(column_of(point)), frame.y(row_of(point))
        width = 0.1 if number == 0 else 0.06
        yield Disc(x, y, 0.4 * frame.cell, "none", 1, MARK, width * frame.cell)


def _heat(frame: Frame, layer: Layer) -> Iterator[Shape]:
    """Yield a square for each number."""
    side = 0.94 * frame.cell
    for row, column in np.argwhere(np.isfinite(layer.values)).tolist():
        share = share_of(layer, float(layer.values[row, column]))
        paint = paint_of(layer.scale, share)
        if paint.opacity > 0.01:
            x, y = frame.x(column) - side / 2, frame.y(row) - side / 2
            yield Box(x, y, side, side, paint.hex, paint.opacity, 0.12 * frame.cell)


def _labels(frame: Frame, layer: Layer) -> Iterator[Shape]:
    for row, texts in enumerate(layer.labels or ()):
        for column, text in enumerate(texts):
            if text is None or (layer.board is not None and layer.board[row, column]):
                continue
            size = frame.cell * (0.42 if len(text) < 4 else 0.34)
            value = float(layer.values[row, column])
            ink = ink_on(paint_of(layer.scale, share_of(layer, value)))
            x, y = frame.x(column), frame.y(row) + 0.36 * size
            yield Words(x, y, text, size, ink, "middle")


def _legend(layer: Layer, width: float, y: float, paints: PaintOf) -> Iterator[Shape]:
    """Yield a bar of colours with the values at its ends."""
    bar = width - 2 * GAP
    first = -1.0 if layer.scale is Scale.DIVERGING else 0.0
    steps = 2 if layer.scale is Scale.MASK else LEGEND_STEPS
    yield Box(GAP, y, bar, 10, WOOD)
    for step in range(steps):
        share = first + (1.0 - first) * (step + 0.5) / steps
        paint = paints(layer.scale, share)
        yield Box(GAP + bar * step / steps, y, bar / steps + 0.3, 10, paint.hex, paint.opacity)
    for place, text in zip((0.0, 0.5, 1.0), legend_texts(layer), strict=True):
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[place]
        if text:
            yield Words(GAP + bar * place, y + 10 + TEXT_SIZE * 1.2, text, TEXT_SIZE, INK, anchor)


def legend_texts(layer: Layer) -> tuple[str, str, str]:
    """Return what stands at the left, the middle and the right of the colours."""
    low, high = layer.limits()
    if layer.scale is Scale.MASK:
        return "pruned", "", "kept"
    if layer.scale is Scale.DIVERGING:
        return f"White's {_short(low)}", layer.unit, f"{_short(high)} Black's"
    return _short(low), layer.unit, _short(high)


def _short(value: float) -> str:
    """Return a number in few letters, without powers of ten."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
