"""Layers in GoGui's drawing commands, one a line, with a text that says what is shown."""

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from tengen.board.points import point_at
from tengen.board.position import Position

if TYPE_CHECKING:
    from tengen.view.layer import Layer

STEPS = 12
"""Colours of a heat map: as many lines, so not too many."""
FAINT, STRONG = np.array([255, 250, 220]), np.array([215, 25, 20])
"""The two ends of the heat map, red, green and blue."""
KEPT, PRUNED = "#7fbf7f", "#e0a0a0"
MOST_MARKS = 5


def layer_commands(layer: "Layer", position: Position) -> list[str]:
    """Return the lines that draw a layer."""
    from tengen.view.layer import Scale

    draw = {Scale.DIVERGING: _influence, Scale.MASK: _mask}.get(layer.scale, _heat)
    return [
        *draw(layer, position),
        *_labels(layer, position),
        *_marks(layer, position),
        f"TEXT {' '.join(layer_text(layer).split())}",
    ]


def layer_text(layer: "Layer") -> str:
    """Return what a layer shows, in words: its title, what the numbers mean, and their range."""
    low, high = layer.limits()
    unit = f" {layer.unit}" if layer.unit else ""
    return f"{layer.title}. {layer.meaning} From {low:.3g} to {high:.3g}{unit}."


def _said(layer: "Layer", position: Position) -> list[tuple[str, float, int, int]]:
    """Return (vertex, value, row, column) of each point of which something is said."""
    return [
        (position.vertex(point_at(int(row), int(column))), float(value), int(row), int(column))
        for (row, column), value in np.ndenumerate(layer.values)
        if np.isfinite(value)
    ]


def _influence(layer: "Layer", position: Position) -> list[str]:
    _, most = layer.limits()
    pairs = [f"{vertex} {value / most:.3f}" for vertex, value, _, _ in _said(layer, position)]
    return [f"INFLUENCE {' '.join(pairs)}"] if pairs else []


def _heat(layer: "Layer", position: Position) -> list[str]:
    low, high = layer.limits()
    by_step: dict[int, list[str]] = defaultdict(list)
    for vertex, value, _, _ in _said(layer, position):
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        by_step[round(share * STEPS)].append(vertex)
    return [f"COLOR {_colour(step)} {' '.join(by_step[step])}" for step in sorted(by_step)]


def _colour(step: int) -> str:
    red, green, blue = np.rint(FAINT + (STRONG - FAINT) * step / STEPS).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _mask(layer: "Layer", position: Position) -> list[str]:
    lines = []
    for colour, wanted in ((KEPT, True), (PRUNED, False)):
        points = [vertex for vertex, value, _, _ in _said(layer, position) if (value > 0) is wanted]
        if points:
            lines.append(f"COLOR {colour} {' '.join(points)}")
    return lines


def _labels(layer: "Layer", position: Position) -> list[str]:
    """Return the layer's labels; GoGui wants them without blanks."""
    if layer.labels is None:
        return []
    pairs = [
        f"{position.vertex(point_at(row, column))} {''.join(text.split())}"
        for row, texts in enumerate(layer.labels)
        for column, text in enumerate(texts)
        if text and text.strip()
    ]
    return [f"LABEL {' '.join(pairs)}"] if pairs else []


def _marks(layer: "Layer", position: Position) -> list[str]:
    points = [position.vertex(point) for point in layer.marks[:MOST_MARKS]]
    return [f"CIRCLE {' '.join(points)}"] if points else []
