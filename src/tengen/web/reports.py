"""What a search has found, on its way from its thread to the pages."""

import asyncio
import time
from collections.abc import Callable

from tengen.board.position import Position
from tengen.engine.engine import Progress
from tengen.search.report import Candidate, SearchReport
from tengen.web.engines import Job, Read
from tengen.web.messages import Json

REPORT_EVERY_S = 0.25
SHOWN = 20
LONGEST_LINE = 16


class Relay:
    """Hands reports of a running search to a function in the event loop, a few times a second."""

    def __init__(self, take: Callable[[SearchReport], None]):
        """Be made in the event loop, whose thread `take` will be called in."""
        self._take = take
        self._loop = asyncio.get_running_loop()
        self._next_s = 0.0

    def progress(self, job: Job, gives_way: bool = False) -> Progress:
        """Return what the search calls between batches, in its own thread."""

        def call(read: Read) -> None:
            is_stopped = job.heed(gives_way)
            if not is_stopped and time.monotonic() >= self._next_s:
                self._next_s = time.monotonic() + REPORT_EVERY_S
                self._loop.call_soon_threadsafe(self._take, read())

        return call


def search_message(report: SearchReport, position: Position, node: int) -> Json:
    """Return what the page shows of a search; win rates are those of the side to move."""
    seen = [candidate for candidate in report.candidates if candidate.visits > 0]
    return {
        "type": "search",
        "node": node,
        "visits": report.visits,
        "value": report.value,
        "nodes": report.nodes,
        "depth": report.depth,
        "candidates": [_candidate(candidate, position) for candidate in seen[:SHOWN]],
    }


def _candidate(candidate: Candidate, position: Position) -> Json:
    return {
        "vertex": position.vertex(candidate.move),
        "visits": candidate.visits,
        "value": candidate.value,
        "prior": candidate.policy,
        "rave": candidate.rave_value if candidate.rave_visits else None,
        "line": [position.vertex(move) for move in candidate.line[:LONGEST_LINE]],
    }
