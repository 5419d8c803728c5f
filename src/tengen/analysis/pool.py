"""Engines that work side by side, and the jobs that wait for them."""

import heapq
import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen.analysis.job import Job
from tengen.engine.settings import EngineSettings

if TYPE_CHECKING:
    from tengen.engine.engine import Engine

MakeEngine = Callable[[EngineSettings], "Engine"]
Work = Callable[[Job, Callable[[EngineSettings], "Engine"]], None]
"""Does a job to the end; the second argument gives an engine of some settings."""


class Pool:
    """Hands jobs to as many workers as positions are analysed at once.

    Jobs of greater priority come first, of equal ones the earlier. A job is either worked on to
    its end or, if it is terminated while it waits, given to `drop`: so each ends exactly once.
    """

    def __init__(self, workers: int, work: Work, drop: Callable[[Job], None], make: MakeEngine):
        self._work = work
        self._drop = drop
        self._make = make
        self._waiting: list[tuple[int, int, Job]] = []
        self._running: set[Job] = set()
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._making = threading.Lock()
        self._is_closed = False
        self._generation = 0
        self._first = _Seat(self)
        seats = [self._first, *(_Seat(self) for _ in range(workers - 1))]
        self._threads = [
            threading.Thread(target=self._serve, args=(seat,), daemon=True) for seat in seats
        ]

    def start(self, settings: EngineSettings) -> None:
        """Make the first engine and begin to work; raise TengenError if it cannot be made."""
        self._first.engine(settings)
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> None:
        """Have a job done."""
        with self._changed:
            heapq.heappush(self._waiting, (-job.priority, next(self._numbers), job))
            self._changed.notify()

    def terminate(self, is_meant: Callable[[Job], bool]) -> None:
        """End jobs: those that wait are dropped, those that are worked on end soon."""
        with self._changed:
            dropped = [job for _, _, job in sorted(self._waiting) if is_meant(job)]
            self._waiting = [entry for entry in self._waiting if not is_meant(entry[2])]
            heapq.heapify(self._waiting)
            for job in self._running:
                if is_meant(job):
                    job.terminate()
            self._changed.notify_all()
        for job in dropped:
            self._drop(job)

    def forget(self) -> None:
        """Have every engine made anew for its next job, with nothing remembered."""
        with self._changed:
            self._generation += 1

    def finish(self) -> None:
        """Wait until all jobs are done, and close."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    # Inside

    def _serve(self, seat: "_Seat") -> None:
        while (job := self._next()) is not None:
            try:
                self._work(job, seat.engine)
            finally:
                with self._changed:
                    self._running.discard(job)
                    job.end()

    def _next(self) -> Job | None:
        """Return the next job, when there is one; None after the last."""
        with self._changed:
            while not self._waiting:
                if self._is_closed:
                    return None
                self._changed.wait()
            _, _, job = heapq.heappop(self._waiting)
            self._running.add(job)
            return job

    def make_engine(self, settings: EngineSettings) -> "Engine":
        """Make an engine; one at a time, since the first compiles."""
        with self._making:
            return self._make(settings)

    @property
    def generation(self) -> int:
        """How often everything was forgotten."""
        return self._generation


class _Seat:
    """A worker's engine: kept from job to job while the settings stay the same."""

    def __init__(self, pool: Pool):
        self._pool = pool
        self._engine: Engine | None = None
        self._generation = 0

    def engine(self, settings: EngineSettings) -> "Engine":
        """Return an engine of these settings; raise TengenError if it cannot be made."""
        kept = self._engine
        is_fresh = self._generation == self._pool.generation
        if kept is None or not is_fresh or kept.settings != settings:
            self._engine = None
            self._generation = self._pool.generation
            self._engine = kept = self._pool.make_engine(settings)
        return kept
