"""Learning pattern tables from game records, on several threads.

A thread takes a file, reads its games, samples them (`kernels/samples.py`), and adds what it found
to the tables in one step. So the tables are always those of whole files: they can be saved at any
moment, and learning goes on from there. Counts are sums, and what is drawn at random depends on
the game alone, so neither the order of the files nor the number of threads matters.
"""

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import chain
from typing import Protocol

import numpy as np

from tengen.knowledge.kernels.shape_keys import RINGS
from tengen.knowledge.kernels.shape_tables import count_patterns
from tengen.knowledge.shape_tables import ShapeTables
from tengen.learn.kernels.samples import LOSS, Scratch, new_scratch, sample_games
from tengen.records.moves import GameMoves, read_moves
from tengen.records.source import Advance, Document, documents, no_progress
from tengen.records.warning import RecordWarning, log_unreadable

GAMES_AT_ONCE = 250
"""Games whose samples are in memory at once: some megabytes a thread."""

Learned = Callable[[ShapeTables], None]


class Stop(Protocol):
    """A flag that asks to end early."""

    def is_set(self) -> bool:
        """Tell whether to stop."""


def learn(
    tables: ShapeTables,
    paths: Iterable[str],
    workers: int,
    stop: Stop,
    advance: Advance = no_progress,
    learned: Learned = lambda tables: None,
    without: Sequence[str] = (),
) -> None:
    """Add all games at `paths` to the tables; files that are in them already are left out.

    So are files with one of the texts `without` in their name. `learned` is called after each
    file, when the tables are whole, by one thread at a time. Raise TengenError, before anything is
    learned, if there is nothing at one of the paths.
    """
    found = [documents(path, log_unreadable, advance) for path in paths]
    wanted = (d for d in chain.from_iterable(found) if not any(text in d.name for text in without))
    Learner(tables, wanted, stop, learned).run(workers)


class Learner:
    """The threads' common ground: the files to come, and the tables."""

    def __init__(
        self,
        tables: ShapeTables,
        wanted: Iterator[Document],
        stop: Stop,
        learned: Learned,
    ):
        self._tables = tables
        self._stop = stop
        self._learned = learned
        self._numbers = tables.numbers()
        self._documents = wanted
        self._taking, self._adding = threading.Lock(), threading.Lock()
        self._taken = set(tables.documents)
        self._failed = threading.Event()

    def run(self, workers: int) -> None:
        """Work until all files are learned or the flag is set; raise what a thread raised."""
        with ThreadPoolExecutor(workers) as pool:
            try:
                for future in as_completed([pool.submit(self._work) for _ in range(workers)]):
                    future.result()
            except BaseException:
                self._failed.set()  # the pool waits for its threads, which shall not go on
                raise

    def _work(self) -> None:
        scratch = new_scratch()
        while (taken := self._take()) is not None:
            self._learn_document(*taken, scratch)

    def _take(self) -> tuple[str, Document] | None:
        """Return the digest of a new file, and the file; None at the end."""
        with self._taking:
            while not self._is_ending() and (document := next(self._documents, None)) is not None:
                digest = digest_of(document.data)
                if digest not in self._taken:
                    self._taken.add(digest)
                    return digest, document
        return None

    def _is_ending(self) -> bool:
        return self._stop.is_set() or self._failed.is_set()

    def _learn_document(self, digest: str, document: Document, scratch: Scratch) -> None:
        games = read_moves(document, _ignore)
        marks = np.uintp(self._tables.settings.marks)
        found = list(sample_batches(games, marks, scratch))
        tables = self._tables
        with self._adding:
            for keys, outcomes, sound in found:
                count_patterns(keys, outcomes, self._numbers, tables.counts)
                losses = int(np.count_nonzero(outcomes == LOSS))
                tables.losses += losses
                tables.moves += len(outcomes) - losses
                tables.games += int(np.count_nonzero(sound))
                tables.broken += int(np.count_nonzero(sound == 0))
            tables.broken += games.broken
            tables.documents[digest] = document.name
            self._learned(tables)


Samples = tuple["np.ndarray", "np.ndarray", "np.ndarray"]


def sample_batches(games: GameMoves, marks: np.uintp, scratch: Scratch) -> Iterator[Samples]:
    """Yield (keys, outcomes, which games were sound), for some hundred games at a time."""
    for first in range(0, len(games), GAMES_AT_ONCE):
        last = min(first + GAMES_AT_ONCE, len(games))
        starts = games.starts[first : last + 1]
        room = 2 * int(starts[-1] - starts[0])
        keys = np.empty((room, int(RINGS)), dtype=np.uint64)
        outcomes = np.empty(room, dtype=np.uint8)
        sound = np.empty(last - first, dtype=np.uint8)
        count = int(
            sample_games(
                games.words, starts, games.sizes[first:last], marks, scratch, keys, outcomes, sound
            )
        )
        yield keys[:count], outcomes[:count], sound


def digest_of(data: bytes) -> str:
    """Return what a file is known by: its content, wherever it lies."""
    return hashlib.sha256(data).hexdigest()[:16]


def _ignore(warning: RecordWarning) -> None:
    """What is wrong with a game shows in the count of broken ones."""
