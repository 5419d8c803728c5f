"""The results of a match in one SQLite file.

- One transaction a game: whatever kills a runner, a finished game is stored or was never told.
- A runner *claims* a game before it plays it. Claims of a runner that died are free again: each
  runner holds a lock on a small file beside the database for as long as it lives, and the system
  drops the lock with the process, even after `kill -9`.
- A game's number is the primary key: the database itself refuses to store a game twice.

Engine, colour and result are separate columns, and a check ties them together: nothing here ever
says "B" where it means "the first engine". Runners of one file must share a machine, since
SQLite's journal and file locks do.
"""

import json
import os
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tengen.core.difference import first_difference
from tengen.core.errors import TengenError
from tengen.core.file_lock import is_locked, lock
from tengen.core.transaction import transaction
from tengen.match.named_files import changed_files
from tengen.match.plan import Entrant, MatchPlan
from tengen.match.setting import completed

FORMAT = 1
BUSY_TIMEOUT_S = 60
GLANCE_TIMEOUT_S = 0.2

SCHEMA = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS players (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    command TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS games (
    number INTEGER PRIMARY KEY,
    pair INTEGER NOT NULL,
    opening TEXT NOT NULL,
    opening_moves INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    black INTEGER NOT NULL REFERENCES players,
    white INTEGER NOT NULL REFERENCES players,
    winner_colour INTEGER CHECK (winner_colour IN (1, 2)),
    winner INTEGER REFERENCES players,
    reason INTEGER NOT NULL,
    margin REAL,
    length INTEGER NOT NULL,
    black_time_s REAL NOT NULL,
    white_time_s REAL NOT NULL,
    black_cpu_s REAL,
    white_cpu_s REAL,
    black_says REAL,
    white_says REAL,
    black_dispute INTEGER NOT NULL,
    white_dispute INTEGER NOT NULL,
    black_log TEXT NOT NULL,
    white_log TEXT NOT NULL,
    note TEXT NOT NULL,
    digest TEXT NOT NULL,
    sgf TEXT NOT NULL,
    began TEXT NOT NULL,
    took_s REAL NOT NULL,
    host TEXT NOT NULL,
    CHECK (winner IS CASE winner_colour WHEN 1 THEN black WHEN 2 THEN white END)
);
CREATE TABLE IF NOT EXISTS runners (id TEXT PRIMARY KEY, pid INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS claims (
    number INTEGER PRIMARY KEY,
    runner TEXT NOT NULL REFERENCES runners
);
"""


class GameRow(NamedTuple):
    """A stored game, in the order of the table's columns."""

    number: int
    pair: int
    opening: str
    opening_moves: int
    seed: int
    black: int
    white: int
    winner_colour: int | None
    winner: int | None
    """The player that won; None for a draw."""
    reason: int
    margin: float | None
    length: int
    black_time_s: float
    white_time_s: float
    black_cpu_s: float | None
    white_cpu_s: float | None
    black_says: float | None
    white_says: float | None
    black_dispute: int
    white_dispute: int
    black_log: str
    white_log: str
    note: str
    digest: str
    """Of the moves: two games of one digest are the same game."""
    sgf: str
    began: str
    took_s: float
    host: str


LAST_WORDS = 300
"""Characters of a log that tell what failed last."""
SHORTENED = {
    "black_log": f"substr(black_log, -{LAST_WORDS})",
    "white_log": f"substr(white_log, -{LAST_WORDS})",
    "sgf": "''",
}
"""What stands for the long texts of a game where many are read."""


class Store:
    """The file of a match. One object a runner; it may be used from one thread at a time."""

    def __init__(self, path: Path, create: bool = True, is_glance: bool = False):
        """Open the file, or only an existing one; raise TengenError if it is something else.

        A glance is for files that may be anyone's: it only reads, and hardly waits for others.
        """
        self.path = path
        if not create and not path.is_file():
            raise TengenError(f"{path} is a folder" if path.is_dir() else f"no such file: {path}")
        try:
            self._db = _connect_to_glance(path) if is_glance else _connect(path)
            self._check(create)
            if create:
                self._prepare()
        except sqlite3.Error as error:
            raise TengenError(f"cannot open {path} as a match file: {error}") from None
        self._runner: str | None = None
        self._lock: int | None = None
        self._first_open = 0

    def close(self) -> None:
        """Give up what is claimed and close the file."""
        if self._runner is not None:
            with self._transaction():
                self._forget(self._runner)
            self._unlock()
        self._db.close()

    # The plan

    def adopt(self, plan: MatchPlan) -> None:
        """Make this the file of a plan; raise TengenError if it already holds another's games."""
        wanted = json.loads(json.dumps(plan.identity))
        with self._transaction():
            stored = self._plan()
            if stored is None:
                self._set_about("format", FORMAT)
                self._set_about("plan", wanted)
            elif stored != wanted:
                raise TengenError(f"{self.path} holds another match: {_difference(stored, wanted)}")
            self._set_about("terms", plan.setting.text)
            self._set_about("handicap", plan.setting.handicap)
            self._adopt_players(plan.entrants)

    def about(self, key: str) -> object:
        """Return a fact about the match, or None."""
        rows = self._rows("SELECT value FROM about WHERE key = ?", key)
        return json.loads(rows[0][0]) if rows else None

    def set_about(self, key: str, value: object) -> None:
        """Store a fact about the match."""
        with self._transaction():
            self._set_about(key, value)

    def terms(self) -> str:
        """Return board, rules and clock of the games in a line; nothing if none was written."""
        return str(self.about("terms") or "")

    def handicap(self) -> int:
        """Return how many stones Black got in every game; none if none were written."""
        return int(str(self.about("handicap") or 0))

    def players(self) -> list[Entrant]:
        """Return the players in the order of their numbers."""
        rows = self._rows("SELECT label, command, name, version FROM players ORDER BY id")
        return [Entrant(*row) for row in rows]

    # Games

    def claim(self, games: int) -> int | None:
        """Claim the first game below `games` that is neither played nor claimed; None if none."""
        runner = self._runner or self._register()
        with self._transaction():
            self._free_dead_claims()
            number = self._first_free(games)
            if number is not None:
                self._db.execute("INSERT INTO claims VALUES (?, ?)", (number, runner))
            return number

    def release(self, number: int) -> None:
        """Give back a claimed game that will not be played here."""
        with self._transaction():
            self._db.execute("DELETE FROM claims WHERE number = ?", (number,))

    def finish(self, row: GameRow) -> None:
        """Store a finished game; raise TengenError if it is stored already."""
        places = ", ".join("?" * len(row))
        try:
            with transaction(self._db):
                self._db.execute(f"INSERT INTO games VALUES ({places})", row)
                self._db.execute("DELETE FROM claims WHERE number = ?", (row.number,))
        except sqlite3.Error as error:
            raise TengenError(f"game {row.number} cannot be stored: {error}") from None

    def games(self) -> list[GameRow]:
        """Return all stored games in order of number."""
        rows = self._rows("SELECT * FROM games ORDER BY number")
        return [GameRow(*row) for row in rows]

    def results(self) -> list[GameRow]:
        """Return all stored games in order of number, without records, of logs the end only."""
        columns = (SHORTENED.get(field, field) for field in GameRow._fields)
        rows = self._rows(f"SELECT {', '.join(columns)} FROM games ORDER BY number")
        return [GameRow(*row) for row in rows]

    def count(self) -> int:
        """Return how many games are stored."""
        return int(self._rows("SELECT COUNT(*) FROM games")[0][0])

    # Inside

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise TengenError(f"{self.path} cannot be read: {error}") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Hold the file's write lock; all inside is stored, or nothing."""
        try:
            with transaction(self._db):
                yield
        except sqlite3.Error as error:
            raise TengenError(f"{self.path} cannot be written: {error}") from None

    def _plan(self) -> object:
        """Return the plan; in what the setting did not name then, it was as it is by default."""
        stored = self.about("plan")
        if isinstance(stored, dict) and isinstance(stored.get("setting"), dict):
            return stored | {"setting": completed(stored["setting"])}
        return stored

    def _adopt_players(self, entrants: Sequence[Entrant]) -> None:
        """Store the players; raise TengenError if a program has changed since the first games."""
        known = {entrant.label: entrant for entrant in self.players()}
        for number, entrant in enumerate(entrants):
            before = known.get(entrant.label)
            if before is None:
                self._db.execute(
                    "INSERT INTO players VALUES (?, ?, ?, ?, ?)",
                    (number, entrant.label, entrant.name, entrant.version, entrant.spec),
                )
            elif (before.name, before.version) != (entrant.name, entrant.version):
                raise TengenError(
                    f"{self.path} has games of {before.label} by {before.name} {before.version}, "
                    f"which is now {entrant.name} {entrant.version}: use a new file"
                )

    def _check(self, may_be_empty: bool) -> None:
        """Raise TengenError, having changed nothing, for a database that is no match file."""
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master")}
        if not tables and may_be_empty:
            return
        if not {"about", "players", "games", "claims"} <= tables:
            raise TengenError(f"cannot open {self.path} as a match file: it is something else")
        if (found := self.about("format")) not in (None, FORMAT):
            raise TengenError(f"{self.path} has format {found}, this Tengen reads {FORMAT}")

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("PRAGMA foreign_keys = ON")
        with transaction(self._db):
            for statement in SCHEMA.split(";\n"):
                self._db.execute(statement)

    def _set_about(self, key: str, value: object) -> None:
        self._db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, json.dumps(value)))

    def _first_free(self, games: int) -> int | None:
        while self._first_open < games and self._has("games", self._first_open):
            self._first_open += 1
        for number in range(self._first_open, games):
            if not self._has("games", number) and not self._has("claims", number):
                return number
        return None

    def _has(self, table: str, number: int) -> bool:
        return bool(self._rows(f"SELECT 1 FROM {table} WHERE number = ?", number))

    # Runners: the lock is taken before the row is written, so a row without a lock is a dead one.

    def _register(self) -> str:
        runner = uuid.uuid4().hex
        self._lock = os.open(self._lock_path(runner), os.O_CREAT | os.O_RDWR, 0o600)
        lock(self._lock)
        with self._transaction():
            self._db.execute("INSERT INTO runners VALUES (?, ?)", (runner, os.getpid()))
        self._runner = runner
        return runner

    def _unlock(self) -> None:
        if self._runner is not None and self._lock is not None:
            self._lock_path(self._runner).unlink(missing_ok=True)
            os.close(self._lock)
            self._runner = self._lock = None

    def _free_dead_claims(self) -> None:
        for (runner,) in self._rows("SELECT id FROM runners"):
            if runner != self._runner and not self._is_alive(runner):
                self._forget(runner)
                self._lock_path(runner).unlink(missing_ok=True)

    def _is_alive(self, runner: str) -> bool:
        try:
            descriptor = os.open(self._lock_path(runner), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return is_locked(descriptor)
        finally:
            os.close(descriptor)

    def _forget(self, runner: str) -> None:
        self._db.execute("DELETE FROM claims WHERE runner = ?", (runner,))
        self._db.execute("DELETE FROM runners WHERE id = ?", (runner,))

    def _lock_path(self, runner: str) -> Path:
        return self.path.with_name(f"{self.path.name}-runner-{runner}")


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)


def _connect_to_glance(path: Path) -> sqlite3.Connection:
    """Open a file to read only.

    SQLite leaves a journal beside a file even of those who read, unless it is told that nobody
    writes: so it is where no journal lies yet.
    """
    journals = [path.with_name(path.name + ending) for ending in ("-wal", "-journal")]
    at_rest = not any(journal.exists() for journal in journals)
    address = f"{path.absolute().as_uri()}?mode=ro&immutable={int(at_rest)}"
    return sqlite3.connect(address, timeout=GLANCE_TIMEOUT_S, isolation_level=None, uri=True)


def _difference(stored: object, wanted: dict[str, object]) -> str:
    """Name the first thing in which two plans differ."""
    if not isinstance(stored, dict):
        return "its plan cannot be read"
    if changed := changed_files(stored, wanted):
        return f"{changed}use another file with -o"
    return f"its {first_difference(stored, wanted)}"
