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
from tengen.web.engines import Job
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
            "nodes": self.nodes,
            "positions": positions,
            "moves": whole["moves"],
            "players": whole["players"],
        }


class Reviewing:
    """The review of one table's game; it goes on in the background while one leafs through."""

    def __init__(self, table: "Table"):
        self._table = table
        self._told: Json | None = None

    def clear(self) -> None:
        """Forget what was found, for another game."""
        self._table.stop("review")
        self._told = None

    def tell(self, listener: "Listener") -> None:
        """Tell a page that comes what was found so far."""
        if self._told is not None:
            listener.send(self._told)

    def take(self, message: Review) -> None:
        """Begin or end a review."""
        self._table.stop("review")
        if message.on:
            visits = min(max(message.visits, 1), MOST_VISITS)
            self._table.start("review", self._run(visits))

    async def _run(self, visits: int) -> None:
        """Look at position after position; the seat is given up when others wait."""
        table = self._table
        record = await table.house.in_thread(table.game.tree.fresh_record)
        found = Found(record, _nodes(table.game.tree))
        loop = asyncio.get_running_loop()

        def look(engine: Engine, job: Job) -> None:
            def progress(done: int, total: int, outlook: Outlook) -> None:
                found.outlooks.append(outlook)
                loop.call_soon_threadsafe(self._show, found)
                if job.heed(gives_way=True) and done < total:
                    raise Stopped("the review gives its seat to others")

            known = list(found.outlooks)
            found.review = review_game(record, engine, limit, progress, known)

        def limit() -> Limit:
            return Limit(simulations=visits)

        while found.review is None:
            with contextlib.suppress(Stopped):
                await table.house.engines.run(table.house.settings, f"{table.id} review", look)
        self._show(found)

    def _show(self, found: Found) -> None:
        """Send what is known so far to all pages."""
        self._told = found.as_dict()
        self._table.tell(self._told)


def _nodes(tree: GameTree) -> list[int]:
    """Return the node after each number of moves of the main line, the root first."""
    line = tree.main_line()
    return [line[0], *(number for number in line[1:] if tree.move_at(number) is not None)]
