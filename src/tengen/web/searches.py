"""Searches for a room: the engine's move, a hint, continuous analysis."""

import asyncio
import copy
import functools
import time
from collections.abc import Callable

from tengen.board import Position
from tengen.engine import (
    Engine,
    EngineSettings,
    MoveDecision,
    Progress,
    TerritoryEstimate,
    candidate_lead,
    estimate_from,
    estimate_territory,
    evaluate_with_net,
)
from tengen.nets import Evaluation
from tengen.search import NEVER, Candidate, SearchLimit, SearchReport
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
    """Runs searches for one room; each coroutine ends soon after it is canceled."""

    def __init__(self, room: Room, on_report: Callable[[], None]):
        """Call `on_report` after each update of the room's search report."""
        self._room = room
        self._context = room.context
        self._on_report = on_report

    async def decide(self) -> MoveDecision:
        """Let the engine choose a move at the level of the game."""
        game = self._room.game
        settings = self._room.settings.with_overrides(game.options.overrides)
        position, relay = game.position.copy(), self._relay("move", settings)
        clock = copy.copy(game.clocks.sides[position.to_play])

        def think(engine: Engine, job: SearchJob) -> MoveDecision:
            decision = engine.think(position, clock, relay.progress(job))
            if decision.report is not None:
                relay.report(decision.report)
            return decision

        return await self._run(settings, think)

    async def hint(self) -> None:
        """Broadcast the move that the engine would play at full strength."""
        game = self._room.game
        settings = self._room.settings
        position, node, relay = game.position.copy(), game.node, self._relay("hint", settings)
        playouts = settings.play.playouts

        def think(engine: Engine, job: SearchJob) -> SearchReport:
            limit = SearchLimit(simulations=playouts) if playouts else SearchLimit.after(HINT_S)
            return engine.analyze(position, limit, relay.progress(job), is_dynamic=True)

        report = await self._run(settings, think)
        best = next((one for one in report.candidates if one.visits > 0), None)
        if best is None:
            raise TengenError("no legal move to suggest")
        line = [position.vertex(move) for move in best.line[:MAX_LINE]]
        color = position.to_play.name.lower()
        hint = HintMove(node, color, line[0], best.value, report.visits, line)
        self._room.broadcast(hint)

    async def estimate_score(self) -> None:
        """Broadcast an estimate of score and territory."""
        position, node = self._room.game.position.copy(), self._room.game.node

        def search(engine: Engine, job: SearchJob) -> TerritoryEstimate:
            def poll(read: ReadReport) -> None:
                job.poll()

            return estimate_territory(engine, position, poll)

        estimate = await self._run(self._room.settings, search)
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

    async def analyze(self, seconds: float | None, visits: int | None) -> None:
        """Search the position in slices, so that waiting searches get a turn."""
        settings = self._room.settings
        position, relay = self._room.game.position.copy(), self._relay("analysis", settings)
        until_s = time.monotonic() + min(seconds or MAX_ANALYSIS_S, MAX_ANALYSIS_S)

        def search(engine: Engine, job: SearchJob) -> bool:
            limit = SearchLimit(until_s=until_s, visits=visits or NEVER)
            report = engine.analyze(position, limit, relay.progress(job, yields=True))
            relay.report(report)
            return job.is_stopped

        while await self._run(settings, search) and time.monotonic() < until_s:
            pass

    async def _run(self, settings: EngineSettings, work: SearchWork[Result]) -> Result:
        room = self._room
        return await self._context.engines.run(settings, room.id, work, room.report_problem)

    def _relay(self, kind: str, settings: EngineSettings) -> "ReportRelay":
        """Return a relay that drops reports once another node is current."""
        game, node = self._room.game, self._room.game.node

        def take(report: SearchReport, update: SearchUpdate) -> None:
            if self._room.game is game and game.node == node:
                self._room.report = report
                self._room.broadcast(update)
                self._on_report()

        return ReportRelay(take, UpdateWriter(kind, game.position.copy(), node, settings))


class UpdateWriter:
    """Converts the reports of one search to messages; in a search thread."""

    def __init__(self, kind: str, position: Position, node: int, settings: EngineSettings):
        self._kind = kind
        self._position = position
        self._node = node
        self._net = settings.play.net

    @functools.cached_property
    def _evaluation(self) -> Evaluation | None:
        return evaluate_with_net(self._net, self._position)

    def write(self, report: SearchReport) -> SearchUpdate:
        """Return the message for a report."""
        position = self._position
        score = estimate_from(report, position, self._evaluation)
        visited = [candidate for candidate in report.candidates if candidate.visits > 0]
        leads = [candidate_lead(one, score, position.to_play) for one in visited[:MAX_CANDIDATES]]
        value = report.value if report.estimate is None else report.estimate.winrate
        return SearchUpdate(
            node=self._node,
            kind=self._kind,
            to_play=position.to_play.name.lower(),
            visits=report.visits,
            value=value,
            lead=score.lead,
            error=score.stdev,
            nodes=report.nodes,
            depth=report.depth,
            ownership=score.ownership.round(2).tolist(),
            candidates=[
                _candidate_row(candidate, position, lead, leads[0])
                for candidate, lead in zip(visited, leads, strict=False)
            ],
        )


class ReportRelay:
    """Passes reports from a search thread to the event loop, a few times per second."""

    def __init__(self, take: Callable[[SearchReport, SearchUpdate], None], writer: UpdateWriter):
        """Create a relay in the event loop in which `take` will be called."""
        self._take = take
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._next_s = 0.0

    def report(self, report: SearchReport) -> None:
        """Pass a report on."""
        self._loop.call_soon_threadsafe(self._take, report, self._writer.write(report))

    def progress(self, job: SearchJob, yields: bool = False) -> Progress:
        """Return the progress callback of a search."""

        def call(read: ReadReport) -> None:
            is_stopped = job.poll(yields)
            if not is_stopped and time.monotonic() >= self._next_s:
                self._next_s = time.monotonic() + REPORT_INTERVAL_S
                self.report(read())

        return call


def _candidate_row(
    candidate: Candidate, position: Position, lead: float, best_lead: float
) -> CandidateRow:
    estimate = candidate.estimate
    return CandidateRow(
        position.vertex(candidate.move),
        candidate.visits,
        candidate.value if estimate is None else estimate.winrate,
        lead,
        best_lead - lead,
        candidate.policy,
        candidate.rave_value if candidate.rave_visits else None,
        [position.vertex(move) for move in candidate.line[:MAX_LINE]],
    )
