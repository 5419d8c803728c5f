"""GoGui's live graphics: what the search sees, drawn on stderr as it runs."""

import sys

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.settings import EngineSettings
from tengen.gtp.arguments import vertex_text
from tengen.search.report import SearchReport

LONGEST_LINE = 10
"""Moves of the principal variation that are drawn."""


class LiveGraphics:
    """Draws a layer and the principal variation of a running search."""

    INTERVAL_S = 0.5

    def __init__(self, layer: str, position: Position, settings: EngineSettings):
        self._layer = layer
        self._position = position
        self._settings = settings

    def draw(self, report: SearchReport) -> None:
        """Draw the present state."""
        from tengen.gtp.gfx import layer_commands
        from tengen.view.catalogue import make_layer
        from tengen.view.context import ViewContext

        try:
            context = ViewContext(self._settings, report)
            layer = make_layer(self._layer, self._position, context)
            lines = layer_commands(layer, self._position)
        except TengenError as error:
            lines = [f"TEXT {error}"]
        _print("gogui-gfx:", *self._variation(report), *lines, "")

    def clear(self) -> None:
        """Take the drawing away."""
        _print("gogui-gfx: CLEAR")

    def _variation(self, report: SearchReport) -> list[str]:
        """Return the best line as GoGui draws it, unless it covers what the layer shows."""
        if not report.candidates or not self._layer.endswith("ownership"):
            return []
        colour = self._position.to_play
        words = []
        for move in report.candidates[0].line[:LONGEST_LINE]:
            words += [colour.letter.lower(), vertex_text(self._position, move)]
            colour = colour.opponent
        return [f"VAR {' '.join(words)}"]


def _print(*lines: str) -> None:
    print("\n".join(lines), file=sys.stderr, flush=True)
