"""Learning of pattern tables from game records on several threads.

A thread takes a file, samples its games (`kernels/shape_tables.py`) and adds all counts of the
file in one step, so the tables can be saved at any moment and learning resumed later. Counts are
sums and the random samples of a game depend on its moves alone, so neither the order of the files
nor the number of threads affects the result.
"""

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import chain

import numpy as np

from tengen.records import (
    Document,
    MoveSequences,
    ProgressHandler,
    RecordWarning,
    find_documents,
    ignore_progress,
    log_unreadable,
    read_moves,
)
from tengen.sources.kernels.shape_keys import RINGS
from tengen.sources.kernels.shape_tables import (
    LOSS,
    ReplayScratch,
    count_patterns,
    new_scratch,
    sample_games,
)
from tengen.sources.shape import ShapeTables
from tengen.util import StopFlag

GAMES_AT_ONCE = 250
"""Games sampled per batch; bounds the memory to a few megabytes per thread."""

Learned = Callable[[ShapeTables], None]


def learn(
    tables: ShapeTables,
    paths: Iterable[str],
    workers: int,
    stop: StopFlag,
    advance: ProgressHandler = ignore_progress,
    learned: Learned = lambda tables: None,
    without: Sequence[str] = (),
) -> None:
    """Add all games at `paths` to the tables, except files learned before.

    Files with one of the texts `without` in their name are skipped. `learned` is called after each
    file, by one thread at a time, when the tables are consistent. Raise TengenError before learning
    anything if a path does not exist.
    """
    found = [find_documents(path, log_unreadable, advance) for path in paths]
    wanted = (d for d in chain.from_iterable(found) if not any(text in d.name for text in without))
    Learner(tables, wanted, stop, learned).run(workers)


class Learner:
    """State shared by the threads: the remaining files and the tables."""

    def __init__(
        self, tables: ShapeTables, wanted: Iterator[Document], stop: StopFlag, learned: Learned
    ):
        self._tables = tables
        self._stop = stop
        self._learned = learned
        self._parameters = tables.parameters()
        self._documents = wanted
        self._taking, self._adding = threading.Lock(), threading.Lock()
        self._taken = set(tables.documents)
        self._failed = threading.Event()

    def run(self, workers: int) -> None:
        """Work until all files are learned or `stop` is set; reraise the exception of a thread."""
        with ThreadPoolExecutor(workers) as pool:
            try:
                for future in as_completed([pool.submit(self._work) for _ in range(workers)]):
                    future.result()
            except BaseException:
                self._failed.set()  # the pool waits for its threads
                raise

    def _work(self) -> None:
        scratch = new_scratch()
        while (taken := self._take()) is not None:
            self._learn_document(*taken, scratch)

    def _take(self) -> tuple[str, Document] | None:
        """Return the digest and content of the next new file, None at the end."""
        with self._taking:
            while not self._is_ending() and (document := next(self._documents, None)) is not None:
                digest = digest_of(document.data)
                if digest not in self._taken:
                    self._taken.add(digest)
                    return digest, document
        return None

    def _is_ending(self) -> bool:
        return self._stop.is_set() or self._failed.is_set()

    def _learn_document(self, digest: str, document: Document, scratch: ReplayScratch) -> None:
        games = read_moves(document, _ignore)
        marks = np.uintp(self._tables.settings.marks)
        found = list(sample_batches(games, marks, scratch))
        tables = self._tables
        with self._adding:
            for keys, outcomes, sound in found:
                count_patterns(keys, outcomes, self._parameters, tables.counts)
                losses = int(np.count_nonzero(outcomes == LOSS))
                tables.losses += losses
                tables.moves += len(outcomes) - losses
                tables.games += int(np.count_nonzero(sound))
                tables.broken += int(np.count_nonzero(sound == 0))
            tables.broken += games.skipped
            tables.documents[digest] = document.name
            self._learned(tables)


Samples = tuple["np.ndarray", "np.ndarray", "np.ndarray"]


def sample_batches(
    games: MoveSequences, marks: np.uintp, scratch: ReplayScratch
) -> Iterator[Samples]:
    """Yield (keys, outcomes, soundness of each game) for batches of games."""
    for first in range(0, len(games), GAMES_AT_ONCE):
        last = min(first + GAMES_AT_ONCE, len(games))
        starts = games.starts[first : last + 1]
        room = 2 * int(starts[-1] - starts[0])
        keys = np.empty((room, int(RINGS)), dtype=np.uint64)
        outcomes = np.empty(room, dtype=np.uint8)
        sound = np.empty(last - first, dtype=np.uint8)
        count = int(
            sample_games(
                games.codes, starts, games.sizes[first:last], marks, scratch, keys, outcomes, sound
            )
        )
        yield keys[:count], outcomes[:count], sound


def digest_of(data: bytes) -> str:
    """Return the content digest that identifies a file."""
    return hashlib.sha256(data).hexdigest()[:16]


def _ignore(warning: RecordWarning) -> None:
    """Ignore warnings; invalid games are counted."""
