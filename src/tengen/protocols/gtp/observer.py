"""Observation of a running search: stop requests, periodic reports and live graphics."""

import time
from collections.abc import Callable

from tengen.board import Position
from tengen.protocols.gtp.graphics import LiveGraphics
from tengen.protocols.gtp.session import LastSearch, Session
from tengen.search import SearchReport

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
        """Stop the search if the controller asks for it, and run the periodic actions."""
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
