"""A crew: workers that are kept busy, and replaced when they break down."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from types import TracebackType
from typing import Generic, Self, TypeVar

from tengen.core.errors import TengenError
from tengen.match.workers import Workers

MOST_BREAKDOWNS = 5
"""So many times in a row the workers may die without a result."""
TICK_S = 0.5

Job = TypeVar("Job")
Task = TypeVar("Task")
Result = TypeVar("Result")


class Crew(Generic[Job, Task, Result]):
    """Has tasks done, each under the name of a job.

    Inside `with`: at its end the workers finish; on any exception, Ctrl-C among them, they are
    stopped at once, and the jobs that were under way stay in `running`.
    """

    def __init__(self, workers: Workers, work: Callable[[Task], Result]):
        """Take what works, and what it does with a task."""
        self._workers = workers
        self._work = work
        self._running: dict[Future[Result], Job] = {}
        self._is_broken = False
        self._breakdowns = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._workers.finish()
        else:
            self._workers.stop()

    @property
    def running(self) -> list[Job]:
        """The jobs under way."""
        return list(self._running.values())

    @property
    def has_room(self) -> bool:
        """Whether a worker is idle."""
        return len(self._running) < self._workers.count

    def start(self, job: Job, task: Task) -> None:
        """Have a task done."""
        try:
            future = self._workers.executor.submit(self._work, task)
        except self._workers.breakdowns as error:
            # They broke since we looked last: as if they had died with this task.
            future = Future()
            future.set_exception(error)
        self._running[future] = job

    def results(self) -> Iterator[tuple[Job, Result | None]]:
        """Wait a moment at most; yield the jobs that ended, None for the result of a lost one.

        A job is lost when its worker died; there are new workers then. Raise TengenError if they
        die again and again, and whatever a task raised.
        """
        done, _ = wait(self._running, TICK_S, FIRST_COMPLETED)
        yield from self._take(done)
        if self._is_broken:
            yield from self._recover()

    def _take(self, done: Iterable[Future[Result]]) -> Iterator[tuple[Job, Result | None]]:
        for future in done:
            job = self._running.pop(future)
            result: Result | None = None
            try:
                result = future.result()
                self._breakdowns = 0
            except self._workers.breakdowns:
                self._is_broken = True
            yield job, result

    def _recover(self) -> Iterator[tuple[Job, Result | None]]:
        """Start new workers; where all broke, take first what they still finished."""
        self._breakdowns += 1
        if self._breakdowns > MOST_BREAKDOWNS:
            raise TengenError(
                f"the workers died {self._breakdowns} times without a result: see what they say"
            )
        if self._workers.break_together:
            done, _ = wait(self._running)
            yield from self._take(done)
        self._workers.restart()
        self._is_broken = False
