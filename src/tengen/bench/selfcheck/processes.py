"""Memory, open files and threads of a process, where the system has /proc."""

import mmap
import os
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
MB = 1e6


class Resources(NamedTuple):
    """What a process uses."""

    memory_mb: float
    handles: int
    """Open files, pipes and sockets."""
    threads: int


def resources(pid: int) -> Resources | None:
    """Return what a process uses; None if it is gone or the system has no /proc."""
    folder = PROC / str(pid)
    try:
        pages = int((folder / "statm").read_text().split()[1])
        handles = len(os.listdir(folder / "fd"))
        threads = len(os.listdir(folder / "task"))
    except OSError:
        return None
    return Resources(pages * mmap.PAGESIZE / MB, handles, threads)


def resident_mb(pid: int) -> float | None:
    """Return the resident memory of a process, or None if it is unknown."""
    found = resources(pid)
    return None if found is None else found.memory_mb
