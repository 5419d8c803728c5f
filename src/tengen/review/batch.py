"""Many games looked over, one after the other, into one folder."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from tengen.core.interrupt import Stop
from tengen.engine.engine import Engine
from tengen.records.game import GameRecord
from tengen.records.moves import BROKEN
from tengen.records.reader import read_document
from tengen.records.source import documents
from tengen.records.warning import RecordWarning, WarningKind
from tengen.review.folder import ReviewFolder
from tengen.review.outlook import NewLimit, Outlook, Stopped
from tengen.review.review import problem_of, review_game


class Watch(Protocol):
    """Whoever looks on."""

    def position_done(self, game: GameRecord, done: int, total: int) -> None:
        """Be told after each position of a game."""

    def game_done(self, summary: dict[str, Any], was_there: bool) -> None:
        """Be told after each game, or of a game that was there already."""


@dataclass
class Counts:
    """What became of the games."""

    done: int = 0
    done_before: int = 0
    skipped: list[str] = field(default_factory=list)
    """Why, in a line each: games that cannot be looked at, files that cannot be read."""
    broken_off: list[str] = field(default_factory=list)
    """Games that were looked at up to where their record breaks off."""


class Batch:
    """Looks over games until all are done or it is asked to stop."""

    def __init__(self, folder: ReviewFolder, engine: Engine, limit: NewLimit, stop: Stop):
        """Keep reviews in `folder`; end soon after `stop` is set."""
        self.folder = folder
        self.counts = Counts()
        self._engine = engine
        self._limit = limit
        self._stop = stop

    @property
    def problems(self) -> list[str]:
        """What sources of one's own raised, each once; they were not asked again."""
        return self._engine.problems

    def run(self, paths: Iterable[str], watch: Watch) -> None:
        """Look over all games of files, folders and archives; raise TengenError without one.

        When stopped, what is done is kept: running it again goes on from there.
        """
        opened = [documents(path, self._complain) for path in paths]
        games = (
            game
            for found in opened
            for document in found
            for game in read_document(document, self._complain)
        )
        try:
            for game in games:
                if not self.folder.is_own(game.source):
                    self._one(game, watch)
        except Stopped:
            pass

    def _one(self, game: GameRecord, watch: Watch) -> None:
        problem = problem_of(game)
        if problem:
            self.counts.skipped.append(f"{name_of(game)}: {problem}")
            return
        self.counts.broken_off += list(_breaks(game))
        known = self.folder.summary(game)
        if known is not None:
            self.counts.done_before += 1
            watch.game_done(known, True)
            return
        summary = self._review(game, watch)
        self.counts.done += 1
        watch.game_done(summary, False)

    def _review(self, game: GameRecord, watch: Watch) -> dict[str, Any]:
        journal = self.folder.journal(game)

        def progress(done: int, total: int, outlook: Outlook) -> None:
            journal.add(outlook)
            watch.position_done(game, done, total)

        review = review_game(game, self._engine, self._limit, progress, journal.known, self._stop)
        summary = self.folder.keep(review)
        journal.close()
        return summary

    def _complain(self, warning: RecordWarning) -> None:
        if warning.kind in (WarningKind.UNREADABLE, WarningKind.NO_GAME):
            self.counts.skipped.append(f"{warning.file}: {warning.reason}")


def name_of(game: GameRecord) -> str:
    """Return the file of a game, and its number in it from the second on."""
    return f"{game.source} (game {game.number + 1})" if game.number else game.source


def _breaks(game: GameRecord) -> Iterator[str]:
    """Yield why the record of a game is not whole."""
    for warning in game.warnings:
        if warning.kind in BROKEN:
            yield f"{name_of(game)}: {warning.reason}"
