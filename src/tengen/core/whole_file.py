"""Files that are there whole or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tengen.core.errors import TengenError


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to be written; it takes the place of the one at `path` when all is written.

    A reader, or whoever comes after a crash or a power cut, sees all of it or the old one. Raise
    TengenError if it cannot be written; then nothing is left behind.
    """
    target = Path(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except OSError as error:
        raise TengenError(f"cannot write {os.fspath(path)!r}: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file as `whole_file` does."""
    with whole_file(path) as file:
        file.write(text.encode())
