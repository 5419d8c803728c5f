"""Counting what is in collections of records, on as many cores as wanted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tengen.core.interrupt import Stop
from tengen.records.game import GameRecord
from tengen.records.parallel import each_batch
from tengen.records.reader import read_document
from tengen.records.source import Advance, Document, documents, no_progress
from tengen.records.warning import RecordWarning, WarningKind

_EXAMPLES = 20
"""Complaints to keep of each kind."""


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
    pieces = each_batch(chain.from_iterable(found), count_batch, workers, stop)
    return chain(pieces, [outside])
