"""Looking on while a search runs: interruptions are heard, lines written, pictures drawn."""

import time
from collections.abc import Callable

from tengen.board.position import Position
from tengen.gtp.live_graphics import LiveGraphics
from tengen.gtp.session import Session
from tengen.gtp.state import Seen
from tengen.search.report import SearchReport

Read = Callable[[], SearchReport]


class Every:
    """Does something with a search's state, again and again, so many seconds apart."""

    def __init__(self, interval_s: float, act: Callable[[SearchReport], None]):
        self._interval_s = interval_s
        self._act = act
        self._next_s = time.monotonic() + interval_s

    def __call__(self, read: Read) -> None:
        """Act if it is time."""
        if time.monotonic() >= self._next_s:
            self._act(read())
            self._next_s = time.monotonic() + self._interval_s


class Watch:
    """Is called between batches of simulations; `read` gives the state of the search."""

    def __init__(self, session: Session, position: Position):
        self._session = session
        self._position = position
        self._acts: list[Every] = []
        self._graphics: LiveGraphics | None = None
        if session.live_layer:
            self._graphics = LiveGraphics(session.live_layer, position, session.settings)
            self.each(LiveGraphics.INTERVAL_S, self._graphics.draw)

    def each(self, interval_s: float, act: Callable[[SearchReport], None]) -> None:
        """Have something done with the state of the search, again and again."""
        self._acts.append(Every(interval_s, act))

    def __call__(self, read: Read) -> None:
        """Look at the search and at what the controller wants."""
        if self._session.should_stop():
            self._session.engine.stop()
        for act in self._acts:
            act(read)

    def end(self, report: SearchReport | None) -> None:
        """Keep what was found, for who asks later, and take the picture away."""
        if report is not None:
            self._session.seen = Seen(self._position, report)
        if self._graphics is not None:
            self._graphics.clear()
