"""Jobs of the analysis server and the pool of engines that runs them."""

import heapq
import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen.board import Position
from tengen.engine import EngineSettings, MoveRestrictions
from tengen.protocols.analysis.query import Query

if TYPE_CHECKING:
    from tengen.engine import Engine

MakeEngine = Callable[[EngineSettings], "Engine"]
RunJob = Callable[["AnalysisJob", MakeEngine], None]
"""Runs a job to its end; the second argument returns an engine with given settings."""


class AnalysisJob:
    """One turn of a query; it can be terminated from another thread."""

    def __init__(self, query: Query, turn: int):
        self.query = query
        self.turn = turn
        self.position: Position = query.positions[turn]
        self.restrictions: MoveRestrictions = query.restrictions[self.position.to_play]
        self.is_terminated = False
        self._engine: Engine | None = None

    @property
    def priority(self) -> int:
        """The priority; higher runs first."""
        return self.query.priorities[self.turn]

    def begin(self, engine: "Engine") -> None:
        """Register the engine that runs the job."""
        self._engine = engine

    def terminate(self) -> None:
        """Stop the search of this job, if there is one.

        `Engine.stop` has no effect on a search that has not begun, so the search must also poll
        `is_terminated`.
        """
        self.is_terminated = True
        if self._engine is not None:
            self._engine.stop()

    def end(self) -> None:
        """Release the engine, which may then run another job."""
        self._engine = None


class AnalysisPool:
    """Runs jobs on several threads, each with its own engine.

    Jobs with higher priority run first, equal ones in order of submission. Every job ends exactly
    once: it is either run to its end or, if it is terminated while it waits, passed to `drop`.
    """

    def __init__(
        self,
        workers: int,
        run: RunJob,
        drop: Callable[[AnalysisJob], None],
        make_engine: MakeEngine,
    ):
        self._run = run
        self._drop = drop
        self._make_engine = make_engine
        self._waiting: list[tuple[int, int, AnalysisJob]] = []
        self._running: set[AnalysisJob] = set()
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._creating = threading.Lock()
        self._is_closed = False
        self.generation = 0
        """Number of times the pool was cleared."""
        self._workers = [_Worker(self) for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._serve, args=(worker,), daemon=True)
            for worker in self._workers
        ]

    def start(self, settings: EngineSettings) -> None:
        """Create the first engine and start the threads; raise TengenError if creation fails."""
        self._workers[0].engine(settings)
        for thread in self._threads:
            thread.start()

    def submit(self, job: AnalysisJob) -> None:
        """Queue a job."""
        with self._changed:
            heapq.heappush(self._waiting, (-job.priority, next(self._numbers), job))
            self._changed.notify()

    def terminate(self, is_selected: Callable[[AnalysisJob], bool]) -> None:
        """Terminate jobs: waiting ones are dropped, running ones are stopped."""
        with self._changed:
            dropped = [job for _, _, job in sorted(self._waiting) if is_selected(job)]
            self._waiting = [entry for entry in self._waiting if not is_selected(entry[2])]
            heapq.heapify(self._waiting)
            for job in self._running:
                if is_selected(job):
                    job.terminate()
            self._changed.notify_all()
        for job in dropped:
            self._drop(job)

    def clear(self) -> None:
        """Replace every engine before its next job, so that nothing is cached."""
        with self._changed:
            self.generation += 1

    def finish(self) -> None:
        """Wait until all jobs have ended, then close the pool."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def make_engine(self, settings: EngineSettings) -> "Engine":
        """Create an engine; one at a time, since the first compiles kernels."""
        with self._creating:
            return self._make_engine(settings)

    def _serve(self, worker: "_Worker") -> None:
        while (job := self._next()) is not None:
            try:
                self._run(job, worker.engine)
            finally:
                with self._changed:
                    self._running.discard(job)
                    job.end()

    def _next(self) -> AnalysisJob | None:
        """Wait for the next job; return None after the last."""
        with self._changed:
            while not self._waiting:
                if self._is_closed:
                    return None
                self._changed.wait()
            _, _, job = heapq.heappop(self._waiting)
            self._running.add(job)
            return job


class _Worker:
    """The engine of one thread, kept from job to job while the settings stay the same."""

    def __init__(self, pool: AnalysisPool):
        self._pool = pool
        self._engine: Engine | None = None
        self._generation = 0

    def engine(self, settings: EngineSettings) -> "Engine":
        """Return an engine with these settings; raise TengenError if it cannot be created."""
        engine = self._engine
        is_current = self._generation == self._pool.generation
        if engine is None or not is_current or engine.settings != settings:
            self._engine = None
            self._generation = self._pool.generation
            self._engine = engine = self._pool.make_engine(settings)
        return engine
