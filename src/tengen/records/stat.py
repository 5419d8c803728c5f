"""Counting what is in collections of records, on as many cores as wanted."""

import multiprocessing
import signal
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

from tengen.records.game import GameRecord
from tengen.records.reader import read_bytes, read_document
from tengen.records.source import Advance, Document, documents, no_progress
from tengen.records.warning import RecordWarning, WarningKind

_BATCH_BYTES = 1 << 20
_BATCH_FILES = 200
"""Small files travel to the workers together, for each journey costs a millisecond."""
_EXAMPLES = 20
"""Complaints to keep of each kind."""


class Stop(Protocol):
    """A flag that asks to end early; events of `threading` and `multiprocessing` are such."""

    def is_set(self) -> bool:
        """Tell whether to stop."""

    def set(self) -> None:
        """Ask to stop."""


@dataclass
class GameCounts:
    """What was counted. Counts add up: `counts += others`."""

    games: int = 0
    moves: int = 0
    files: int = 0
    sizes: Counter[str] = field(default_factory=Counter)
    """By board, as columns x rows."""
    winners: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    """By the number of moves of the main line."""
    handicaps: Counter[int] = field(default_factory=Counter)
    komi: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    problems: Counter[WarningKind] = field(default_factory=Counter)
    """Complaints by kind, about games and about files."""
    games_with_problems: int = 0
    examples: dict[WarningKind, list[RecordWarning]] = field(default_factory=dict)
    """The first complaints of each kind."""

    def add_game(self, record: GameRecord) -> None:
        """Count one game."""
        self.games += 1
        self.moves += len(record.moves)
        self.sizes[f"{record.columns}x{record.rows}"] += 1
        winner = record.winner
        self.winners["none" if winner is None else winner.name.lower()] += 1
        self.endings[record.result.ending.name.lower()] += 1
        self.lengths[len(record.moves)] += 1
        self.handicaps[record.handicap] += 1
        self.komi["none" if record.komi is None else f"{record.komi:g}"] += 1
        self.rules[record.rules_text.strip().lower() or "none"] += 1
        self.games_with_problems += bool(record.warnings)
        for warning in record.warnings:
            self.add_warning(warning)

    def add_warning(self, warning: RecordWarning) -> None:
        """Count one complaint."""
        self.problems[warning.kind] += 1
        examples = self.examples.setdefault(warning.kind, [])
        if len(examples) < _EXAMPLES:
            examples.append(warning)

    def __iadd__(self, other: "GameCounts") -> "GameCounts":
        self.games += other.games
        self.moves += other.moves
        self.files += other.files
        self.games_with_problems += other.games_with_problems
        for name in ("sizes", "winners", "endings", "lengths", "handicaps", "komi", "rules"):
            getattr(self, name).update(getattr(other, name))
        self.problems.update(other.problems)
        for kind, examples in other.examples.items():
            own = self.examples.setdefault(kind, [])
            own += examples[: _EXAMPLES - len(own)]
        return self

    def length_at(self, share: float) -> int:
        """Return the length that this share of the games does not exceed; 0 without games."""
        wanted = share * self.games
        seen = 0
        for length in sorted(self.lengths):
            seen += self.lengths[length]
            if seen >= wanted:
                return length
        return 0


def count_batch(batch: Iterable[Document], stop: Stop | None = None) -> GameCounts:
    """Count the games of some files; end early, with what is counted, when asked to stop."""
    counts = GameCounts()
    for document in batch:
        counts.files += document.start == 0
        for record in read_document(document, counts.add_warning):
            counts.add_game(record)
            if stop is not None and stop.is_set():
                return counts
    return counts


def count_games(
    paths: Sequence[str], workers: int, stop: Stop, advance: Advance = no_progress
) -> Iterator[GameCounts]:
    """Count all games at the paths; yield the counts piece by piece, to be added up.

    With one worker everything is done in this process. When `stop` is set, what has been
    counted is still yielded, and then it ends. `stop` has to be an event of `multiprocessing`
    if there is more than one worker. Raise TengenError at once if a path is missing.
    """
    outside = GameCounts()  # what the sources complain of; complete when they are done
    found = [documents(path, outside.add_warning, advance) for path in paths]
    batches = _batches(chain.from_iterable(found), stop)
    if workers <= 1:
        pieces: Iterator[GameCounts] = (count_batch(batch, stop) for batch in batches)
    else:
        pieces = _count_in_pool(batches, _start_pool(workers, stop), workers, stop)
    return chain(pieces, [outside])


def _batches(found: Iterable[Document], stop: Stop) -> Iterator[list[Document]]:
    """Gather small files; end when asked to stop."""
    batch: list[Document] = []
    size = 0
    for document in found:
        if stop.is_set():
            return
        batch.append(document)
        size += len(document.data)
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


# Workers

_worker_stop: Stop | None = None


def _begin_worker(stop: Stop) -> None:
    """Set up a worker: Ctrl-C reaches the whole group, but only the parent decides."""
    global _worker_stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_stop = stop


def _work(batch: list[Document]) -> GameCounts:
    return count_batch(batch, _worker_stop)


def _start_pool(workers: int, stop: Stop) -> ProcessPoolExecutor:
    """Return a pool whose processes run already: forking beside other threads is not safe."""
    # Compiled code is inherited by forked workers: load it once, here.
    for _ in read_bytes(b"(;SZ[9]AB[aa];B[bb])"):
        pass
    pool = ProcessPoolExecutor(workers, initializer=_begin_worker, initargs=(stop,))
    pool.submit(_work, []).result()
    return pool


def _count_in_pool(
    batches: Iterator[list[Document]], pool: ProcessPoolExecutor, workers: int, stop: Stop
) -> Iterator[GameCounts]:
    """Hand out batches, a few ahead, and yield their counts in order."""
    waiting: deque[Future[GameCounts]] = deque()
    with pool:
        for batch in batches:
            waiting.append(pool.submit(_work, batch))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            future = waiting.popleft()
            if not (stop.is_set() and future.cancel()):
                yield future.result()


def new_stop() -> Stop:
    """Return a flag that all workers see."""
    return multiprocessing.Event()
