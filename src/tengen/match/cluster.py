"""Games on a Dask cluster: the same tasks, the same results, on many machines.

Engines' command lines must work on the machines of the workers. A worker that dies takes its
games with it; the scheduler gives them to another, and each comes back once.
"""

from concurrent.futures import CancelledError, Executor

from distributed import Client, KilledWorker

from tengen.core.errors import TengenError

CONNECT_TIMEOUT_S = 10


class ClusterWorkers:
    """The workers of a running Dask scheduler."""

    breakdowns: tuple[type[Exception], ...] = (KilledWorker, CancelledError)
    """A game that killed several workers, or a scheduler that went away."""
    break_together = False

    def __init__(self, address: str, count: int):
        """Connect to the scheduler; raise TengenError if it does not answer.

        `count` games are under way at a time; 0 for one a thread of the cluster.
        """
        try:
            self._client = Client(address, timeout=CONNECT_TIMEOUT_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise TengenError(f"no Dask scheduler at {address}: {error}") from None
        self._wanted = count
        self.executor: Executor = self._client.get_executor(pure=False)

    @property
    def count(self) -> int:
        """How many games to have under way: workers may come and go."""
        return self._wanted or max(int(sum(self._client.nthreads().values())), 1)

    def restart(self) -> None:
        """Nothing to do: the scheduler replaces workers."""

    def finish(self) -> None:
        """Leave the cluster as it was found."""
        self._client.close()

    def stop(self) -> None:
        """Drop the games under way and leave."""
        self.executor.shutdown(wait=False)
        self._client.close()
