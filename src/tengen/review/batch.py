"""Review of many games into one folder."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from tengen.engine import Engine
from tengen.records import (
    INCOMPLETE_KINDS,
    GameRecord,
    RecordWarning,
    WarningKind,
    find_documents,
    read_document,
)
from tengen.review.folder import FolderEntry, ReviewFolder
from tengen.review.review import (
    MISTAKE_POINTS,
    NewLimit,
    PositionEstimate,
    ReviewStopped,
    review_game,
    review_problem,
)
from tengen.util import Json, StopFlag


class BatchObserver(Protocol):
    """Receives the progress of a batch."""

    def position_done(self, game: GameRecord, done: int, total: int) -> None:
        """Called after each position of a game."""

    def game_done(self, summary: Json, was_done: bool) -> None:
        """Called for each reviewed game, including those of earlier runs (`was_done`)."""


@dataclass
class BatchCounts:
    """The outcome of a batch."""

    done: int = 0
    done_before: int = 0
    skipped: list[str] = field(default_factory=list)
    """Games that cannot be reviewed and files that cannot be read, with the reason."""
    truncated: list[str] = field(default_factory=list)
    """Games reviewed only up to an error in the record, with the reason."""


class GameFiles:
    """The games of files, folders and archives: opened at once, read one by one."""

    def __init__(self, paths: Iterable[str]):
        """Open the files; raise TengenError if one does not exist."""
        self.skipped: list[str] = []
        """Files that cannot be read, with the reason."""
        self._documents = [find_documents(path, self._warn) for path in paths]

    def __iter__(self) -> Iterator[GameRecord]:
        for opened in self._documents:
            for document in opened:
                yield from read_document(document, self._warn)

    def _warn(self, warning: RecordWarning) -> None:
        if warning.kind in (WarningKind.UNREADABLE, WarningKind.NO_GAME):
            self.skipped.append(f"{warning.file}: {warning.reason}")


class ReviewBatch:
    """Reviews games one after another into a folder."""

    def __init__(
        self,
        files: GameFiles,
        folder: ReviewFolder,
        engine: Engine,
        limit: NewLimit,
        stop: StopFlag,
        mistake_points: float = MISTAKE_POINTS,
    ):
        self.folder = folder
        self.counts = BatchCounts(skipped=files.skipped)
        self._files = files
        self._engine = engine
        self._limit = limit
        self._stop = stop
        self._mistake_points = mistake_points

    @property
    def problems(self) -> list[str]:
        """Errors raised by user-defined sources, each once."""
        return self._engine.problems

    def run(self, observer: BatchObserver) -> None:
        """Review all games until the batch is stopped; another run resumes from there."""
        try:
            for game in self._files:
                if not self.folder.is_own_file(game.source):
                    self._review(game, observer)
        except ReviewStopped:
            pass

    def _review(self, game: GameRecord, observer: BatchObserver) -> None:
        problem = review_problem(game)
        if problem:
            self.counts.skipped.append(f"{game_name(game)}: {problem}")
            return
        self.counts.truncated += _record_errors(game)
        entry = self.folder.entry(game)
        summary = self.folder.summary(entry)
        if summary is not None:
            self.counts.done_before += 1
            observer.game_done(summary, was_done=True)
            return
        summary = self._review_entry(entry, observer)
        self.counts.done += 1
        observer.game_done(summary, was_done=False)

    def _review_entry(self, entry: FolderEntry, observer: BatchObserver) -> Json:
        """Review one game with a journal; return its summary."""
        game, journal = entry.game, self.folder.journal(entry)

        def progress(done: int, total: int, estimate: PositionEstimate) -> None:
            journal.add(estimate)
            observer.position_done(game, done, total)

        review = review_game(
            game,
            self._engine,
            self._limit,
            progress,
            journal.known,
            self._stop,
            self._mistake_points,
        )
        summary = self.folder.save(entry, review)
        journal.delete()
        return summary


def game_name(game: GameRecord) -> str:
    """Return the file of a game, with its number if it is not the first one."""
    return f"{game.source} (game {game.number + 1})" if game.number else game.source


def _record_errors(game: GameRecord) -> list[str]:
    """Return the errors that truncate a record."""
    return [
        f"{game_name(game)}: {warning.reason}"
        for warning in game.warnings
        if warning.kind in INCOMPLETE_KINDS
    ]
