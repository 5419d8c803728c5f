"""A file that keeps what was said: every line in and out, with the time of day."""

import datetime
import threading
from pathlib import Path
from typing import TextIO

from tengen.core.errors import TengenError

HEARD, SAID, NOTE = ">>", "<<", "--"


class TalkLog:
    """Writes lines to a file, at once, behind what is there; several threads may use it."""

    def __init__(self, path: Path):
        """Open the file; raise TengenError if that fails."""
        try:
            self._file: TextIO = path.open("a", encoding="utf-8", errors="replace")
        except OSError as error:
            raise TengenError(f"cannot write the log {path}: {error.strerror}") from None
        self._lock = threading.Lock()

    def write(self, mark: str, text: str) -> None:
        """Write each line of a text, marked as heard, said or noted."""
        now = datetime.datetime.now().isoformat(sep=" ", timespec="milliseconds")
        lines = "".join(f"{now} {mark} {line}\n" for line in text.splitlines() if line.strip())
        with self._lock:
            self._file.write(lines)
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
