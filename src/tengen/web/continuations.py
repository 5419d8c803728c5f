"""The next moves in the game database and in the opening book, for the viewers of a room."""

import functools
import sqlite3
from pathlib import Path

from tengen.board import PASS, Position, column_of, row_of
from tengen.engine import EngineSettings
from tengen.engine.book import Book, read_book
from tengen.records.database import GameDatabase, Pattern, PatternStatistics, Region
from tengen.util import TengenError
from tengen.view import ViewContext
from tengen.web.messages import (
    Continuations,
    ExampleGame,
    NextMove,
    ShowContinuations,
)
from tengen.web.room import Room, Viewer

MAX_MOVES = 40
MAX_EXAMPLES = 8
DEFAULT_BOOK = "default"


class ContinuationViews:
    """Sends the next moves to the viewers that want them, whenever the position changes."""

    def __init__(self, room: Room):
        self._room = room
        self._local: dict[Viewer, bool] = {}
        """Whether each viewer looks at the corner of the last move only."""

    def show(self, viewer: Viewer, message: ShowContinuations) -> None:
        """Start or stop sending the next moves to a viewer."""
        self._local.pop(viewer, None)
        self._room.stop(_task_name(viewer))
        if message.on:
            self._local[viewer] = message.is_local
            self._start(viewer)

    def remove_viewer(self, viewer: Viewer) -> None:
        """Stop updating a viewer."""
        if self._local.pop(viewer, None) is not None:
            self._room.stop(_task_name(viewer))

    def refresh(self) -> None:
        """Update all viewers, for a new position."""
        for viewer in self._local:
            self._start(viewer)

    def _start(self, viewer: Viewer) -> None:
        self._room.start(_task_name(viewer), self._send(viewer))

    async def _send(self, viewer: Viewer) -> None:
        room = self._room
        node, settings, path = room.game.node, room.settings, room.context.database
        position, is_local = room.game.position.copy(), self._local[viewer]
        found = await room.context.run_in_thread(
            find_continuations, node, position, is_local, settings, path
        )
        viewer.send(found)


def _task_name(viewer: Viewer) -> str:
    return f"continuations {id(viewer)}"


def find_continuations(
    node: int, position: Position, is_local: bool, settings: EngineSettings, path: Path | None
) -> Continuations:
    """Return the next moves of a position in the database and in the book."""
    book_games, book = _book_moves(position, settings)
    database, problem = _open(path, settings)
    if database is None:
        return Continuations(node, is_local, None, 0, [], book_games, book, [], problem)
    region = _corner(position) if is_local else None
    pattern = Pattern.local(position, region) if region else Pattern.whole(position)
    found = database.search(pattern, MAX_EXAMPLES)
    return Continuations(
        node,
        region is not None,
        found.searched,
        found.games,
        [
            NextMove(
                position.vertex(one.move), one.color.name.lower(), one.games, one.wins, one.losses
            )
            for one in found.continuations[:MAX_MOVES]
        ],
        book_games,
        book,
        _examples(database, found),
    )


def _open(path: Path | None, settings: EngineSettings) -> tuple[GameDatabase | None, str]:
    """Return the database, or None with the reason; the reason is empty if there is no file."""
    if path is None or not path.is_file():
        return None, ""
    try:
        return ViewContext(settings, None, path).database(), ""
    except (TengenError, sqlite3.Error) as error:
        return None, str(error)


def _examples(database: GameDatabase, found: PatternStatistics) -> list[ExampleGame]:
    infos = database.infos([one.game for one in found.occurrences])
    return [
        ExampleGame(
            one.game,
            one.after_move,
            f"{infos[one.game].black} {infos[one.game].black_rank}".strip(),
            f"{infos[one.game].white} {infos[one.game].white_rank}".strip(),
            infos[one.game].date,
            infos[one.game].result,
        )
        for one in found.occurrences
        if one.game in infos
    ]


def _book_moves(position: Position, settings: EngineSettings) -> tuple[int, list[NextMove]]:
    """Return the games and the moves of a position in the engine's book, or in the bundled one."""
    try:
        found = _read_book(settings.opening.book or DEFAULT_BOOK).look_up(position)
    except TengenError:
        return 0, []
    if found is None:
        return 0, []
    color = position.to_play.name.lower()
    return found.games, [
        NextMove(position.vertex(one.move), color, one.games, one.wins, one.losses)
        for one in found.moves[:MAX_MOVES]
    ]


@functools.lru_cache(maxsize=2)
def _read_book(name: str) -> Book:
    return read_book(name)


def _corner(position: Position) -> Region | None:
    """Return the quarter of the board with the last move, or None without one."""
    move = position.last_move
    if move is None or move == PASS:
        return None
    rows, columns = position.rows, position.columns
    half_rows, half_columns = (rows + 1) // 2, (columns + 1) // 2
    top = 0 if row_of(move) < half_rows else rows - half_rows
    left = 0 if column_of(move) < half_columns else columns - half_columns
    return Region(top, left, top + half_rows - 1, left + half_columns - 1)
