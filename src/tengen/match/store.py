"""Match results in one SQLite file.

- One transaction per game: a finished game is stored completely or not at all.
- A runner *claims* a game before it plays it. Each running runner holds a lock on a small file
  beside the database. The system releases the lock when the process ends, so claims of dead
  runners are recognized and freed.
- The game number is the primary key: no game can be stored twice.
- Player, color and result are separate columns, tied together by a CHECK constraint.
- Each game has a checksum, which is compared when the game is read.

Runners that share a file must run on one machine, since SQLite's journal and file locks do.
"""

import hashlib
import json
import os
import sqlite3
import types
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from tengen.board import Move
from tengen.match.entrants import Entrant, changed_files, spec_text
from tengen.match.plan import MatchPlan, complete_settings
from tengen.util import TengenError, first_difference, transaction, try_lock

FORMAT = 1
BUSY_TIMEOUT_S = 60
SNAPSHOT_TIMEOUT_S = 0.2
PLAYERS_CHECKSUM = "players_checksum"
LOG_TAIL = 300
"""Characters of a log that `results` keeps."""


class GameRow(NamedTuple):
    """A stored game. The table schema is derived from the fields.

    A column is NOT NULL unless its type allows None; annotations add further SQL constraints.
    """

    number: Annotated[int, "PRIMARY KEY"]
    pair: int
    opening: str
    opening_moves: int
    seed: int
    black: Annotated[int, "REFERENCES players"]
    white: Annotated[int, "REFERENCES players"]
    winner_color: Annotated[int | None, "CHECK (winner_color IN (1, 2))"]
    winner: Annotated[int | None, "REFERENCES players"]
    """The player that won; None for a draw."""
    reason: int
    """An `EndReason`."""
    margin: float | None
    length: int
    black_time_s: float
    white_time_s: float
    black_cpu_s: float | None
    white_cpu_s: float | None
    black_reported_margin: float | None
    white_reported_margin: float | None
    black_dispute: int
    white_dispute: int
    black_log: str
    white_log: str
    note: str
    digest: str
    """Hash of the moves: games with equal digests are identical."""
    sgf: str
    started: str
    elapsed_s: float
    host: str


OLD_COLUMNS = {
    "winner_color": "winner_colour",
    "black_reported_margin": "black_says",
    "white_reported_margin": "white_says",
    "started": "began",
    "elapsed_s": "took_s",
}
"""Column names in files of Tengen 0.1."""
_SQL_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT"}
_SHORTENED = {
    "black_log": f"substr(black_log, -{LOG_TAIL})",
    "white_log": f"substr(white_log, -{LOG_TAIL})",
    "sgf": "''",
}
"""Replacements for long texts when all games are read."""


def _column(name: str, hint: Any) -> str:
    """Return the SQL definition of a GameRow field."""
    constraint = ""
    if get_origin(hint) is Annotated:
        hint, constraint = get_args(hint)
    is_optional = isinstance(hint, types.UnionType)
    kind = next(
        arg for arg in (get_args(hint) if is_optional else (hint,)) if arg is not type(None)
    )
    required = "" if is_optional or "PRIMARY KEY" in constraint else "NOT NULL"
    return " ".join(filter(None, (name, _SQL_TYPES[kind], required, constraint)))


_GAME_COLUMNS = ",\n    ".join(
    _column(name, hint) for name, hint in get_type_hints(GameRow, include_extras=True).items()
)
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS players (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    command TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS games (
    {_GAME_COLUMNS},
    CHECK (winner IS CASE winner_color WHEN 1 THEN black WHEN 2 THEN white END)
);
CREATE TABLE IF NOT EXISTS checksums (number INTEGER PRIMARY KEY, checksum TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runners (id TEXT PRIMARY KEY, pid INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS claims (
    number INTEGER PRIMARY KEY,
    runner TEXT NOT NULL REFERENCES runners
);
"""


_HAS_CHECKSUMS = "SELECT 1 FROM sqlite_master WHERE name = 'checksums'"


def checksum_of(values: Sequence[Any]) -> str:
    """Return a checksum of values as SQLite returns them; integers and reals are the same."""
    texts = [repr(float(v)) if isinstance(v, int | float) else repr(v) for v in values]
    return hashlib.blake2b("\n".join(texts).encode(errors="replace"), digest_size=8).hexdigest()


def digest_of(moves: Sequence[Move]) -> str:
    """Return the hash of the moves of a game, stored as its digest."""
    text = " ".join(f"{move.color}{move.move}" for move in moves)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


class Store:
    """A match file. Each runner opens its own; not thread-safe."""

    def __init__(self, path: Path, create: bool = True, read_only: bool = False):
        """Open a match file; without `create` it must exist. Raise TengenError if it is invalid.

        `read_only` neither changes the file nor waits long for writers.
        """
        self.path = path
        if not create and not path.is_file():
            raise TengenError(f"{path} is a folder" if path.is_dir() else f"no such file: {path}")
        try:
            self._db = _connect_read_only(path) if read_only else _connect(path)
            self._check(create)
            if create:
                self._prepare()
            self._columns = self._stored_columns()
            self._has_checksums = bool(self._db.execute(_HAS_CHECKSUMS).fetchone())
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise TengenError(f"cannot open {path} as a match file: {error}") from None
        self._verified: set[int] = set()
        """Numbers of the games whose checksum was compared."""
        self._runner: str | None = None
        self._lock: int | None = None
        self._first_open = 0

    def close(self) -> None:
        """Release all claims and close the file."""
        if self._runner is not None:
            with self._transaction():
                self._remove_runner(self._runner)
            self._unlock()
        self._db.close()

    # Plan and metadata

    def adopt(self, plan: MatchPlan) -> None:
        """Store the plan; raise TengenError if the file belongs to another plan."""
        wanted = json.loads(json.dumps(plan.identity))
        with self._transaction():
            stored = self._stored_plan()
            if stored is None:
                self._set_metadata("format", FORMAT)
                self._set_metadata("plan", wanted)
            elif stored != wanted:
                difference = _plan_difference(stored, wanted)
                raise TengenError(f"{self.path} holds another match: {difference}")
            self._set_metadata("terms", plan.settings.summary)
            self._set_metadata("handicap", plan.settings.handicap)
            if plan.command:
                self._set_metadata("command", plan.command)
            self._adopt_players(plan.entrants)

    def metadata(self, key: str) -> object:
        """Return a metadata value, or None."""
        rows = self._rows("SELECT value FROM about WHERE key = ?", key)
        try:
            return json.loads(rows[0][0]) if rows else None
        except ValueError as error:
            raise TengenError(f"{self.path} is damaged: {key}: {error}") from None

    def set_metadata(self, key: str, value: object) -> None:
        """Store a metadata value."""
        with self._transaction():
            self._set_metadata(key, value)

    def summary(self) -> str:
        """Return board, rules and clock in one line, or an empty string."""
        return str(self.metadata("terms") or "")

    def handicap(self) -> int:
        """Return the number of handicap stones."""
        return int(str(self.metadata("handicap") or 0))

    def players(self) -> list[Entrant]:
        """Return the players by number; raise TengenError if they are damaged."""
        rows = self._rows("SELECT label, command, name, version FROM players ORDER BY id")
        if self.metadata(PLAYERS_CHECKSUM) not in (None, checksum_of(rows)):
            raise TengenError(f"{self.path} is damaged: the players do not match their checksum")
        return [Entrant(*row) for row in rows]

    # Games

    def claim(self, games: int) -> int | None:
        """Claim the first free game below `games`; None if there is none."""
        runner = self._runner or self._register()
        with self._transaction():
            self._free_dead_claims()
            number = self._first_free(games)
            if number is not None:
                self._db.execute("INSERT INTO claims VALUES (?, ?)", (number, runner))
            return number

    def release(self, number: int) -> None:
        """Release the claim of a game that will not be played."""
        with self._transaction():
            self._db.execute("DELETE FROM claims WHERE number = ?", (number,))

    def finish(self, row: GameRow) -> None:
        """Store a finished game; raise TengenError if it is stored already."""
        names, places = ", ".join(self._columns.values()), ", ".join("?" * len(row))
        try:
            with transaction(self._db):
                self._db.execute(f"INSERT INTO games ({names}) VALUES ({places})", row)
                if self._has_checksums:
                    values = row.number, checksum_of(row)
                    self._db.execute("INSERT INTO checksums VALUES (?, ?)", values)
                self._db.execute("DELETE FROM claims WHERE number = ?", (row.number,))
        except sqlite3.Error as error:
            raise TengenError(f"cannot store game {row.number}: {error}") from None

    def games(self) -> list[GameRow]:
        """Return all games by number; raise TengenError if one is damaged."""
        self._verify_new()
        return self.stored_games()

    def stored_games(self) -> list[GameRow]:
        """Return all games by number as they are stored, damaged ones too."""
        return self._select(self._columns)

    def damaged_games(self) -> list[int]:
        """Return the numbers of the games that do not match their checksum, or are missing."""
        changed = [row.number for row in self.stored_games() if not self._is_intact(row)]
        return sorted({*changed, *self._missing()})

    def _missing(self) -> list[int]:
        """Return the numbers of the checksums without a game."""
        if not self._has_checksums:
            return []
        query = "SELECT number FROM checksums WHERE number NOT IN (SELECT number FROM games)"
        return [number for (number,) in self._rows(query)]

    def results(self) -> list[GameRow]:
        """Return all games by number, without SGF and with shortened logs.

        Raise TengenError if one is damaged.
        """
        self._verify_new()
        return self._select(self._columns | _SHORTENED)

    def count(self) -> int:
        """Return the number of stored games."""
        return int(self._rows("SELECT COUNT(*) FROM games")[0][0])

    def _verify_new(self) -> None:
        """Compare the checksums of the games that were not compared yet."""
        if not self._has_checksums:
            return
        query = f"SELECT {', '.join(self._columns.values())} FROM games WHERE number = ?"
        damaged = self._missing()
        for (number,) in self._rows("SELECT number FROM games"):
            if number not in self._verified and not damaged:
                rows = self._rows(query, number)
                if not rows or not self._is_intact(GameRow(*rows[0])):
                    damaged.append(number)
                self._verified.add(number)
        if damaged:
            self._verified.clear()
            raise TengenError(
                f"{self.path} is damaged: game {damaged[0]} does not match its checksum "
                "(`tengen report --verify` lists all damaged games)"
            )

    def _is_intact(self, row: GameRow) -> bool:
        """Return whether a game matches its checksum; games of older versions have none."""
        if not self._has_checksums:
            return True
        stored = self._rows("SELECT checksum FROM checksums WHERE number = ?", row.number)
        return not stored or stored[0][0] == checksum_of(row)

    def _select(self, columns: dict[str, str]) -> list[GameRow]:
        rows = self._rows(f"SELECT {', '.join(columns.values())} FROM games ORDER BY number")
        return [GameRow(*row) for row in rows]

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise TengenError(f"cannot read {self.path}: {error}") from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Hold the write lock; commit on success, roll back on errors."""
        try:
            with transaction(self._db):
                yield
        except sqlite3.Error as error:
            raise TengenError(f"cannot write {self.path}: {error}") from None

    def _stored_columns(self) -> dict[str, str]:
        """Return the column of each GameRow field, by the names that this file uses."""
        found = {row[1] for row in self._db.execute("PRAGMA table_info(games)")}
        return {
            name: name if name in found else OLD_COLUMNS.get(name, name) for name in GameRow._fields
        }

    def _stored_plan(self) -> object:
        """Return the plan, with defaults for settings that an earlier version did not have."""
        stored = self.metadata("plan")
        if isinstance(stored, dict) and isinstance(stored.get("setting"), dict):
            return stored | {"setting": complete_settings(stored["setting"])}
        return stored

    def _adopt_players(self, entrants: Sequence[Entrant]) -> None:
        """Store the players; raise TengenError if a version differs from the stored one."""
        known = {entrant.label: entrant for entrant in self.players()}
        for number, entrant in enumerate(entrants):
            stored = known.get(entrant.label)
            if stored is None:
                command = spec_text(entrant.spec)
                self._db.execute(
                    "INSERT INTO players VALUES (?, ?, ?, ?, ?)",
                    (number, entrant.label, entrant.name, entrant.version, command),
                )
            elif (stored.name, stored.version) != (entrant.name, entrant.version):
                raise TengenError(
                    f"{self.path} has games of {stored.label} by {stored.name} {stored.version}, "
                    f"which is now {entrant.name} {entrant.version}: use a new file"
                )
        rows = self._rows("SELECT label, command, name, version FROM players ORDER BY id")
        self._set_metadata(PLAYERS_CHECKSUM, checksum_of(rows))

    def _check(self, may_be_empty: bool) -> None:
        """Raise TengenError, without any change, if the database is not a match file."""
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master")}
        if not tables and may_be_empty:
            return
        if not {"about", "players", "games", "claims"} <= tables:
            raise TengenError(f"cannot open {self.path}: not a match file")
        if (found := self.metadata("format")) not in (None, FORMAT):
            raise TengenError(f"{self.path} has format {found}; this version reads {FORMAT}")

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("PRAGMA foreign_keys = ON")
        with transaction(self._db):
            for statement in _SCHEMA.split(";\n"):
                self._db.execute(statement)

    def _set_metadata(self, key: str, value: object) -> None:
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

    # Runners. The lock is taken before the row is written: a row without a lock is dead.

    def _register(self) -> str:
        runner = uuid.uuid4().hex
        self._lock = os.open(self._lock_path(runner), os.O_CREAT | os.O_RDWR, 0o600)
        try:
            try_lock(self._lock)
        except OSError as error:
            raise TengenError(f"cannot lock {self.path}: {error.strerror}") from None
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
                self._remove_runner(runner)
                self._lock_path(runner).unlink(missing_ok=True)

    def _is_alive(self, runner: str) -> bool:
        try:
            descriptor = os.open(self._lock_path(runner), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return not try_lock(descriptor)
        finally:
            os.close(descriptor)

    def _remove_runner(self, runner: str) -> None:
        self._db.execute("DELETE FROM claims WHERE runner = ?", (runner,))
        self._db.execute("DELETE FROM runners WHERE id = ?", (runner,))

    def _lock_path(self, runner: str) -> Path:
        return self.path.with_name(f"{self.path.name}-runner-{runner}")


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a file for reading.

    SQLite creates journal files even for readers unless the file is declared immutable, which is
    safe while no journal exists.
    """
    journals = [path.with_name(path.name + ending) for ending in ("-wal", "-journal")]
    is_immutable = not any(journal.exists() for journal in journals)
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable={int(is_immutable)}"
    return sqlite3.connect(uri, timeout=SNAPSHOT_TIMEOUT_S, isolation_level=None, uri=True)


def _plan_difference(stored: object, wanted: dict[str, object]) -> str:
    """Describe the first difference between two plans."""
    if not isinstance(stored, dict):
        return "its plan cannot be read"
    if changed := changed_files(stored, wanted):
        return f"{changed}use another file with -o"
    return f"its {first_difference(stored, wanted)}"
