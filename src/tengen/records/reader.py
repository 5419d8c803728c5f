"""Reading of games in all formats, from a file, a collection, or many files in parallel."""

import os
import re
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, TypeVar

from tengen.records.asian_formats import (
    looks_like_gib,
    looks_like_ngf,
    looks_like_ugf,
    read_gib,
    read_ngf,
    read_ugf,
)
from tengen.records.collection import Document, find_documents
from tengen.records.encoding import decode
from tengen.records.game import GameRecord
from tengen.records.grammar import parse_collection
from tengen.records.interpret import interpret
from tengen.records.tree import Node
from tengen.records.warning import WarningCollector, WarningHandler, WarningKind, log_warning
from tengen.util import StopFlag

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor


class Format(IntEnum):
    """A file format of game records."""

    SGF = 0
    GIB = 1
    NGF = 2
    UGF = 3


_READERS: dict[Format, Callable[[str, WarningCollector], list[Node]]] = {
    Format.GIB: read_gib,
    Format.NGF: read_ngf,
    Format.UGF: read_ugf,
}
_SUFFIXES = {"gib": Format.GIB, "ngf": Format.NGF, "ugf": Format.UGF, "ugi": Format.UGF}
_SGF_START = re.compile(r"\(\s*;")
_HEAD_CHARACTERS = 4000
_BATCH_BYTES = 1 << 20
_BATCH_FILES = 200
"""Small files are sent to workers in batches, since each transfer costs a millisecond."""


def detect_format(text: str, name: str = "") -> Format:
    """Return the format of a text: by its content, else by the file name, else SGF."""
    head = text[:_HEAD_CHARACTERS]
    if looks_like_gib(head):
        return Format.GIB
    if looks_like_ugf(head):
        return Format.UGF
    if looks_like_ngf(head) and not _SGF_START.search(head):
        return Format.NGF
    if _SGF_START.search(text):
        return Format.SGF
    return _SUFFIXES.get(name.rpartition(".")[2].lower(), Format.SGF)


def read_document(
    document: Document, on_warning: WarningHandler = log_warning, first: int = 0
) -> Iterator[GameRecord]:
    """Yield the games of one document, numbered from `first`. Never raises for its content.

    Problems of a game are in its `warnings`; `on_warning` receives those that belong to no game.
    """
    text = decode(document.data)
    warnings = WarningCollector(document.name, text, document.start)
    number = first
    for root in _read_roots(text.text, document.name, warnings):
        yield interpret(root, warnings, document.name, number)
        number += 1
    warnings.add_encoding_warnings(len(text.text))
    if number == first:
        warnings.add(WarningKind.NO_GAME, 0, "no game found")
    for warning in warnings.take():
        on_warning(warning)


def _read_roots(text: str, name: str, warnings: WarningCollector) -> Iterator[Node]:
    detected = detect_format(text, name)
    if detected is Format.SGF:
        return parse_collection(text, warnings)
    warnings.add_encoding_warnings(len(text))
    return iter(_READERS[detected](text, warnings))


def read_documents(
    documents: Iterable[Document], on_warning: WarningHandler = log_warning
) -> Iterator[GameRecord]:
    """Yield the games of documents, numbered from 0 in each file; see `read_document`.

    The parts of a split file follow each other and are numbered consecutively.
    """
    number = 0
    for document in documents:
        number = number if document.start else 0
        for record in read_document(document, on_warning, number):
            number += 1
            yield record


def read_bytes(
    data: bytes, name: str = "", on_warning: WarningHandler = log_warning
) -> Iterator[GameRecord]:
    """Yield the games of a file in memory; see `read_document`."""
    return read_document(Document(name, data), on_warning)


def read_games(
    path: str | os.PathLike[str], on_warning: WarningHandler = log_warning
) -> Iterator[GameRecord]:
    """Yield all games of a file, of a folder and all below it, or of a zip or tar archive.

    One document is in memory at a time.

    Parameters
    ----------
    path : path
        Records in SGF, GIB, NGF or UGF format.
    on_warning : function
        Receives problems that belong to no game; those of a game are in its `warnings`. The
        default logs them.

    Returns
    -------
    iterator of GameRecord

    Raises
    ------
    TengenError
        If `path` does not exist; raised when the first game is requested.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "game.sgf")
    >>> _ = path.write_text("(;SZ[9]PB[Ann]RE[B+R];B[ee];W[cc])")
    >>> [(game.black, len(game.moves), game.result_text) for game in read_games(path)]
    [('Ann', 2, 'B+R')]
    """
    yield from read_documents(find_documents(path, on_warning), on_warning)


# Parallel reading

Result = TypeVar("Result")
BatchFunction = Callable[[list[Document], StopFlag], Result]
"""Processes a batch of documents; may return early, with a partial result, when stopped."""


def new_stop() -> StopFlag:
    """Return a stop event shared with worker processes."""
    import multiprocessing

    return multiprocessing.Event()


def map_batches(
    documents: Iterable[Document],
    function: BatchFunction[Result],
    workers: int,
    stop: StopFlag,
    batch_bytes: int = _BATCH_BYTES,
) -> Iterator[Result]:
    """Apply a function to batches of documents and yield its results in order.

    One worker runs in this process. With more, `function` must be a module-level function and
    `stop` a `multiprocessing` event. When `stop` is set, the results of batches that were started
    are still yielded.
    """
    batches = _make_batches(documents, stop, batch_bytes)
    if workers <= 1:
        return (function(batch, stop) for batch in batches)
    return _map_in_pool(batches, function, _start_pool(workers, stop), workers, stop)


def _make_batches(
    documents: Iterable[Document], stop: StopFlag, batch_bytes: int
) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        if stop.is_set():
            return
        batch.append(document)
        size += len(document.data)
        if size >= batch_bytes or len(batch) >= _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


_worker_stop: StopFlag | None = None
"""The stop event of this process, if it is a worker."""


def _initialize_worker(stop: StopFlag) -> None:
    """Ignore Ctrl-C, which reaches the whole process group: only the parent handles it."""
    global _worker_stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_stop = stop


def _run_in_worker(function: BatchFunction[Result], batch: list[Document]) -> Result:
    assert _worker_stop is not None
    return function(batch, _worker_stop)


def _start_pool(workers: int, stop: StopFlag) -> "ProcessPoolExecutor":
    """Return a pool with running processes: forking later, when there are threads, is unsafe."""
    from concurrent.futures import ProcessPoolExecutor

    # Forked workers inherit compiled kernels: load them here once.
    for _ in read_bytes(b"(;SZ[9]AB[aa];B[bb])"):
        pass
    pool = ProcessPoolExecutor(workers, initializer=_initialize_worker, initargs=(stop,))
    pool.submit(int).result()
    return pool


def _map_in_pool(
    batches: Iterator[list[Document]],
    function: BatchFunction[Result],
    pool: "ProcessPoolExecutor",
    workers: int,
    stop: StopFlag,
) -> Iterator[Result]:
    """Submit batches, a few ahead, and yield their results in order."""
    pending: deque[Future[Result]] = deque()
    with pool:
        for batch in batches:
            pending.append(pool.submit(_run_in_worker, function, batch))
            if len(pending) > 2 * workers:
                yield pending.popleft().result()
        while pending:
            future = pending.popleft()
            if not (stop.is_set() and future.cancel()):
                yield future.result()
