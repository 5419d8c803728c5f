"""Answers questions: reads them, has them worked on, and sends the replies."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.analysis.actions import act
from tengen.analysis.fields import FieldError
from tengen.analysis.job import Job
from tengen.analysis.pool import Pool
from tengen.analysis.query import read_query
from tengen.analysis.reply import Reply, failure, no_results, result
from tengen.core.errors import TengenError
from tengen.engine.katago_settings import Perspective
from tengen.engine.settings import EngineSettings
from tengen.search.limit import NEVER, Limit

if TYPE_CHECKING:
    from tengen.engine.engine import Engine, Progress
    from tengen.search.report import SearchReport


@dataclass(frozen=True)
class Defaults:
    """What holds for questions that do not say otherwise."""

    visits: int | None = None
    seconds: float | None = None
    perspective: Perspective = Perspective.BLACK
    positions: int = 1
    """How many are analysed at once."""


class Analyst:
    """One connection: `hear` takes lines, replies go to `send`, from several threads."""

    def __init__(
        self,
        settings: EngineSettings,
        defaults: Defaults,
        send: Callable[[Reply], None],
        make_engine: "Callable[[EngineSettings], Engine]",
    ):
        self.settings = settings
        self.send = send
        self._defaults = defaults
        self._told: set[str] = set()
        self.pool = Pool(defaults.positions, self._work, self._drop, make_engine)

    def start(self) -> None:
        """Make the first engine; raise TengenError if that fails."""
        self.pool.start(self.settings)

    def hear(self, line: str) -> None:
        """Take one line. Nothing is raised: what is wrong with it is told."""
        if not line.strip():
            return
        try:
            given = json.loads(line)
        except (ValueError, RecursionError) as error:
            self.send({"error": f"Could not parse input line as JSON: {error}"})
            return
        if not isinstance(given, dict):
            self.send({"error": "The line must be a JSON object"})
            return
        self._answer(given)

    def _answer(self, given: dict[str, Any]) -> None:
        query_id = given.get("id")
        if not isinstance(query_id, str):
            self.send({"error": "id is missing or no string", "field": "id"})
            return
        try:
            if "action" in given:
                act(self, given)
            else:
                self._ask(query_id, given)
        except FieldError as error:
            self.send({"error": str(error), "field": error.field, "id": query_id})
        except Exception as error:
            # Whatever is wrong with it, it gets an answer and the others go on.
            self.send({"error": _internal(error), "id": query_id})

    def _ask(self, query_id: str, given: dict[str, Any]) -> None:
        query = read_query(query_id, given, self.settings)
        for field, message in query.warnings:
            self.send({"warning": message, "field": field, "id": query_id})
        for turn in query.positions:
            self.pool.submit(Job(query, turn))

    # Working on it, in threads

    def _drop(self, job: Job) -> None:
        self.send(no_results(job))

    def _work(self, job: Job, engine_for: "Callable[[EngineSettings], Engine]") -> None:
        """Do a job and send its final reply, whatever happens."""
        try:
            engine = engine_for(self.settings.with_words(job.query.words))
            self.send(self._analyse(job, engine))
        except TengenError as error:
            self.send(failure(job, str(error)))
        except Exception as error:
            # Whatever went wrong, the question gets its answer and the others go on.
            self.send(failure(job, _internal(error)))

    def _analyse(self, job: Job, engine: "Engine") -> Reply:
        """Search, and return the final reply."""
        job.begin(engine)
        if job.is_terminated:
            return no_results(job)
        allowed = job.limits.moves(job.position)
        progress = self._progress(job, engine)
        report = engine.analyse(job.position, self._limit(job), progress, allowed)
        self._tell(engine.problems)
        if report.visits == 0:
            return no_results(job)
        return self._result(job, report, engine, is_during_search=False)

    def _tell(self, problems: list[str]) -> None:
        """Tell on stderr, once, what knowledge sources raised."""
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                print(f"tengen: {problem}; going on without it", file=sys.stderr, flush=True)

    def _result(
        self, job: Job, report: "SearchReport", engine: "Engine", is_during_search: bool
    ) -> Reply:
        perspective = job.query.perspective
        if perspective is None:
            perspective = self._defaults.perspective
        return result(job, report, perspective, engine.settings.play, is_during_search)

    def _limit(self, job: Job) -> Limit:
        """Return when the search ends: by visits, by time, whichever is first."""
        visits = job.query.visits or self._defaults.visits
        seconds = job.query.seconds or self._defaults.seconds
        if visits is None and seconds is None:
            return self.settings.play.limit()
        return Limit.after(seconds, visits)

    def _progress(self, job: Job, engine: "Engine") -> "Progress":
        """Return what looks on: it ends a terminated search and sends partial results."""
        every_s = job.query.report_every_s
        first_s = job.query.first_report_s or every_s
        next_s = NEVER if first_s is None else time.monotonic() + first_s

        def look(read: "Callable[[], SearchReport]") -> None:
            nonlocal next_s
            if job.is_terminated:
                engine.stop()
            elif time.monotonic() >= next_s:
                self.send(self._result(job, read(), engine, is_during_search=True))
                next_s = NEVER if every_s is None else time.monotonic() + every_s

        return look


def _internal(error: Exception) -> str:
    """Tell on stderr of what nobody foresaw, and return it for the one who asked."""
    print(f"tengen: internal error: {error!r}", file=sys.stderr, flush=True)
    return f"internal error: {error!r}"
