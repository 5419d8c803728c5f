"""Searches for a room: the engine's move, a hint, continuous analysis."""

import asyncio
import copy
import time
from collections.abc import Callable

from tengen.board import Position
from tengen.engine import (
    Engine,
    EngineSettings,
    MoveDecision,
    Progress,
    TerritoryEstimate,
    estimate_territory,
    level_named,
)
from tengen.search import Candidate, SearchLimit, SearchReport
from tengen.util import TengenError
from tengen.web.engine_pool import ReadReport, Result, SearchJob, SearchWork
from tengen.web.messages import CandidateRow, HintMove, ScoreEstimateUpdate, SearchUpdate
from tengen.web.room import Room

HINT_S = 1.5
MAX_ANALYSIS_S = 300.0
"""Continuous analysis stops after this time, to save energy."""
REPORT_INTERVAL_S = 0.25
MAX_CANDIDATES = 20
MAX_LINE = 16


class RoomSearches:
    """Runs searches for one room; each coroutine ends soon after it is cancelled."""

    def __init__(self, room: Room, on_report: Callable[[], None]):
        """Call `on_report` after each update of the room's search report."""
        self._room = room
        self._context = room.context
        self._on_report = on_report

    async def decide(self) -> MoveDecision:
        """Let the engine choose a move at the level of the game."""
        game = self._room.game
        level = level_named(game.options.level)
        settings = self._context.settings.with_overrides(level.overrides)
        position, relay = game.position.copy(), self._relay()
        clock = copy.copy(game.clocks.sides[position.to_play])

        def think(engine: Engine, job: SearchJob) -> MoveDecision:
            return engine.think(position, clock, relay.progress(job))

        decision = await self._run(settings, think)
        if decision.report is not None:
            self._publish(decision.report)
        return decision

    async def hint(self) -> None:
        """Broadcast the move that the engine would play at full strength."""
        game = self._room.game
        position, node, relay = game.position.copy(), game.node, self._relay()
        playouts = self._context.settings.play.playouts

        def think(engine: Engine, job: SearchJob) -> SearchReport:
            limit = SearchLimit(simulations=playouts) if playouts else SearchLimit.after(HINT_S)
            return engine.analyze(position, limit, relay.progress(job), is_dynamic=True)

        report = await self._run(self._context.settings, think)
        candidates = search_update(report, position, node).candidates
        if not candidates:
            raise TengenError("no legal move to suggest")
        best = candidates[0]
        color = position.to_play.name.lower()
        hint = HintMove(node, color, best.vertex, best.value, report.visits, best.line)
        self._room.broadcast(hint)

    async def estimate_score(self) -> None:
        """Broadcast an estimate of score and territory."""
        position, node = self._room.game.position.copy(), self._room.game.node

        def search(engine: Engine, job: SearchJob) -> TerritoryEstimate:
            def poll(read: ReadReport) -> None:
                job.poll()

            return estimate_territory(engine, position, poll)

        estimate = await self._run(self._context.settings, search)
        self._room.broadcast(
            ScoreEstimateUpdate(
                node,
                estimate.text,
                estimate.lead,
                estimate.error,
                estimate.visits,
                estimate.ownership.round(2).tolist(),
                [position.vertex(stone) for stone in estimate.dead],
            )
        )

    async def analyze(self) -> None:
        """Search the position in slices, so that waiting searches get a turn."""
        position, relay = self._room.game.position.copy(), self._relay()
        until_s = time.monotonic() + MAX_ANALYSIS_S

        def search(engine: Engine, job: SearchJob) -> SearchReport:
            progress = relay.progress(job, yields=True)
            return engine.analyze(position, SearchLimit(until_s=until_s), progress)

        while time.monotonic() < until_s:
            self._publish(await self._run(self._context.settings, search))

    async def _run(self, settings: EngineSettings, work: SearchWork[Result]) -> Result:
        room = self._room
        return await self._context.engines.run(settings, room.id, work, room.report_problem)

    def _relay(self) -> "ReportRelay":
        """Return a relay that drops reports once another node is current."""
        game, node = self._room.game, self._room.game.node

        def take(report: SearchReport) -> None:
            if self._room.game is game and game.node == node:
                self._publish(report)

        return ReportRelay(take)

    def _publish(self, report: SearchReport) -> None:
        game = self._room.game
        self._room.report = report
        self._room.broadcast(search_update(report, game.position, game.node))
        self._on_report()


class ReportRelay:
    """Passes reports from a search thread to the event loop, a few times per second."""

    def __init__(self, take: Callable[[SearchReport], None]):
        """Create a relay in the event loop in which `take` will be called."""
        self._take = take
        self._loop = asyncio.get_running_loop()
        self._next_s = 0.0

    def progress(self, job: SearchJob, yields: bool = False) -> Progress:
        """Return the progress callback of a search."""

        def call(read: ReadReport) -> None:
            is_stopped = job.poll(yields)
            if not is_stopped and time.monotonic() >= self._next_s:
                self._next_s = time.monotonic() + REPORT_INTERVAL_S
                self._loop.call_soon_threadsafe(self._take, read())

        return call


def search_update(report: SearchReport, position: Position, node: int) -> SearchUpdate:
    """Return the message for a report."""
    visited = [candidate for candidate in report.candidates if candidate.visits > 0]
    return SearchUpdate(
        node,
        report.visits,
        report.value,
        report.nodes,
        report.depth,
        [_candidate_row(candidate, position) for candidate in visited[:MAX_CANDIDATES]],
    )


def _candidate_row(candidate: Candidate, position: Position) -> CandidateRow:
    return CandidateRow(
        position.vertex(candidate.move),
        candidate.visits,
        candidate.value,
        candidate.policy,
        candidate.rave_value if candidate.rave_visits else None,
        [position.vertex(move) for move in candidate.line[:MAX_LINE]],
    )
