"""A pool of engines shared by all games of a server.

At most `size` searches run at once, each in a separate thread; further requests wait in order. A
search stops soon after the task that awaits it is canceled.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tengen.engine import Engine, EngineSettings, create_engine
from tengen.search import SearchReport
from tengen.util import TengenError

MAX_SLICE_S = 1.0
"""A yielding search stops after this time if other requests are waiting."""
SPARE_ENGINES = 2
"""Idle engines kept in addition to `size`, to reuse their search trees."""
Result = TypeVar("Result")
ReadReport = Callable[[], SearchReport]
OnProblem = Callable[[str], object]
"""Called with each error raised by a user-defined source."""


def ignore(problem: str) -> None:
    """Ignore a problem."""


class SearchJob:
    """A running search: can be stopped from any thread and reports problems of its engine."""

    def __init__(self, count_waiting: Callable[[], int], on_problem: OnProblem = ignore):
        self._count_waiting = count_waiting
        self._on_problem = on_problem
        self._reported: set[str] = set()
        self._engine: Engine | None = None
        self._started_s = time.monotonic()
        self._lock = threading.Lock()
        self.is_stopped = False

    def start(self, engine: Engine) -> None:
        """Set the engine that runs the search."""
        self._engine = engine
        self._started_s = time.monotonic()

    def stop(self) -> None:
        """Stop the search soon; may be called from any thread."""
        self.is_stopped = True
        with self._lock:
            if self._engine is not None:
                self._engine.stop()

    def finish(self) -> None:
        """Release the engine, which may work for another job afterwards."""
        self.report_problems()
        with self._lock:
            self._engine = None

    def poll(self, yields: bool = False) -> bool:
        """Stop the engine if requested; return whether it was. Called between batches.

        A search that `yields` also stops after `MAX_SLICE_S` if other requests are waiting.
        """
        self.report_problems()
        is_slice_over = time.monotonic() - self._started_s > MAX_SLICE_S
        if self.is_stopped or (yields and is_slice_over and self._count_waiting() > 0):
            # Repeat the request: the engine may not have been searching at the first one.
            self.stop()
        return self.is_stopped

    def report_problems(self) -> None:
        """Report new problems of the engine's sources."""
        for problem in self._engine.problems if self._engine is not None else ():
            if problem not in self._reported:
                self._reported.add(problem)
                self._on_problem(problem)


SearchWork = Callable[[Engine, SearchJob], Result]


@dataclass
class _IdleEngine:
    settings: EngineSettings
    owner: str
    engine: Engine


@dataclass
class EnginePool:
    """Engines for a server. Coroutines belong to one event loop; searches run in threads."""

    size: int = field(default_factory=lambda: os.cpu_count() or 1)
    waiting: int = 0
    """Searches waiting for a thread."""
    running: int = 0
    """Searches in a thread, including stopped ones that have not ended yet."""

    def __post_init__(self) -> None:
        self._free = asyncio.Semaphore(self.size)
        self._threads = ThreadPoolExecutor(self.size, thread_name_prefix="search")
        self._idle: list[_IdleEngine] = []
        self._lock = threading.Lock()

    async def run(
        self,
        settings: EngineSettings,
        owner: str,
        work: SearchWork[Result],
        on_problem: OnProblem = ignore,
    ) -> Result:
        """Run `work` with an engine of these settings in a thread, when one is free.

        An owner gets its previous engine, with its search tree, if that is still idle.
        `on_problem` is called in the event loop.
        """
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        loop = asyncio.get_running_loop()
        job = SearchJob(
            lambda: self.waiting,
            lambda problem: loop.call_soon_threadsafe(on_problem, problem),
        )
        future = loop.run_in_executor(self._threads, self._work, settings, owner, work, job)
        future.add_done_callback(self._release_thread)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            job.stop()
            raise

    def warm_up(self, settings: EngineSettings) -> None:
        """Create the first engine now, so that kernels are loaded or compiled."""
        self._return_engine(settings, "", create_engine(settings))

    def close(self) -> None:
        """Accept no more work."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _release_thread(self, future: "asyncio.Future[Any]") -> None:
        if not future.cancelled():
            future.exception()  # mark as retrieved: the awaiting task may have been canceled
        self.running -= 1
        self._free.release()

    # In a thread

    def _work(
        self, settings: EngineSettings, owner: str, work: SearchWork[Result], job: SearchJob
    ) -> Result:
        engine = self._take_engine(settings, owner)
        job.start(engine)
        is_reusable = False
        try:
            result = work(engine, job)
            is_reusable = True
        except TengenError:
            is_reusable = True
            raise
        finally:
            job.finish()
            if is_reusable:
                self._return_engine(settings, owner, engine)
        return result

    def _take_engine(self, settings: EngineSettings, owner: str) -> Engine:
        """Return the owner's idle engine, else another one that fits, else a new one."""
        with self._lock:
            fitting = [idle for idle in self._idle if idle.settings == settings]
            own = [idle for idle in fitting if idle.owner == owner]
            is_full = len(self._idle) >= self.size + SPARE_ENGINES
            unowned = [idle for idle in fitting if not idle.owner]
            found = next(iter(own or unowned or (fitting if is_full else [])), None)
            if found is not None:
                self._idle.remove(found)
        return create_engine(settings) if found is None else found.engine

    def _return_engine(self, settings: EngineSettings, owner: str, engine: Engine) -> None:
        with self._lock:
            self._idle.append(_IdleEngine(settings, owner, engine))
            del self._idle[: -(self.size + SPARE_ENGINES)]
