"""Working through collections of records on as many cores as wanted.

The files are gathered into batches; a *work* function makes a piece of a batch, in this process
or in others, and the pieces come back in order.
"""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

from tengen.core.interrupt import Stop
from tengen.records.reader import read_bytes
from tengen.records.source import Document

_BATCH_BYTES = 1 << 20
_BATCH_FILES = 200
"""Small files travel to the workers together, for each journey costs a millisecond."""

Piece = TypeVar("Piece")


Work = Callable[[list[Document], Stop], Piece]
"""Makes a piece of a batch; may end early, with what it has, when asked to stop."""


def new_stop() -> Stop:
    """Return a flag that all workers see."""
    return multiprocessing.Event()


def each_batch(
    found: Iterable[Document],
    work: Work[Piece],
    workers: int,
    stop: Stop,
    batch_bytes: int = _BATCH_BYTES,
) -> Iterator[Piece]:
    """Yield what `work` makes of each batch of the documents, in order.

    With one worker everything is done in this process; with more, `work` must be a function of
    a module and `stop` an event of `multiprocessing`. When `stop` is set, the pieces that were
    begun are still yielded, and then it ends.
    """
    batches = _batches(found, stop, batch_bytes)
    if workers <= 1:
        return (work(batch, stop) for batch in batches)
    return _in_pool(batches, work, _start_pool(workers, stop), workers, stop)


def _batches(found: Iterable[Document], stop: Stop, batch_bytes: int) -> Iterator[list[Document]]:
    """Gather small files; end when asked to stop."""
    batch: list[Document] = []
    size = 0
    for document in found:
        if stop.is_set():
            return
        batch.append(document)
        size += len(document.data)
        if size >= batch_bytes or len(batch) >= _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


# Workers

_worker_stop: Stop = new_stop()


def _begin_worker(stop: Stop) -> None:
    """Set up a worker: Ctrl-C reaches the whole group, but only the parent decides."""
    global _worker_stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_stop = stop


def _run(work: Work[Piece], batch: list[Document]) -> Piece:
    return work(batch, _worker_stop)


def _start_pool(workers: int, stop: Stop) -> ProcessPoolExecutor:
    """Return a pool whose processes run already: forking beside other threads is not safe."""
    # Compiled code is inherited by forked workers: load it once, here.
    for _ in read_bytes(b"(;SZ[9]AB[aa];B[bb])"):
        pass
    pool = ProcessPoolExecutor(workers, initializer=_begin_worker, initargs=(stop,))
    pool.submit(int).result()
    return pool


def _in_pool(
    batches: Iterator[list[Document]],
    work: Work[Piece],
    pool: ProcessPoolExecutor,
    workers: int,
    stop: Stop,
) -> Iterator[Piece]:
    """Hand out batches, a few ahead, and yield their pieces in order."""
    waiting: deque[Future[Piece]] = deque()
    with pool:
        for batch in batches:
            waiting.append(pool.submit(_run, work, batch))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            future = waiting.popleft()
            if not (stop.is_set() and future.cancel()):
                yield future.result()
