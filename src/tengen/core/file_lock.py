"""Locks on files that the system drops with the process that holds them."""

import os
from pathlib import Path
from types import ModuleType

from tengen.core.errors import TengenError

_held: dict[Path, int] = {}
"""The folders that this process works in, each with the descriptor that locks it."""


def hold_folder(folder: Path) -> None:
    """Keep other processes out of a folder for as long as this one lives.

    Raise TengenError if another holds it. Where the system, or the file system (folders on NFS),
    has no such locks nothing is held.
    """
    place = folder.resolve()
    if place in _held or not _has_locks():
        return
    descriptor = os.open(place, os.O_RDONLY)
    try:
        if not is_locked(descriptor):
            _held[place] = descriptor
            return
    except OSError:
        os.close(descriptor)
        return
    os.close(descriptor)
    raise TengenError(f"another run is at work in {folder}: wait for it, or choose another -o")


def lock(descriptor: int) -> None:
    """Wait for the lock of a file and take it; raise TengenError where there are no such locks."""
    system = _locks()
    system.flock(descriptor, system.LOCK_EX)


def is_locked(descriptor: int) -> bool:
    """Tell whether another process holds the lock of a file; if not, it is taken.

    Raise OSError where this file cannot be locked.
    """
    system = _locks()
    try:
        system.flock(descriptor, system.LOCK_EX | system.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _has_locks() -> bool:
    try:
        _locks()
    except TengenError:
        return False
    return True


def _locks() -> ModuleType:
    """Return what Unix has; Windows has everything but this, and so everything but matches."""
    try:
        import fcntl
    except ImportError:
        message = "matches need file locks that this system lacks: on Windows use WSL"
        raise TengenError(message) from None
    return fcntl
