"""The same light playout in C, as a yardstick measured in the same run."""

import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from tengen.core.errors import TengenError

COMPILE = ["-O3", "-march=native"]


class PeerRun(NamedTuple):
    """What the C program played and how long it took."""

    black_wins: int
    area: int
    moves: int
    seconds: float


class Peer:
    """The compiled C program. It lives in a temporary folder; use it as a context manager."""

    def __init__(self) -> None:
        """Compile it; raise TengenError if there is no C compiler, or it fails."""
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            raise TengenError("the comparison with C needs gcc: leave out --peer")
        self._folder = tempfile.TemporaryDirectory(prefix="tengen-peer-")
        self._program = Path(self._folder.name) / "light_playout"
        source = resources.files("tengen.bench") / "light_playout.c"
        try:
            with resources.as_file(source) as path:
                subprocess.run([compiler, *COMPILE, "-o", self._program, path], check=True)
        except subprocess.CalledProcessError:
            self._folder.cleanup()
            raise TengenError(f"{compiler} cannot compile: leave out --peer") from None

    def run(self, rows: int, columns: int, count: int, seed: int) -> PeerRun:
        """Play `count` playouts from the empty board and return what came out."""
        words = [str(self._program), str(rows), str(columns), str(count), str(seed), "1"]
        line = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
        return PeerRun(int(line[0]), int(line[1]), int(line[2]), float(line[3]))

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()
