"""Atomic file writes, file locks, SQLite transactions, TOML files and per-user folders."""

import os
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from tengen.util.errors import TengenError

_locked_folders: dict[Path, int] = {}
"""Folders locked by this process, with the descriptor that holds each lock."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` when the block ends without an error.

    Readers see the complete new file or the old one, even after a crash or power failure. Raise
    TengenError if the file cannot be written; no temporary file is left behind.
    """
    target = Path(path)
    if not target.name or target.is_dir():
        raise TengenError(f"cannot write {os.fspath(path)!r}: it is a folder")
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except OSError as error:
        raise TengenError(f"cannot write {os.fspath(path)!r}: {error.strerror}") from None
    except ValueError as error:
        # A null character in the name.
        raise TengenError(f"cannot write {os.fspath(path)!r}: {error}") from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def atomic_write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file atomically."""
    with atomic_write(path) as file:
        file.write(text.encode())


def try_lock(descriptor: int) -> bool:
    """Lock an open file without waiting; return False if another process holds the lock.

    The operating system releases the lock when the descriptor is closed or the process ends.
    Raise OSError if the file system does not support locks.
    """
    from filelock import lock_descriptor  # imports asyncio, which is slow

    return lock_descriptor(descriptor, blocking=False)


def lock_folder(folder: Path) -> None:
    """Lock a folder until this process ends; raise TengenError if another process holds the lock.

    Without support from the system (Windows) or the file system (some NFS mounts), the folder
    stays unlocked.
    """
    path = folder.resolve()
    if path in _locked_folders or os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if try_lock(descriptor):
            _locked_folders[path] = descriptor
            return
    except OSError:
        os.close(descriptor)
        return
    os.close(descriptor)
    raise TengenError(f"{folder} is in use by another run: wait for it, or choose another -o")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block in one SQLite write transaction; roll back on any exception.

    The connection must have been opened with `isolation_level=None`.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already rolled back after errors such as a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the contents of a TOML file; raise TengenError if it cannot be read."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TengenError(f"no such file: {path}") from None
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TengenError(f"{path} is not valid TOML: {error}") from None


def cache_dir() -> Path:
    """Return the folder for data that can be recreated; it need not exist.

    The environment variable `TENGEN_CACHE_DIR` overrides the platform's default.
    """
    override = os.environ.get("TENGEN_CACHE_DIR")
    if override:
        return Path(override)
    from platformdirs import user_cache_path

    return _expand(user_cache_path("tengen", appauthor=False, opinion=False))


def data_dir() -> Path:
    """Return the folder for the user's data (networks, game database); it need not exist."""
    from platformdirs import user_data_path

    return _expand(user_data_path("tengen", appauthor=False))


def _expand(path: Path) -> Path:
    """Return an absolute path; raise RuntimeError if there is no home folder.

    platformdirs leaves `~` in the path in that case.
    """
    return path.expanduser()
