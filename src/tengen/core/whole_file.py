"""Files that are there whole or not at all."""

import contextlib
import os
from pathlib import Path

from tengen.core.errors import TengenError


def write_whole(path: Path, text: str) -> None:
    """Write a text file; a reader, or whoever comes after a crash, sees all of it or the old one.

    Raise TengenError if it cannot be written.
    """
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise TengenError(f"cannot write {str(path)!r}: {error.strerror}") from None
