"""What an engine does for a table: its move, a hint, an analysis without an end."""

import time
from typing import TYPE_CHECKING

from tengen.core.errors import TengenError
from tengen.engine.engine import Decision, Engine
from tengen.engine.levels import level_named
from tengen.engine.settings import EngineSettings
from tengen.search.limit import Limit
from tengen.search.report import SearchReport
from tengen.web.engines import Job, Result, Work
from tengen.web.reports import Relay, search_message

if TYPE_CHECKING:
    from tengen.web.table import Table

HINT_S = 1.5
LONGEST_ANALYSIS_S = 300.0
"""A search that nobody ends stops after so long: laptops get hot."""


class Thinking:
    """The searches of one table; each coroutine ends soon when its task is cancelled."""

    def __init__(self, table: "Table"):
        self._table = table
        self._house = table.house
        self.report: SearchReport | None = None
        """The newest of a search at the present node."""

    async def decide(self) -> Decision:
        """Let the engine of the game's level think about the present position."""
        game = self._table.game
        settings = level_named(game.seats.level).settings(self._house.settings)
        position, relay = game.position.copy(), self._relay()
        clock = game.clocks.sides[position.to_play].for_engine()

        def think(engine: Engine, job: Job) -> Decision:
            return engine.think(position, clock, relay.progress(job))

        decision = await self._ask(settings, think)
        if decision.report is not None:
            self._show(decision.report)
        return decision

    async def hint(self) -> None:
        """Tell what the engine, as strong as it is, would play."""
        game = self._table.game
        position, node, relay = game.position.copy(), game.at, self._relay()
        playouts = self._house.settings.play.playouts

        def think(engine: Engine, job: Job) -> SearchReport:
            limit = Limit(simulations=playouts) if playouts else Limit.after(HINT_S)
            return engine.analyse(position, limit, relay.progress(job), is_dynamic=True)

        report = await self._ask(self._house.settings, think)
        candidates = search_message(report, position, node)["candidates"]
        if not candidates:
            raise TengenError("there is no move left to advise")
        self._table.tell({**candidates[0], "type": "hint", "node": node})

    async def analyse(self) -> None:
        """Search the position in slices, so that others get their turn between them."""
        position, relay = self._table.game.position.copy(), self._relay()
        until_s = time.monotonic() + LONGEST_ANALYSIS_S

        def look(engine: Engine, job: Job) -> SearchReport:
            progress = relay.progress(job, gives_way=True)
            return engine.analyse(position, Limit(until_s=until_s), progress)

        while time.monotonic() < until_s:
            self._show(await self._ask(self._house.settings, look))

    async def _ask(self, settings: EngineSettings, work: Work[Result]) -> Result:
        table = self._table
        return await self._house.engines.run(settings, table.id, work, table.complain)

    def _relay(self) -> Relay:
        """Return a way for reports that belong to the present node, and to no other."""
        game, node = self._table.game, self._table.game.at

        def take(report: SearchReport) -> None:
            if self._table.game is game and game.at == node:
                self._show(report)

        return Relay(take)

    def _show(self, report: SearchReport) -> None:
        game = self._table.game
        self.report = report
        self._table.tell(search_message(report, game.position, game.at))
        self._table.looks.refresh_search()
