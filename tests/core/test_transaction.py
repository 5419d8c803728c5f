"""All or nothing, and the reason why nothing."""

import sqlite3

import pytest

from tengen.core.transaction import transaction

SCHEMA = """
PRAGMA foreign_keys = ON;
CREATE TABLE a (id INTEGER PRIMARY KEY);
CREATE TABLE b (a REFERENCES a DEFERRABLE INITIALLY DEFERRED);
"""


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    yield connection
    connection.close()


def store(connection, *statements, failure=None):
    """Run statements in a transaction, and fail at their end if so wanted."""
    with transaction(connection):
        for statement in statements:
            connection.execute(statement)
        if failure is not None:
            raise failure


def rows(connection):
    return connection.execute("SELECT id FROM a").fetchall()


def test_all_or_nothing(connection):
    with pytest.raises(ZeroDivisionError):
        store(connection, "INSERT INTO a VALUES (1)", failure=ZeroDivisionError())
    assert rows(connection) == []
    store(connection, "INSERT INTO a VALUES (1)")
    assert rows(connection) == [(1,)]


def test_the_reason_is_told_when_sqlite_has_rolled_back_by_itself(connection):
    """As it does when the disk is full."""
    failure = sqlite3.OperationalError("database or disk is full")
    with pytest.raises(sqlite3.OperationalError, match="disk is full"):
        store(connection, "ROLLBACK", failure=failure)


def test_what_cannot_be_committed_is_rolled_back(connection):
    with pytest.raises(sqlite3.IntegrityError):
        store(connection, "INSERT INTO a VALUES (1)", "INSERT INTO b VALUES (7)")
    assert rows(connection) == []
    assert not connection.in_transaction
