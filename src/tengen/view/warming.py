"""Compiling what the layers need, once, in a process beside the page's own.

In the page's process it would hold everything up: the compiler keeps the interpreter to itself
for seconds.
"""

import os
import subprocess
import sys
from pathlib import Path

from tengen.board.position import Position
from tengen.view.catalogue import LAYERS, make_layer
from tengen.view.info import Need

POLITE = 15
"""How much the process gives way to others."""


def warm_up_beside() -> subprocess.Popen[bytes] | None:
    """Start a process that compiles for all layers; None if that was done before."""
    stamp = _stamp()
    if stamp is None or stamp.exists():
        return None
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "tengen.view.warming"]
    return subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)


def warm_up() -> None:
    """Make every layer that needs no search and no games, and note that it was done."""
    for name, info in LAYERS.items():
        if info.needs in (Need.NOTHING, Need.NET):
            make_layer(name, Position(9))
    stamp = _stamp()
    if stamp is not None:
        stamp.touch()


def _stamp() -> Path | None:
    """Return the file that says it was done, beside the kernels; None if they are not kept."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    return Path(folder) / "layers-are-compiled" if folder else None


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(POLITE)
    warm_up()
