"""Looking over a whole game: win rate and score at every move, and what was lost where."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.records.game import GameRecord
from tengen.review.data import as_dict, outlook_dict
from tengen.review.outlook import Outlook
from tengen.review.review import Review as GameReview
from tengen.review.review import review_game
from tengen.search.limit import Limit
from tengen.web.engines import Job, Work
from tengen.web.messages import Json, Review
from tengen.web.tree import GameTree

if TYPE_CHECKING:
    from tengen.web.table import Listener, Table

MOST_VISITS = 100_000


class Stopped(TengenError):  # noqa: N818  (it is no error)
    """Somebody ended a review, or others wait for its seat."""


@dataclass
class Found:
    """What a review has found so far; only its thread writes into it."""

    record: GameRecord
    nodes: list[int]
    """The node after each number of moves."""
    visits: int
    """Simulations a position."""
    is_wanted: bool = True
    """Whether it shall go on: nobody has stopped it."""
    outlooks: list[Outlook] = field(default_factory=list)
    review: GameReview | None = None

    def as_dict(self) -> Json:
        """Return it for the page."""
        positions = [outlook_dict(outlook, self.record.rows) for outlook in self.outlooks]
        whole = as_dict(self.review) if self.review is not None else {"moves": [], "players": {}}
        return {
            "type": "review",
            "done": len(positions),
            "total": len(self.record.moves) + 1,
            "running": self.is_wanted and self.review is None,
            "nodes": self.nodes,
            "positions": positions,
            "moves": whole["moves"],
            "players": whole["players"],
        }


class Reviewing:
    """The review of one table's game; it goes on in the background while one leafs through."""

    def __init__(self, table: "Table"):
        self._table = table
        self._found: Found | None = None

    def clear(self) -> None:
        """Forget what was found, for another game."""
        self._table.stop("review")
        self._found = None

    def tell(self, listener: "Listener") -> None:
        """Tell a page that comes what was found so far."""
        if self._found is not None:
            listener.send(self._found.as_dict())

    def take(self, message: Review) -> None:
        """Begin or end a review."""
        self._table.stop("review")
        if message.on:
            self._found = None
            visits = min(max(message.visits, 1), MOST_VISITS)
            self._table.start("review", self._begin(visits))
        elif self._found is not None:
            self._end(self._found)

    def go_on(self) -> None:
        """Go on with a review that ended only because the last page was left."""
        found = self._found
        if found is not None and found.is_wanted and found.review is None:
            self._table.start("review", self._run(found))

    async def _begin(self, visits: int) -> None:
        table = self._table
        record = await table.house.in_thread(table.game.tree.fresh_record)
        self._found = Found(record, _nodes(table.game.tree), visits)
        await self._run(self._found)

    async def _run(self, found: Found) -> None:
        """Look at position after position; the seat is given up when others wait."""
        table, owner = self._table, f"{self._table.id} review"
        house = table.house
        look = self._look(found, asyncio.get_running_loop())
        try:
            while found.review is None:
                with contextlib.suppress(Stopped):
                    await house.engines.run(house.settings, owner, look, table.complain)
        except Exception:
            self._end(found)  # it would fail again
            raise
        self._show(found)

    def _look(self, found: Found, loop: asyncio.AbstractEventLoop) -> Work[None]:
        """Return what goes on with a review, in a thread, until its seat is wanted."""

        def look(engine: Engine, job: Job) -> None:
            def progress(done: int, total: int, outlook: Outlook) -> None:
                if job.is_stopped:
                    raise Stopped("the search was cut short: it tells too little")
                found.outlooks.append(outlook)
                loop.call_soon_threadsafe(self._show, found)
                if job.heed(gives_way=True) and done < total:
                    raise Stopped("the review gives its seat to others")

            known = list(found.outlooks)
            found.review = review_game(found.record, engine, limit, progress, known)

        def limit() -> Limit:
            return Limit(simulations=found.visits)

        return look

    def _end(self, found: Found) -> None:
        found.is_wanted = False
        self._show(found)

    def _show(self, found: Found) -> None:
        """Send what is known so far to all pages, unless another game or review has begun."""
        if found is self._found:
            self._table.tell(found.as_dict())


def _nodes(tree: GameTree) -> list[int]:
    """Return the node after each number of moves of the main line, the root first.

    A line that breaks off ends before the first node that cannot be read.
    """
    first, *others = tree.main_line()
    nodes = [first]
    with contextlib.suppress(TengenError):
        for number in others:
            if tree.move_at(number) is not None:
                nodes.append(number)
    return nodes
