"""The SQLite file of the game database.

- Each batch of files is one transaction: its games, their events and the names of the files are
  stored together or not at all, so an interrupted import can be repeated.
- The digest of a game is unique, so no game is stored twice.

Headers are columns, for queries by player; the events, which a search reads as a whole, are blobs.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tengen.records.database.packing import (
    Chunk,
    GameHeaders,
    PackedGame,
    SkipReason,
    make_chunk,
    read_chunk,
)
from tengen.util import TengenError, transaction

FORMAT_VERSION = 1
APPLICATION_ID = 0x54474D53
"""`TGMS`, in SQLite's file header."""
_BUSY_TIMEOUT_S = 60
_MAX_QUERY_IDS = 500
"""SQLite limits the number of parameters of a query."""

_SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""In damaged files, the text of an SQLite error may be damaged too."""
_KOMI_TYPES = (float, type(None))
_INFO_TYPES: tuple[Any, ...] = (int, int, *[str] * 7, int, _KOMI_TYPES, int, str, int, str, int)
"""The types of the fields of `GameHeaders`; columns of a damaged file may have others."""

SCHEMA = """
CREATE TABLE documents (
    digest BLOB PRIMARY KEY,
    name TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    rows INTEGER NOT NULL,
    columns INTEGER NOT NULL,
    black TEXT NOT NULL,
    white TEXT NOT NULL,
    black_rank TEXT NOT NULL,
    white_rank TEXT NOT NULL,
    date TEXT NOT NULL,
    event TEXT NOT NULL,
    result TEXT NOT NULL,
    winner INTEGER NOT NULL CHECK (winner IN (0, 1, 2)),
    komi REAL,
    handicap INTEGER NOT NULL,
    rules TEXT NOT NULL,
    moves INTEGER NOT NULL,
    source TEXT NOT NULL,
    number INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE,
    chunk INTEGER NOT NULL REFERENCES chunks DEFERRABLE INITIALLY DEFERRED
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    rows INTEGER NOT NULL,
    columns INTEGER NOT NULL,
    games INTEGER NOT NULL,
    facts BLOB NOT NULL,
    events BLOB NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE skipped (reason INTEGER PRIMARY KEY, games INTEGER NOT NULL);
"""


class DocumentKey(NamedTuple):
    """An imported file: the digest of its content, and its name."""

    digest: bytes
    name: str


class GameStore:
    """An open database file; safe to use from several threads."""

    def __init__(self, path: str | Path, create: bool = False):
        """Open a database, or create it if `create`; raise TengenError for other files."""
        self.path = str(path)
        if self.path != ":memory:":
            _check_file(Path(path), create)
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(
                path, _BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            # SQLite's lower() handles only ASCII.
            self._db.create_function("casefold", 1, str.casefold, deterministic=True)
            self._prepare()
        except _SQLITE_ERRORS as error:
            raise TengenError(f"{self.path} is not a game database: {_one_line(error)}") from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # Writing

    def add(
        self,
        documents: Iterable[DocumentKey],
        games: Sequence[PackedGame],
        skips: Sequence[SkipReason],
    ) -> int:
        """Store games and mark their files as imported; return the number of new games."""
        with self._transaction():
            documents = list(documents)
            self._db.executemany("INSERT OR IGNORE INTO documents VALUES (?, ?)", documents)
            sizes = dict.fromkeys((game.info.rows, game.info.columns) for game in games)
            new = sum(self._add_games_of_size(size, games) for size in sizes)
            duplicates = [SkipReason.DUPLICATE] * (len(games) - new)
            self._db.executemany(
                "INSERT INTO skipped VALUES (?, 1) ON CONFLICT DO UPDATE SET games = games + 1",
                [(int(skip),) for skip in [*skips, *duplicates]],
            )
        return new

    def _add_games_of_size(self, size: tuple[int, int], games: Sequence[PackedGame]) -> int:
        """Store the new games of one board size; return their number."""
        chunk = self._one("SELECT COALESCE(MAX(id), 0) + 1 FROM chunks")
        own = [game for game in games if (game.info.rows, game.info.columns) == size]
        parameters = ", ".join("?" * (len(GameHeaders._fields) + 2))
        query = f"INSERT OR IGNORE INTO games VALUES (NULL, {parameters})"
        ids, new = [], []
        for game in own:
            cursor = self._db.execute(query, (*game.info, game.digest, chunk))
            if cursor.rowcount:
                ids.append(int(cursor.lastrowid or 0))
                new.append(game)
        if new:
            blobs = make_chunk(ids, new).blobs()
            row = (chunk, *size, len(new), *blobs)
            self._db.execute("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return len(new)

    # Reading

    def has_document(self, digest: bytes) -> bool:
        """Return whether a file was imported completely."""
        return bool(self._rows("SELECT 1 FROM documents WHERE digest = ?", (digest,)))

    def count(self) -> int:
        """Return the number of games."""
        return int(self._one("SELECT COUNT(*) FROM games"))

    def sizes(self) -> dict[tuple[int, int], int]:
        """Return the number of games by board size (rows, columns), most frequent first."""
        query = "SELECT rows, columns, SUM(games) FROM chunks GROUP BY 1, 2 ORDER BY 3 DESC"
        return {(rows, columns): int(games) for rows, columns, games in self._rows(query)}

    def skipped(self) -> dict[SkipReason, int]:
        """Return the number of skipped games by reason, over all imports."""
        return {
            SkipReason(reason): n for reason, n in self._rows("SELECT * FROM skipped ORDER BY 1")
        }

    def infos(self, ids: Sequence[int]) -> dict[int, GameHeaders]:
        """Return the headers of games by id."""
        columns = ", ".join(GameHeaders._fields)
        found: dict[int, GameHeaders] = {}
        for start in range(0, len(ids), _MAX_QUERY_IDS):
            part = ids[start : start + _MAX_QUERY_IDS]
            parameters = ", ".join("?" * len(part))
            query = f"SELECT id, {columns} FROM games WHERE id IN ({parameters})"
            found |= {row[0]: self._info(row[1:]) for row in self._rows(query, part)}
        return found

    def _info(self, row: tuple[Any, ...]) -> GameHeaders:
        if not all(isinstance(item, types) for item, types in zip(row, _INFO_TYPES, strict=True)):
            raise TengenError(f"{self.path} is damaged: invalid headers of a game")
        return GameHeaders(*row)

    def find_ids(self, player: str) -> list[int]:
        """Return the ids of the games of a player, given any part of the name in any case."""
        query = "SELECT id FROM games WHERE instr(casefold(black || char(10) || white), ?)"
        return [row[0] for row in self._rows(query, (player.casefold(),))]

    def newest_chunk(self, rows: int, columns: int) -> int:
        """Return the id of the last chunk of a board size, 0 if there is none."""
        query = "SELECT COALESCE(MAX(id), 0) FROM chunks WHERE rows = ? AND columns = ?"
        return int(self._one(query, (rows, columns)))

    def chunks(self, rows: int, columns: int) -> Iterator[Chunk]:
        """Yield the chunks of a board size in order; raise TengenError if one is damaged."""
        query = "SELECT facts, events, checksum FROM chunks WHERE rows = ? AND columns = ? "
        for row in self._rows(query + "ORDER BY id", (rows, columns)):
            yield self._read(row)

    def chunk_of(self, game: int) -> Chunk:
        """Return the chunk that contains a game; raise TengenError if there is no such game."""
        query = (
            "SELECT facts, events, checksum FROM chunks "
            "WHERE id = (SELECT chunk FROM games WHERE id = ?)"
        )
        # As text, since SQLite rejects integers of more than 64 bits.
        rows = self._rows(query, (str(game),))
        if not rows:
            raise TengenError(f"there is no game {game} in {self.path}")
        return self._read(rows[0])

    # Internals

    def _read(self, row: tuple[Any, ...]) -> Chunk:
        try:
            return read_chunk(*row)
        except TengenError as error:
            raise TengenError(f"{self.path}: {error}") from None

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._db.execute(query, values).fetchall()
        except _SQLITE_ERRORS as error:
            raise TengenError(f"{self.path} cannot be read: {_one_line(error)}") from None

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._rows(query, values)[0][0]

    def _prepare(self) -> None:
        """Create the tables of a new file; raise TengenError for another database or format."""
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        is_empty = self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
        if is_empty:
            self._create()
        elif application != APPLICATION_ID:
            raise TengenError(f"{self.path} is the database of another program")
        elif version != FORMAT_VERSION:
            raise TengenError(
                f"{self.path} has format {version}, but this version reads {FORMAT_VERSION}"
            )
        self._db.execute("PRAGMA foreign_keys = ON")

    def _create(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            if self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                return
            self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
            for statement in SCHEMA.split(";\n"):
                self._db.execute(statement)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run a block as one transaction."""
        with self._lock:
            try:
                with transaction(self._db):
                    yield
            except _SQLITE_ERRORS as error:
                raise TengenError(f"{self.path} cannot be written: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _check_file(path: Path, create: bool) -> None:
    """Raise TengenError for a file that is missing, of another kind or truncated."""
    if not path.exists() or path.stat().st_size == 0:
        if not create:
            raise TengenError(f"no game database {path}: create one with `tengen games import`")
        path.parent.mkdir(parents=True, exist_ok=True)
        return
    if path.is_dir():
        raise TengenError(f"{path} is a folder, not a game database")
    with path.open("rb") as file:
        head = file.read(100)
    if not head.startswith(b"SQLite format 3\0") or len(head) < 100:
        raise TengenError(f"{path} is not a game database")
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    has_journal = Path(f"{path}-wal").exists()
    if not has_journal and path.stat().st_size < pages * (65536 if page == 1 else page):
        raise TengenError(f"{path} is truncated: it is shorter than its {pages} pages")
