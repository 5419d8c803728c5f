"""The files that settings name, whose content may change: an idea's own, a net's, a book's."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from tengen.book.book_file import SHIPPED, read_book
from tengen.core.errors import TengenError
from tengen.engine.settings import EngineSettings
from tengen.network.folder import is_net_file

PYTHON = ".py"
DIGITS = 16


def file_digests(words: Iterable[str]) -> dict[str, str]:
    """Return a short digest of each file that `name=value` words name, by its path as written.

    Nets by their names, and whatever comes with the package, are no files of the user's. A file
    that is not there is left out: whoever opens it tells of it. Raise TengenError if one cannot be
    read.
    """
    found = {path: Path(path).expanduser() for word in words if (path := _path_in(word))}
    return {path: _digest(place) for path, place in found.items() if place.is_file()}


def require_files(settings: EngineSettings) -> None:
    """Raise TengenError if a net that was named is not there, or a book cannot be read."""
    for name in {settings.play.net, settings.play.net_below} - {"none", "default"}:
        from tengen.engine.net import net_path  # takes a tenth of a second, and is seldom needed

        net_path(name)
    if settings.opening.book not in ("", SHIPPED):
        read_book(settings.opening.book)


def _path_in(word: str) -> str:
    """Return the path that a word names, nothing if it names none."""
    setting, _, value = (part.strip() for part in word.partition("="))
    name = setting.rpartition(".")[2]
    if name == "prior":
        end = value.rfind(f"{PYTHON}:")
        return value[: end + len(PYTHON)] if end >= 0 else ""
    is_named = (name in ("net", "net_below") and is_net_file(value)) or (
        name == "book" and value != SHIPPED
    )
    return value if is_named else ""


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
