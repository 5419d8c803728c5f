"""Where games are played: an executor of `concurrent.futures`, here or on a cluster."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import ParamSpec, Protocol, TypeVar

from tengen.core.errors import TengenError
from tengen.match.work import close_players, kill_players, start_worker

Args = ParamSpec("Args")
Result = TypeVar("Result")


class Workers(Protocol):
    """A place to play games."""

    @property
    def executor(self) -> Executor:
        """What runs the games."""

    @property
    def count(self) -> int:
        """How many games to have under way."""

    @property
    def breakdowns(self) -> tuple[type[Exception], ...]:
        """What a future raises when its worker died with the game."""

    @property
    def break_together(self) -> bool:
        """Whether a breakdown takes all games under way, and not only the one that tells it."""

    def restart(self) -> None:
        """Start anew after the executor broke."""

    def finish(self) -> None:
        """End when all is played: engines are asked to quit."""

    def stop(self) -> None:
        """End at once: games under way are lost, engines are killed."""


class _AtOnce(Executor):
    """Runs what it is given before it returns, in this thread: Ctrl-C is felt at once."""

    def submit(
        self, task: Callable[Args, Result], /, *args: Args.args, **named: Args.kwargs
    ) -> Future[Result]:
        """Run a task; what it raises is raised here."""
        future: Future[Result] = Future()
        future.set_result(task(*args, **named))
        return future


class ThisProcess:
    """One game at a time, here: no process to start, for short matches and notebooks."""

    count = 1
    breakdowns: tuple[type[Exception], ...] = ()
    break_together = True

    def __init__(self) -> None:
        self.executor: Executor = _AtOnce()

    def restart(self) -> None:
        """Nothing broke."""

    def finish(self) -> None:
        """Ask idle engines to quit."""
        close_players()

    def stop(self) -> None:
        """Kill the engines."""
        kill_players()


class LocalWorkers:
    """Processes on this machine. They and their engines never outlive the runner."""

    breakdowns: tuple[type[Exception], ...] = (BrokenExecutor,)
    break_together = True

    def __init__(self, count: int):
        """Take the number of processes; they start when the first games come."""
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
        """Kill what is left of the processes and start new ones."""
        self.stop()
        self._open()

    def finish(self) -> None:
        """Let the workers end by themselves."""
        self.executor.shutdown(wait=True)
        self.stop()

    def stop(self) -> None:
        """Cut the lifeline: workers kill their engines and end."""
        self._writer.close()
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._reader.close()


def check_workers(count: int, cluster: str | None) -> None:
    """Raise TengenError for a number that makes no sense; 0 is for all threads of a cluster."""
    if count < (0 if cluster else 1):
        raise TengenError(f"{count} workers: at least one is needed")


def open_workers(count: int, cluster: str | None) -> Workers:
    """Return workers on this machine, or those of the Dask scheduler at address `cluster`."""
    if cluster is None:
        return LocalWorkers(count)
    try:
        from tengen.match.cluster import ClusterWorkers
    except ImportError:
        how = "pip install '.[cluster]' in Tengen's folder"
        raise TengenError(f"--cluster needs Dask: {how}") from None
    return ClusterWorkers(cluster, count)
