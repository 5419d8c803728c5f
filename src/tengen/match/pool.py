"""Worker backends (local processes, Dask, this process) and the pool that keeps them busy."""

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import suppress
from types import TracebackType
from typing import Generic, ParamSpec, Protocol, Self, TypeVar

from tengen import __version__
from tengen.match.worker import close_players, kill_players, start_worker
from tengen.util import TengenError, install_command

MAX_FAILURES = 5
"""Worker failures in a row, without a result, before the pool gives up."""
POLL_S = 0.5
CONNECT_TIMEOUT_S = 10
RECONNECT_TIMEOUT_S = 15.0
"""Time to wait for a scheduler that was lost."""
VERSION_EXPRESSION = "__import__('tengen').__version__"
"""Evaluated on workers, which may have a version without any function of this one."""

Args = ParamSpec("Args")
Job = TypeVar("Job")
Task = TypeVar("Task")
Result = TypeVar("Result")


class Workers(Protocol):
    """A backend that runs tasks."""

    @property
    def executor(self) -> Executor:
        """The executor of the tasks."""

    @property
    def count(self) -> int:
        """Number of tasks to run in parallel."""

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """Exceptions of a future whose worker died."""

    @property
    def fail_together(self) -> bool:
        """Whether the death of one worker ends the tasks of all workers."""

    def restart(self) -> None:
        """Replace a broken executor."""

    def finish(self) -> None:
        """Shut down after the last task; engines quit."""

    def stop(self) -> None:
        """Stop immediately: running tasks are lost and engines are killed."""


class _SynchronousExecutor(Executor):
    """Runs each task in the calling thread, so that Ctrl-C takes effect immediately."""

    def submit(
        self, task: Callable[Args, Result], /, *args: Args.args, **named: Args.kwargs
    ) -> Future[Result]:
        """Run a task; its exceptions are raised here."""
        future: Future[Result] = Future()
        future.set_result(task(*args, **named))
        return future


class InProcessWorkers:
    """One task at a time in this process, for short matches and notebooks."""

    count = 1
    failures: tuple[type[Exception], ...] = ()
    fail_together = True

    def __init__(self) -> None:
        self.executor: Executor = _SynchronousExecutor()

    def restart(self) -> None:
        """Do nothing."""

    def finish(self) -> None:
        """Quit idle engines."""
        close_players()

    def stop(self) -> None:
        """Kill the engines."""
        kill_players()


class LocalWorkers:
    """Processes on this machine. They and their engines end with this process."""

    failures: tuple[type[Exception], ...] = (BrokenExecutor,)
    fail_together = True

    def __init__(self, count: int):
        """Create a pool of `count` processes, which start with the first tasks."""
        self.count = count
        self._open()

    def _open(self) -> None:
        # Forked workers would inherit the writing end and keep the lifeline open.
        context = multiprocessing.get_context("spawn")
        self._reader, self._writer = context.Pipe(duplex=False)
        self.executor: Executor = ProcessPoolExecutor(
            self.count, context, initializer=start_worker, initargs=(self._reader,)
        )

    def restart(self) -> None:
        """Kill the remaining processes and start new ones."""
        self.stop()
        self._open()

    def finish(self) -> None:
        """Wait for the workers to exit."""
        self.executor.shutdown(wait=True)
        self.stop()

    def stop(self) -> None:
        """Close the lifeline: workers kill their engines and exit."""
        self._writer.close()
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._reader.close()


class DaskWorkers:
    """The workers of a running Dask scheduler.

    Player command lines must work on the machines of the workers. The scheduler moves the tasks of
    a dead worker to another one.
    """

    fail_together = False

    def __init__(self, address: str, count: int):
        """Connect to a scheduler; raise TengenError without Dask or if it does not answer.

        `count` tasks run in parallel; 0 for one per thread of the cluster.
        """
        try:
            from distributed import Client, KilledWorker
            from distributed.client import ClosedClientError
        except ImportError:
            raise TengenError(f"--cluster needs Dask: {install_command('cluster')}") from None
        try:
            self._client = Client(address, timeout=CONNECT_TIMEOUT_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise TengenError(f"no Dask scheduler at {address}: {error}") from None
        self.failures: tuple[type[Exception], ...] = (
            KilledWorker,
            CancelledError,
            ClosedClientError,
        )
        self._address = address
        self._requested = count
        self._checked: set[str] = set()
        try:
            self._check_versions()
        except TengenError:
            self._client.close()
            raise
        self.executor: Executor = self._client.get_executor(pure=False)

    @property
    def count(self) -> int:
        """Number of tasks to run in parallel; workers may join and leave.

        Raise TengenError if a worker with another version of Tengen has joined.
        """
        threads = self._threads()
        if not threads.keys() <= self._checked:
            self._check_versions()
        return self._requested or max(int(sum(threads.values())), 1)

    def _threads(self) -> dict[str, int]:
        """Return the number of threads of each worker; empty if the scheduler does not answer."""
        try:
            return dict(self._client.nthreads())
        except (OSError, TimeoutError, ValueError):
            return {}

    def _check_versions(self) -> None:
        """Raise TengenError if a worker has no Tengen, or another version of it."""
        found = self._client.run(eval, VERSION_EXPRESSION, on_error="return")
        for worker, version in found.items():
            if isinstance(version, OSError):
                continue  # the worker has died
            if isinstance(version, Exception):
                raise TengenError(f"the worker {worker} cannot import Tengen: {version}")
            if version != __version__:
                raise TengenError(
                    f"the worker {worker} has Tengen {version}, not {__version__}: install the"
                    " same version on all machines"
                )
        self._checked = set(found)

    def restart(self) -> None:
        """Raise TengenError if the scheduler is lost; it replaces dead workers itself."""
        deadline_s = time.monotonic() + RECONNECT_TIMEOUT_S
        while self._client.status != "running":
            if self._client.status != "connecting" or time.monotonic() > deadline_s:
                raise TengenError(
                    f"lost the Dask scheduler at {self._address}: start it and run the same"
                    " command again to resume"
                )
            time.sleep(POLL_S)

    def finish(self) -> None:
        """Disconnect."""
        self._client.close()

    def stop(self) -> None:
        """Cancel the running tasks and disconnect, even from a dead scheduler."""
        with suppress(OSError, TimeoutError, *self.failures):
            self.executor.shutdown(wait=False)
        with suppress(OSError, TimeoutError, *self.failures):
            self._client.close(timeout=CONNECT_TIMEOUT_S)


def check_workers(count: int, cluster: str | None) -> None:
    """Raise TengenError for an invalid number of workers; 0 means all threads of a cluster."""
    if count < (0 if cluster else 1):
        raise TengenError(f"workers must be at least 1, got {count}")


def open_workers(count: int, cluster: str | None) -> Workers:
    """Return workers on this machine, or those of the Dask scheduler at `cluster`."""
    return LocalWorkers(count) if cluster is None else DaskWorkers(cluster, count)


class WorkerPool(Generic[Job, Task, Result]):
    """Runs one task per job and replaces workers that die.

    Use as a context manager: workers finish at the end; on any exception, including Ctrl-C, they
    are stopped, and the unfinished jobs remain in `running`.
    """

    def __init__(self, workers: Workers, work: Callable[[Task], Result]):
        """Create a pool that runs tasks with `work` on a backend."""
        self._workers = workers
        self._work = work
        self._running: dict[Future[Result], Job] = {}
        self._is_broken = False
        self._failures = 0

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
        """The running jobs."""
        return list(self._running.values())

    @property
    def has_room(self) -> bool:
        """Whether a worker is idle."""
        return len(self._running) < self._workers.count

    def start(self, job: Job, task: Task) -> None:
        """Start a task."""
        try:
            future = self._workers.executor.submit(self._work, task)
        except self._workers.failures as error:
            # The executor broke since the last poll: treat the task as lost.
            future = Future()
            future.set_exception(error)
        self._running[future] = job

    def results(self) -> Iterator[tuple[Job, Result | None]]:
        """Wait up to POLL_S; yield finished jobs with their results, None if the worker died.

        Raise TengenError if workers die repeatedly, and any exception raised by a task.
        """
        done, _ = wait(self._running, POLL_S, FIRST_COMPLETED)
        yield from self._collect(done)
        if self._is_broken:
            yield from self._recover()

    def _collect(self, done: Iterable[Future[Result]]) -> Iterator[tuple[Job, Result | None]]:
        for future in done:
            job = self._running.pop(future)
            result: Result | None = None
            try:
                result = future.result()
                self._failures = 0
            except self._workers.failures:
                self._is_broken = True
            yield job, result

    def _recover(self) -> Iterator[tuple[Job, Result | None]]:
        """Collect what was still finished and restart the workers."""
        self._failures += 1
        if self._failures > MAX_FAILURES:
            raise TengenError(
                f"workers died {self._failures} times without a result: see their error output"
            )
        if self._workers.fail_together:
            done, _ = wait(self._running)
            yield from self._collect(done)
        self._workers.restart()
        self._is_broken = False
