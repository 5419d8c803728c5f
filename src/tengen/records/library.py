"""The library: collections of games with headers for a list, and the full text of each game.

One SQLite file. Each batch of games is one transaction. A collection whose reading was killed is
removed when the next one is read.
"""

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from tengen.records.collection import (
    Document,
    ProgressHandler,
    find_documents,
    ignore_progress,
    split_documents,
)
from tengen.records.game import GameRecord
from tengen.records.reader import map_batches, read_bytes, read_document
from tengen.records.warning import RecordWarning, WarningKind, ignore_warning
from tengen.records.writer import sgf_bytes
from tengen.util import StopFlag, TengenError, data_dir, transaction

APPLICATION_ID = 0x54474C42
"""`TGLB`, in SQLite's file header."""
FORMAT_VERSION = 1
MAX_GAMES = 200_000
"""Games of one collection; further ones are not read."""
MAX_TEXT = 80
"""Characters of a header."""
BATCH_BYTES = 200_000
"""Small batches, so that the first games are listed soon."""
STALE_S = 300.0
"""A collection that is incomplete and got no games for this time is no longer being read."""
SORT_KEYS = ("number", "black", "white", "date", "result", "moves", "changed")
_BUSY_TIMEOUT_S = 60

SCHEMA = """
CREATE TABLE collections (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    is_played INTEGER NOT NULL,
    added REAL NOT NULL,
    reading REAL
);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL,
    number INTEGER NOT NULL,
    key TEXT,
    room TEXT,
    black TEXT NOT NULL,
    white TEXT NOT NULL,
    date TEXT NOT NULL,
    event TEXT NOT NULL,
    result TEXT NOT NULL,
    rows INTEGER NOT NULL,
    columns INTEGER NOT NULL,
    moves INTEGER NOT NULL,
    changed REAL NOT NULL,
    words TEXT NOT NULL,
    board TEXT NOT NULL,
    options TEXT NOT NULL,
    sgf BLOB NOT NULL
);
CREATE INDEX games_of_collection ON games (collection, number);
CREATE UNIQUE INDEX game_of_key ON games (key) WHERE key IS NOT NULL;
CREATE INDEX games_of_room ON games (room) WHERE room IS NOT NULL;
"""
_COLUMNS = (
    "number, key, room, black, white, date, event, result, rows, columns, moves, changed, "
    "words, board, options, sgf"
)


class LibraryGame(NamedTuple):
    """A game as listed."""

    id: int
    black: str
    white: str
    date: str
    event: str
    result: str
    rows: int
    columns: int
    moves: int
    changed: float
    """When it was stored, in seconds since 1970."""
    board: str
    """The final position: a character of `.XO` for each point, row by row from the top."""


class LibraryCollection(NamedTuple):
    """A collection as listed."""

    id: int
    name: str
    is_played: bool
    """Whether it contains the games played on the page."""
    games: int
    is_complete: bool


class GameOrigin(NamedTuple):
    """How a game of the page was played."""

    key: str
    """Identifies the game: saving it again replaces its previous state."""
    room: str
    options: str


class OpenedGame(NamedTuple):
    """A game to be opened."""

    record: GameRecord
    played: GameOrigin | None
    """None for games of files."""


@dataclass
class ReadCounts:
    """Progress of reading a collection."""

    games: int = 0
    unreadable: int = 0
    """Files that could not be read."""


def default_library_path() -> Path:
    """Return `TENGEN_LIBRARY` if it is set, else a file in the user's data folder."""
    configured = os.environ.get("TENGEN_LIBRARY")
    return Path(configured) if configured else data_dir() / "library.sqlite"


class Library:
    """An open library file; safe to use from several threads."""

    def __init__(self, path: str | Path):
        """Open a library, or create it; raise TengenError for other files."""
        self.path = str(path)
        self._lock = threading.RLock()
        try:
            if self.path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, _BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except (sqlite3.Error, OSError) as error:
            raise TengenError(f"{self.path} is not a game library: {error}") from None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _prepare(self) -> None:
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._create()
        elif application != APPLICATION_ID or version != FORMAT_VERSION:
            raise TengenError(f"{self.path} is not a game library of this version")
        # A game is saved after each move: the last ones may be lost in a power failure.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _create(self) -> None:
        with self._transaction():
            if self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                return
            self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
            for statement in SCHEMA.split(";\n"):
                self._db.execute(statement)

    # Collections

    def collections(self) -> list[LibraryCollection]:
        """Return all collections, the played games first, then the newest."""
        query = (
            "SELECT id, name, is_played, (SELECT COUNT(*) FROM games WHERE collection = c.id), "
            "reading IS NULL FROM collections c ORDER BY is_played DESC, id DESC"
        )
        return [
            LibraryCollection(row[0], row[1], bool(row[2]), row[3], bool(row[4]))
            for row in self._rows(query)
        ]

    def add_collection(self, name: str) -> int:
        """Create an empty collection to be filled; return its id."""
        with self._transaction():
            self._remove_interrupted()
            now_s = time.time()
            return self._insert(
                "INSERT INTO collections VALUES (NULL, ?, 0, ?, ?)", (name[:MAX_TEXT], now_s, now_s)
            )

    def _remove_interrupted(self) -> None:
        """Remove collections that are incomplete and no longer read."""
        query = "SELECT id FROM collections WHERE reading < ?"
        for (number,) in self._rows(query, (time.time() - STALE_S,)):
            self.remove_collection(number)

    def complete(self, collection: int) -> None:
        """Mark a collection as completely read."""
        self._execute("UPDATE collections SET reading = NULL WHERE id = ?", (collection,))

    def remove_collection(self, collection: int) -> None:
        """Remove a collection and its games."""
        with self._transaction():
            self._execute("DELETE FROM games WHERE collection = ?", (collection,))
            self._execute("DELETE FROM collections WHERE id = ?", (collection,))

    def add_games(self, collection: int, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add packed games (see `pack_game`) in one transaction."""
        query = f"INSERT INTO games (collection, {_COLUMNS}) VALUES ({_marks(17)})"
        with self._transaction():
            self._db.executemany(query, [(collection, *row) for row in rows])
            query = "UPDATE collections SET reading = ? WHERE id = ?"
            self._execute(query, (time.time(), collection))

    def add_sgf(self, collection: int, games: Sequence[bytes]) -> None:
        """Add games in SGF to a collection."""
        records = [next(read_bytes(sgf, on_warning=ignore_warning)) for sgf in games]
        rows = [pack_game(record, number) for number, record in enumerate(records)]
        self.add_games(collection, rows)

    # Games

    def games(
        self,
        collection: int,
        words: str = "",
        sort: str = "number",
        is_descending: bool = False,
        offset: int = 0,
        limit: int = 60,
    ) -> tuple[int, list[LibraryGame]]:
        """Return how many games of a collection contain all words, and some of them."""
        if sort not in SORT_KEYS:
            raise TengenError(f"cannot sort by {sort[:40]!r}")
        wanted = words.casefold().split()[:10]
        where = "collection = ?" + " AND instr(words, ?)" * len(wanted)
        values = (collection, *wanted)
        total = int(self._rows(f"SELECT COUNT(*) FROM games WHERE {where}", values)[0][0])
        direction = "DESC" if is_descending else "ASC"
        order = f"{sort} COLLATE NOCASE {direction}, number {direction}"
        query = (
            f"SELECT {', '.join(LibraryGame._fields)} FROM games WHERE {where} "
            f"ORDER BY {order} LIMIT ? OFFSET ?"
        )
        return total, [LibraryGame(*row) for row in self._rows(query, (*values, limit, offset))]

    def game(self, number: int) -> OpenedGame:
        """Return a game; raise TengenError if there is no such game."""
        query = "SELECT sgf, key, room, options FROM games WHERE id = ?"
        rows = self._rows(query, (str(number),))
        if not rows:
            raise TengenError("this game is no longer in the library")
        sgf, key, room, options = rows[0]
        record = next(read_bytes(zlib.decompress(sgf), on_warning=ignore_warning))
        return OpenedGame(record, None if key is None else GameOrigin(key, room, options))

    def latest_of_room(self, room: str) -> OpenedGame | None:
        """Return the game saved last in a room of the page, or None."""
        query = "SELECT id FROM games WHERE room = ? ORDER BY changed DESC LIMIT 1"
        rows = self._rows(query, (room,))
        return self.game(rows[0][0]) if rows else None

    def save(self, played: GameOrigin, sgf: bytes, name: str) -> None:
        """Store a played game, or replace its previous state, in the collection `name`."""
        record = next(read_bytes(sgf, on_warning=ignore_warning))
        with self._transaction():
            found = self._rows("SELECT id FROM collections WHERE is_played")
            new = "INSERT INTO collections VALUES (NULL, ?, 1, ?, NULL)"
            collection = found[0][0] if found else self._insert(new, (name, time.time()))
            query = "SELECT id, number FROM games WHERE key = ?"
            known = self._rows(query, (played.key,))
            number = known[0][1] if known else self._next_number(collection)
            identifier = known[0][0] if known else None
            row = pack_game(record, number, played)
            query = f"REPLACE INTO games (id, collection, {_COLUMNS}) VALUES ({_marks(18)})"
            self._execute(query, (identifier, collection, *row))

    def _next_number(self, collection: int) -> int:
        query = "SELECT COALESCE(MAX(number) + 1, 0) FROM games WHERE collection = ?"
        return int(self._rows(query, (collection,))[0][0])

    def remove_game(self, number: int) -> None:
        """Remove a game."""
        self._execute("DELETE FROM games WHERE id = ?", (str(number),))

    # Internals

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise TengenError(f"{self.path} cannot be read: {error}") from None

    def _execute(self, query: str, values: Sequence[Any]) -> None:
        self._insert(query, values)

    def _insert(self, query: str, values: Sequence[Any]) -> int:
        try:
            with self._lock:
                return int(self._db.execute(query, values).lastrowid or 0)
        except sqlite3.Error as error:
            raise TengenError(f"{self.path} cannot be written: {error}") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run a block as one transaction, or as part of the current one."""
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            try:
                with transaction(self._db):
                    yield
            except sqlite3.Error as error:
                raise TengenError(f"{self.path} cannot be written: {error}") from None


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def pack_game(record: GameRecord, number: int, played: GameOrigin | None = None) -> tuple[Any, ...]:
    """Return a game as the values of its columns after `collection`."""
    black = _name(record.black, record.black_rank)
    white = _name(record.white, record.white_rank)
    date, event, result = (record.text(name)[:MAX_TEXT] for name in ("DT", "EV", "RE"))
    file_name = os.path.basename(record.source)
    words = "\n".join((black, white, date, event, result, file_name)).casefold()
    sgf = zlib.compress(sgf_bytes(record), 6)
    size = record.rows, record.columns
    headers = black, white, date, event, result, *size, len(record.moves), time.time()
    key, room, options = played or (None, None, "")
    return number, key, room, *headers, words, _final_board(record), options, sgf


def _name(name: str, rank: str) -> str:
    return " ".join(f"{name} {rank}".split())[:MAX_TEXT]


def _final_board(record: GameRecord) -> str:
    try:
        return record.position().diagram().replace("\n", "").replace(" ", "")
    except TengenError:
        return "." * (record.rows * record.columns)


@dataclass
class PackedGames:
    """The games of a batch of documents."""

    rows: list[tuple[Any, ...]]


def pack_documents(batch: list[Document], stop: StopFlag) -> PackedGames:
    """Read the games of Go of some documents; return early when stopped."""
    rows = []
    for document in batch:
        for record in read_document(document, ignore_warning):
            if stop.is_set():
                break
            if record.is_playable and (record.moves or record.setup):
                rows.append(pack_game(record, 0))
    return PackedGames(rows)


def read_collection(
    library: Library,
    paths: Sequence[str | os.PathLike[str]],
    name: str,
    workers: int,
    stop: StopFlag,
    on_progress: ProgressHandler = ignore_progress,
) -> Iterator[ReadCounts]:
    """Add the games at the paths as one collection; yield the counts after each batch.

    The collection is removed if it has no games, or if reading is stopped or fails. Raise
    TengenError at once if a path is missing.
    """
    counts = ReadCounts()

    def add_warning(warning: RecordWarning) -> None:
        counts.unreadable += warning.kind is not WarningKind.OTHER_FILE

    found = chain.from_iterable([find_documents(path, add_warning, on_progress) for path in paths])
    parts = split_documents(found, BATCH_BYTES)
    batches = map_batches(parts, pack_documents, workers, stop, BATCH_BYTES)
    return _store_batches(library, library.add_collection(name), batches, counts, stop)


def _store_batches(
    library: Library,
    collection: int,
    batches: Iterable[PackedGames],
    counts: ReadCounts,
    stop: StopFlag,
) -> Iterator[ReadCounts]:
    try:
        for batch in batches:
            rows = batch.rows[: MAX_GAMES - counts.games]
            numbered = [(counts.games + i, *row[1:]) for i, row in enumerate(rows)]
            library.add_games(collection, numbered)
            counts.games += len(rows)
            yield counts
            if stop.is_set() or counts.games >= MAX_GAMES:
                break
        if counts.games and not stop.is_set():
            library.complete(collection)
            collection = 0
        yield counts
    finally:
        if collection:
            library.remove_collection(collection)
