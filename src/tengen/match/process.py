"""What the system knows of an engine's process: its CPU time, and how to end it for good."""

import contextlib
import os
import signal
from pathlib import Path

PROC = Path("/proc")


def tree_cpu_s(pid: int) -> float | None:
    """Return the CPU time of a process, its children and the children it has waited for.

    None where the system has no /proc, or the process is gone.
    """
    try:
        own_s = _own_cpu_s(pid)
        children = _children(pid)
    except OSError:
        return None
    return own_s + sum(tree_cpu_s(child) or 0.0 for child in children)


def _own_cpu_s(pid: int) -> float:
    # The name in the second field may hold blanks and brackets: count from the last bracket.
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    tasks = (PROC / str(pid) / "task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def kill_group(pid: int) -> None:
    """Kill the process group that `pid` leads; no error if it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
