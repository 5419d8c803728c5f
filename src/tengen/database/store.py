"""The games in one SQLite file.

- One transaction a batch of files: its games, their events and the note that the files are done
  are stored together or not at all. Whatever kills an import, running it again goes on.
- A game's digest is unique: the database itself refuses to hold a game twice.

SQLite keeps headers, which people ask for by name; the events, which a search reads whole, are
blobs in it. So there is one file to copy, and the journal protects all of it.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tengen.core.errors import TengenError
from tengen.core.transaction import transaction
from tengen.database.chunk import Chunk, make_chunk, read_chunk
from tengen.database.packing import GameInfo, PackedGame, Skip

FORMAT = 1
APPLICATION = 0x54474D53
"""`TGMS`: marks the file as ours, in SQLite's own header."""
BUSY_TIMEOUT_S = 60
_AT_ONCE = 500
"""Numbers in one question: SQLite has a limit."""

_SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""SQLite tells of damage in words that may be damaged too."""
_NUMBER = (float, type(None))
_INFO_KINDS: tuple[Any, ...] = (int, int, *[str] * 7, int, _NUMBER, int, str, int, str, int)
"""The types of `GameInfo`: a column of a damaged file may hold anything."""

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
    """A file that was imported: a digest of its bytes, and its name."""

    digest: bytes
    name: str


class GameStore:
    """The database file. One object may be used by several threads."""

    def __init__(self, path: str | Path, create: bool = False):
        """Open a database, or begin one if `create`; raise TengenError if it is none."""
        self.path = str(path)
        if self.path != ":memory:":
            _check_file(Path(path), create)
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(
                path, BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            # SQLite's own lower() knows no letters beyond ASCII.
            self._db.create_function("casefold", 1, str.casefold, deterministic=True)
            self._prepare()
        except _SQLITE_ERRORS as error:
            raise TengenError(f"{self.path} is no games database: {_line(error)}") from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # Writing

    def add(
        self, documents: Iterable[DocumentKey], games: Sequence[PackedGame], skips: Sequence[Skip]
    ) -> int:
        """Store a batch of games and that their files are done; return how many were new."""
        with self._transaction():
            documents = list(documents)
            self._many("INSERT OR IGNORE INTO documents VALUES (?, ?)", documents)
            sizes = dict.fromkeys((game.info.rows, game.info.columns) for game in games)
            new = sum(self._add_size(size, games) for size in sizes)
            duplicates = [Skip.DUPLICATE] * (len(games) - new)
            self._many(
                "INSERT INTO skipped VALUES (?, 1) ON CONFLICT DO UPDATE SET games = games + 1",
                [(int(skip),) for skip in [*skips, *duplicates]],
            )
        return new

    def _add_size(self, size: tuple[int, int], games: Sequence[PackedGame]) -> int:
        """Store the new games among those of one board size."""
        chunk = self._one("SELECT COALESCE(MAX(id), 0) + 1 FROM chunks")
        own = [game for game in games if (game.info.rows, game.info.columns) == size]
        places = ", ".join("?" * (len(GameInfo._fields) + 2))
        query = f"INSERT OR IGNORE INTO games VALUES (NULL, {places})"
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
        """Tell whether a file was imported to its end."""
        return bool(self._rows("SELECT 1 FROM documents WHERE digest = ?", (digest,)))

    def count(self) -> int:
        """Return how many games are stored."""
        return int(self._one("SELECT COUNT(*) FROM games"))

    def sizes(self) -> dict[tuple[int, int], int]:
        """Return the games of each board size (rows, columns), the most frequent first."""
        query = "SELECT rows, columns, SUM(games) FROM chunks GROUP BY 1, 2 ORDER BY 3 DESC"
        return {(rows, columns): int(games) for rows, columns, games in self._rows(query)}

    def skipped(self) -> dict[Skip, int]:
        """Return how many games were left out, by reason, over all imports."""
        return {Skip(reason): n for reason, n in self._rows("SELECT * FROM skipped ORDER BY 1")}

    def infos(self, ids: Sequence[int]) -> dict[int, GameInfo]:
        """Return the headers of some games by their numbers."""
        columns = ", ".join(GameInfo._fields)
        found: dict[int, GameInfo] = {}
        for start in range(0, len(ids), _AT_ONCE):
            part = ids[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            query = f"SELECT id, {columns} FROM games WHERE id IN ({marks})"
            found |= {row[0]: self._info(row[1:]) for row in self._rows(query, part)}
        return found

    def _info(self, row: tuple[Any, ...]) -> GameInfo:
        if not all(isinstance(item, kind) for item, kind in zip(row, _INFO_KINDS, strict=True)):
            raise TengenError(f"{self.path} is damaged: the headers of a game make no sense")
        return GameInfo(*row)

    def ids_where(self, player: str) -> list[int]:
        """Return the games of a player, by a part of the name, in any case."""
        query = "SELECT id FROM games WHERE instr(casefold(black || char(10) || white), ?)"
        return [row[0] for row in self._rows(query, (player.casefold(),))]

    def newest_chunk(self, rows: int, columns: int) -> int:
        """Return the last chunk of a board size, 0 if there is none: it grows with the games."""
        query = "SELECT COALESCE(MAX(id), 0) FROM chunks WHERE rows = ? AND columns = ?"
        return int(self._one(query, (rows, columns)))

    def chunks(self, rows: int, columns: int) -> Iterator[Chunk]:
        """Yield the chunks of a board size in order; raise TengenError if one is damaged."""
        query = "SELECT facts, events, checksum FROM chunks WHERE rows = ? AND columns = ? "
        for row in self._rows(query + "ORDER BY id", (rows, columns)):
            yield self._read(row)

    def chunk_of(self, game: int) -> Chunk:
        """Return the chunk that holds a game; raise TengenError if there is no such game."""
        query = (
            "SELECT facts, events, checksum FROM chunks "
            "WHERE id = (SELECT chunk FROM games WHERE id = ?)"
        )
        # As text, for SQLite refuses numbers that are too long for it.
        rows = self._rows(query, (str(game),))
        if not rows:
            raise TengenError(f"there is no game {game} in {self.path}")
        return self._read(rows[0])

    # Inside

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
            raise TengenError(f"{self.path} cannot be read: {_line(error)}") from None

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._rows(query, values)[0][0]

    def _many(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        self._db.executemany(query, rows)

    def _prepare(self) -> None:
        """Make the tables of a new file; raise TengenError for a file that is not ours."""
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        is_empty = self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
        if is_empty:
            self._create()
        elif application != APPLICATION:
            raise TengenError(f"{self.path} is a database of something else")
        elif version != FORMAT:
            raise TengenError(f"{self.path} has format {version}, this Tengen reads {FORMAT}")
        self._db.execute("PRAGMA foreign_keys = ON")

    def _create(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            if self._db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                return
            self._db.execute(f"PRAGMA application_id = {APPLICATION}")
            self._db.execute(f"PRAGMA user_version = {FORMAT}")
            for statement in SCHEMA.split(";\n"):
                self._db.execute(statement)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Hold the file's write lock; all inside is stored, or nothing."""
        with self._lock:
            try:
                with transaction(self._db):
                    yield
            except _SQLITE_ERRORS as error:
                raise TengenError(f"{self.path} cannot be written: {_line(error)}") from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _check_file(path: Path, create: bool) -> None:
    """Raise TengenError for a file that is missing, foreign or cut off."""
    if not path.exists() or path.stat().st_size == 0:
        if not create:
            raise TengenError(f"no games database {path}: make one with `tengen games import`")
        path.parent.mkdir(parents=True, exist_ok=True)
        return
    if path.is_dir():
        raise TengenError(f"{path} is a folder, not a games database")
    with path.open("rb") as file:
        head = file.read(100)
    if not head.startswith(b"SQLite format 3\0") or len(head) < 100:
        raise TengenError(f"{path} is no games database")
    page = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    has_journal = Path(f"{path}-wal").exists()
    if not has_journal and path.stat().st_size < pages * (65536 if page == 1 else page):
        raise TengenError(f"{path} is cut off: {pages} pages are promised, not all are there")
