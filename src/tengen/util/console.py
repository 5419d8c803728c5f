"""Rich output without the control characters of file names and records."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole, ConsoleOptions, RenderableType
from rich.segment import Segment

from tengen.util.terminal import CONTROL_CHARACTERS, printable


class Console(RichConsole):
    """A Rich console that drops control characters and does not turn `:x:` into an emoji."""

    def __init__(self, **options: Any):
        """Create a console; the options are those of Rich's console."""
        super().__init__(**{"emoji": False, **options})

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable without control characters in their text."""
        for segment in super().render(renderable, options):
            if segment.control or not CONTROL_CHARACTERS.search(segment.text):
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)
