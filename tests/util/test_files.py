"""Tests of file locks and SQLite transactions."""

import errno
import fcntl
import sqlite3
import subprocess
import sys

import pytest

from tengen.util import TengenError, lock_folder, transaction

HOLDER = """
import sys
from pathlib import Path
from tengen.util.files import lock_folder
lock_folder(Path(sys.argv[1]))
print("locked", flush=True)
sys.stdin.read()
"""
SCHEMA = """
PRAGMA foreign_keys = ON;
CREATE TABLE a (id INTEGER PRIMARY KEY);
CREATE TABLE b (a REFERENCES a DEFERRABLE INITIALLY DEFERRED);
"""


def test_folder_lock_excludes_other_processes(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(TengenError, match="is in use by another run"):
            lock_folder(tmp_path)
        holder.kill()
    lock_folder(tmp_path)
    lock_folder(tmp_path / "." / ".." / tmp_path.name)
    later = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert "is in use by another run" in later.stderr


@pytest.mark.parametrize("code", [errno.EBADF, errno.ENOSYS])
def test_folder_stays_unlocked_without_lock_support(tmp_path, monkeypatch, code):
    """NFS locks only files opened for writing, which a folder cannot be."""

    def refuse(descriptor, operation):
        raise OSError(code, "not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    lock_folder(tmp_path)
    monkeypatch.undo()
    lock_folder(tmp_path)


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    yield connection
    connection.close()


def store(connection, *statements, failure=None):
    """Run statements in a transaction and raise `failure` at its end, if given."""
    with transaction(connection):
        for statement in statements:
            connection.execute(statement)
        if failure is not None:
            raise failure


def rows(connection):
    return connection.execute("SELECT id FROM a").fetchall()


def test_transaction_is_atomic(connection):
    with pytest.raises(ZeroDivisionError):
        store(connection, "INSERT INTO a VALUES (1)", failure=ZeroDivisionError())
    assert rows(connection) == []
    store(connection, "INSERT INTO a VALUES (1)")
    assert rows(connection) == [(1,)]


def test_original_error_survives_rollback_by_sqlite(connection):
    """SQLite rolls back by itself when the disk is full."""
    failure = sqlite3.OperationalError("database or disk is full")
    with pytest.raises(sqlite3.OperationalError, match="disk is full"):
        store(connection, "ROLLBACK", failure=failure)


def test_failed_commit_is_rolled_back(connection):
    with pytest.raises(sqlite3.IntegrityError):
        store(connection, "INSERT INTO a VALUES (1)", "INSERT INTO b VALUES (7)")
    assert rows(connection) == []
    assert not connection.in_transaction
