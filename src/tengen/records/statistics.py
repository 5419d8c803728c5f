"""Statistics of collections: sizes, results, lengths and problems, counted in parallel."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tengen.records.collection import Document, ProgressHandler, find_documents, ignore_progress
from tengen.records.game import GameRecord
from tengen.records.reader import map_batches, read_document
from tengen.records.warning import RecordWarning, WarningKind
from tengen.util import StopFlag

_MAX_EXAMPLES = 20
"""Warnings to keep of each kind."""


@dataclass
class GameCounts:
    """Counts over games and files; `+=` adds other counts."""

    games: int = 0
    moves: int = 0
    files: int = 0
    sizes: Counter[str] = field(default_factory=Counter)
    """By board size, as columns x rows."""
    winners: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    """By number of moves in the main line."""
    handicaps: Counter[int] = field(default_factory=Counter)
    komi: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    problems: Counter[WarningKind] = field(default_factory=Counter)
    """Warnings by kind, about games and about files."""
    games_with_problems: int = 0
    examples: dict[WarningKind, list[RecordWarning]] = field(default_factory=dict)
    """The first warnings of each kind."""

    def add_game(self, record: GameRecord) -> None:
        """Count one game."""
        self.games += 1
        self.moves += len(record.moves)
        self.sizes[f"{record.columns}x{record.rows}"] += 1
        winner = record.winner
        self.winners["none" if winner is None else winner.name.lower()] += 1
        result = record.result
        self.endings["draw" if result.is_draw else result.reason.name.lower()] += 1
        self.lengths[len(record.moves)] += 1
        self.handicaps[record.handicap] += 1
        self.komi["none" if record.komi is None else f"{record.komi:g}"] += 1
        self.rules[record.rules_text.strip().lower() or "none"] += 1
        self.games_with_problems += bool(record.warnings)
        for warning in record.warnings:
            self.add_warning(warning)

    def add_warning(self, warning: RecordWarning) -> None:
        """Count one warning."""
        self.problems[warning.kind] += 1
        examples = self.examples.setdefault(warning.kind, [])
        if len(examples) < _MAX_EXAMPLES:
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
            own += examples[: _MAX_EXAMPLES - len(own)]
        return self

    def length_quantile(self, share: float) -> int:
        """Return the number of moves that a share of the games does not exceed; 0 without games."""
        wanted = share * self.games
        seen = 0
        for length in sorted(self.lengths):
            seen += self.lengths[length]
            if seen >= wanted:
                return length
        return 0


def count_batch(batch: Iterable[Document], stop: StopFlag | None = None) -> GameCounts:
    """Count the games of some documents; return partial counts when stopped."""
    counts = GameCounts()
    for document in batch:
        counts.files += document.start == 0
        for record in read_document(document, counts.add_warning):
            counts.add_game(record)
            if stop is not None and stop.is_set():
                return counts
    return counts


def count_games(
    paths: Sequence[str],
    workers: int,
    stop: StopFlag,
    on_progress: ProgressHandler = ignore_progress,
) -> Iterator[GameCounts]:
    """Count all games at the paths; yield the counts of each batch, to be added up.

    When `stop` is set, the counts so far are still yielded. With several workers, `stop` must be
    a `multiprocessing` event. Raise TengenError at once if a path is missing.
    """
    file_counts = GameCounts()  # warnings about files; complete when all files are read
    found = [find_documents(path, file_counts.add_warning, on_progress) for path in paths]
    batches = map_batches(chain.from_iterable(found), count_batch, workers, stop)
    return chain(batches, [file_counts])
