"""Locks on files that the system drops with the process that holds them."""

from types import ModuleType

from tengen.core.errors import TengenError


def lock(descriptor: int) -> None:
    """Wait for the lock of a file and take it; raise TengenError where there are no such locks."""
    system = _locks()
    system.flock(descriptor, system.LOCK_EX)


def is_locked(descriptor: int) -> bool:
    """Tell whether another process holds the lock of a file; if not, it is taken."""
    system = _locks()
    try:
        system.flock(descriptor, system.LOCK_EX | system.LOCK_NB)
    except OSError:
        return True
    return False


def _locks() -> ModuleType:
    """Return what Unix has; Windows has everything but this, and so everything but matches."""
    try:
        import fcntl
    except ImportError:
        message = "matches need file locks that this system lacks: on Windows use WSL"
        raise TengenError(message) from None
    return fcntl
