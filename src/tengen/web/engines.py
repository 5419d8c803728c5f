"""Engines for all tables: a few of them, lent to whoever is next in line.

At most as many searches run as there are seats, each in a thread of its own; the others wait
their turn. A search ends soon when the task that waits for it is cancelled.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.search.report import SearchReport

SLICE_S = 1.0
"""A search without an end gives its seat up after so long, if somebody waits."""
SPARE = 2
"""Idle engines that are kept beyond the seats, for the trees in them."""
Result = TypeVar("Result")
Read = Callable[[], SearchReport]
Complain = Callable[[str], object]
"""Is told what a source raised."""


def ignore(problem: str) -> None:
    """Tell nobody of a problem."""


class Job:
    """One search: tells whether it is still wanted, and whether others wait for its seat."""

    def __init__(self, line: "Callable[[], int]", complain: Complain = ignore):
        self._line = line
        self._complain = complain
        self._told: set[str] = set()
        self._engine: Engine | None = None
        self._begun_s = time.monotonic()
        self._guard = threading.Lock()
        self.is_stopped = False

    def begin(self, engine: Engine) -> None:
        """Note the engine that works for it."""
        self._engine = engine
        self._begun_s = time.monotonic()

    def stop(self) -> None:
        """End it soon; may be called from any thread."""
        self.is_stopped = True
        with self._guard:
            if self._engine is not None:
                self._engine.stop()

    def end(self) -> None:
        """Forget the engine, which may work for another soon."""
        self.tell_problems()
        with self._guard:
            self._engine = None

    def heed(self, gives_way: bool = False) -> bool:
        """Be called between batches: stop the engine if that is wanted; return whether it is."""
        self.tell_problems()
        has_sat_long = time.monotonic() - self._begun_s > SLICE_S
        if self.is_stopped or (gives_way and has_sat_long and self._line() > 0):
            # Again and again: an engine that was about to begin did not hear the first time.
            self.stop()
        return self.is_stopped

    def tell_problems(self) -> None:
        """Complain of what the engine's sources raised and was not told yet."""
        for problem in self._engine.problems if self._engine is not None else ():
            if problem not in self._told:
                self._told.add(problem)
                self._complain(problem)


Work = Callable[[Engine, Job], Result]


@dataclass
class _Idle:
    settings: EngineSettings
    owner: str
    engine: Engine


@dataclass
class EnginePool:
    """Lends engines. Its coroutines belong to one event loop, the work runs in threads."""

    seats: int = field(default_factory=lambda: os.cpu_count() or 1)
    waiting: int = 0
    """Searches that wait for a seat."""
    running: int = 0
    """Searches that have one; those that were told to stop too, until they have ended."""

    def __post_init__(self) -> None:
        self._free = asyncio.Semaphore(self.seats)
        self._threads = ThreadPoolExecutor(self.seats, thread_name_prefix="search")
        self._idle: list[_Idle] = []
        self._guard = threading.Lock()

    async def run(
        self,
        settings: EngineSettings,
        owner: str,
        work: Work[Result],
        complain: Complain = ignore,
    ) -> Result:
        """Let an engine of these settings work in a thread, when a seat is free.

        An owner gets the engine it had before if that is still there, with its tree. What its
        sources raise is complained of in the event loop, as it comes.
        """
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        loop = asyncio.get_running_loop()
        job = Job(lambda: self.waiting, lambda said: loop.call_soon_threadsafe(complain, said))
        future = loop.run_in_executor(self._threads, self._work, settings, owner, work, job)
        future.add_done_callback(self._seat_is_free)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            job.stop()
            raise

    def warm_up(self, settings: EngineSettings) -> None:
        """Make the first engine now: kernels are loaded, or compiled, before anyone waits."""
        self._give_back(settings, "", Engine(settings))

    def close(self) -> None:
        """Take no more work."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _seat_is_free(self, future: "asyncio.Future[Any]") -> None:
        if not future.cancelled():
            future.exception()  # whoever waited has it, or nobody wants it any more
        self.running -= 1
        self._free.release()

    # In a thread

    def _work(self, settings: EngineSettings, owner: str, work: Work[Result], job: Job) -> Result:
        engine = self._take(settings, owner)
        job.begin(engine)
        is_well = False
        try:
            result = work(engine, job)
            is_well = True
        except TengenError:  # a word for the person
            is_well = True
            raise
        finally:
            job.end()
            if is_well:
                self._give_back(settings, owner, engine)
        return result

    def _take(self, settings: EngineSettings, owner: str) -> Engine:
        """Return the owner's engine, else another that is idle and fits, else a new one."""
        with self._guard:
            fitting = [idle for idle in self._idle if idle.settings == settings]
            own = [idle for idle in fitting if idle.owner == owner]
            is_full = len(self._idle) >= self.seats + SPARE
            nobodys = [idle for idle in fitting if not idle.owner]
            found = next(iter(own or nobodys or (fitting if is_full else [])), None)
            if found is not None:
                self._idle.remove(found)
        return Engine(settings) if found is None else found.engine

    def _give_back(self, settings: EngineSettings, owner: str, engine: Engine) -> None:
        with self._guard:
            self._idle.append(_Idle(settings, owner, engine))
            del self._idle[: -(self.seats + SPARE)]
