"""Observation of a running search: stop requests, periodic reports, and graphics for GoGui."""

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tengen.board import Position, point_at
from tengen.engine import EngineSettings
from tengen.protocols.gtp.protocol import vertex_text
from tengen.protocols.gtp.session import LastSearch, Session
from tengen.search import SearchReport
from tengen.util import TengenError

if TYPE_CHECKING:
    from tengen.view import Layer


HEAT_STEPS = 12
"""Number of colors of a heat map, each on a separate line."""
LOW_COLOR, HIGH_COLOR = np.array([255, 250, 220]), np.array([215, 25, 20])
"""The ends of the heat map: red, green and blue."""
KEPT, PRUNED = "#7fbf7f", "#e0a0a0"
MAX_MARKS = 5
MAX_LINE_LENGTH = 10
"""Moves of the principal variation that are drawn."""


class LiveGraphics:
    """Draws a layer and the principal variation of a running search to stderr."""

    INTERVAL_S = 0.5

    def __init__(self, layer: str, position: Position, settings: EngineSettings):
        self._layer = layer
        self._position = position
        self._settings = settings

    def draw(self, report: SearchReport) -> None:
        """Draw the current state of the search."""
        from tengen.view import ViewContext, make_layer

        try:
            context = ViewContext(self._settings, report)
            layer = make_layer(self._layer, self._position, context)
            lines = layer_commands(layer, self._position)
        except TengenError as error:
            lines = [f"TEXT {error}"]
        _print_graphics("gogui-gfx:", *self._variation(report), *lines, "")

    def clear(self) -> None:
        """Remove the drawing."""
        _print_graphics("gogui-gfx: CLEAR")

    def _variation(self, report: SearchReport) -> list[str]:
        """Return the principal variation in GoGui's format, unless it would hide the layer."""
        if not report.candidates or not self._layer.endswith("ownership"):
            return []
        color = self._position.to_play
        words = []
        for move in report.candidates[0].line[:MAX_LINE_LENGTH]:
            words += [color.letter.lower(), vertex_text(self._position, move)]
            color = color.opponent
        return [f"VAR {' '.join(words)}"]


def _print_graphics(*lines: str) -> None:
    print("\n".join(lines), file=sys.stderr, flush=True)


def layer_commands(layer: "Layer", position: Position) -> list[str]:
    """Return the `gfx` lines that draw a layer."""
    from tengen.view import Scale

    draw = {Scale.DIVERGING: _influence, Scale.MASK: _mask}.get(layer.scale, _heat)
    return [
        *draw(layer, position),
        *_labels(layer, position),
        *_marks(layer, position),
        f"TEXT {' '.join(layer_text(layer).split())}",
    ]


def layer_text(layer: "Layer") -> str:
    """Return a description of a layer: its title, the meaning of its values, their range."""
    low, high = layer.limits()
    unit = f" {layer.unit}" if layer.unit else ""
    return f"{layer.title}. {layer.meaning} From {low:.3g} to {high:.3g}{unit}."


def _values(layer: "Layer", position: Position) -> list[tuple[str, float]]:
    """Return (vertex, value) of each point that has a value."""
    return [
        (position.vertex(point_at(int(row), int(column))), float(value))
        for (row, column), value in np.ndenumerate(layer.values)
        if np.isfinite(value)
    ]


def _influence(layer: "Layer", position: Position) -> list[str]:
    _, high = layer.limits()
    pairs = [f"{vertex} {value / high:.3f}" for vertex, value in _values(layer, position)]
    return [f"INFLUENCE {' '.join(pairs)}"] if pairs else []


def _heat(layer: "Layer", position: Position) -> list[str]:
    low, high = layer.limits()
    by_step: dict[int, list[str]] = defaultdict(list)
    for vertex, value in _values(layer, position):
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        by_step[round(share * HEAT_STEPS)].append(vertex)
    return [f"COLOR {_heat_color(step)} {' '.join(by_step[step])}" for step in sorted(by_step)]


def _heat_color(step: int) -> str:
    shade = LOW_COLOR + (HIGH_COLOR - LOW_COLOR) * step / HEAT_STEPS
    red, green, blue = np.rint(shade).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _mask(layer: "Layer", position: Position) -> list[str]:
    lines = []
    for color, is_kept in ((KEPT, True), (PRUNED, False)):
        points = [vertex for vertex, value in _values(layer, position) if (value > 0) is is_kept]
        if points:
            lines.append(f"COLOR {color} {' '.join(points)}")
    return lines


def _labels(layer: "Layer", position: Position) -> list[str]:
    """Return the labels of a layer, without spaces as GoGui requires."""
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
    points = [position.vertex(point) for point in layer.marks[:MAX_MARKS]]
    return [f"CIRCLE {' '.join(points)}"] if points else []


ReadReport = Callable[[], SearchReport]
ReportAction = Callable[[SearchReport], None]


class SearchObserver:
    """The progress callback of a search, called between batches of simulations."""

    def __init__(self, session: Session, position: Position):
        self._session = session
        self._position = position
        self._periodic: list[_Periodic] = []
        self._graphics: LiveGraphics | None = None
        if session.live_layer:
            self._graphics = LiveGraphics(session.live_layer, position, session.settings)
            self.every(LiveGraphics.INTERVAL_S, self._graphics.draw)

    def every(self, interval_s: float, action: ReportAction) -> None:
        """Call `action` with the state of the search every `interval_s` seconds."""
        self._periodic.append(_Periodic(interval_s, action))

    def __call__(self, read: ReadReport) -> None:
        """Stop the search if the controller requests it, and run the periodic actions."""
        if self._session.input.should_stop():
            self._session.engine.stop()
        for periodic in self._periodic:
            periodic(read)

    def finish(self, report: SearchReport | None) -> None:
        """Record the result of the search and clear the graphics."""
        if report is not None:
            self._session.last_search = LastSearch(self._position, report)
        if self._graphics is not None:
            self._graphics.clear()


class _Periodic:
    """An action with the time of its next call."""

    def __init__(self, interval_s: float, action: ReportAction):
        self._interval_s = interval_s
        self._action = action
        self._next_s = time.monotonic() + interval_s

    def __call__(self, read: ReadReport) -> None:
        if time.monotonic() >= self._next_s:
            self._action(read())
            self._next_s = time.monotonic() + self._interval_s
