"""Where records come from: files, folders, archives. One file at a time is in memory.

A large collection is handed out in parts, cut between games, so that neither an archive nor a
single file of any size needs more memory than a part and its largest game.
"""

import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from tengen.core.errors import TengenError
from tengen.records.warning import RecordWarning, WarningKind, log_warning

Report = Callable[[RecordWarning], None]

RECORD_SUFFIXES = frozenset((".sgf", ".mgt", ".gib", ".ngf", ".ugf", ".ugi"))
_TAR = re.compile(r".*\.(?:tar|tar\.(?:gz|bz2|xz|lzma|z)|tgz|tbz2?|txz)", re.IGNORECASE)
_UNREADABLE = (
    OSError,
    EOFError,
    RuntimeError,  # zipfile: a member is encrypted
    NotImplementedError,  # zipfile: an unknown compression
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
)
_PART = 8 << 20
"""Bytes of a large file to hand out at once."""
_BETWEEN_GAMES = re.compile(rb"\)\s*(?=\(\s*;\s*(?:FF|GM|CA|SZ|AP|EV|GN|PB|PW)\s*\[)")
_OVERLAP = 4096
"""Bytes to search again, for a place between games that was cut in two."""


class Document(NamedTuple):
    """A file, or a part of a large one: its name, its bytes, and where they start in it."""

    name: str
    data: bytes
    start: int = 0


def documents(path: str | os.PathLike[str], report: Report = log_warning) -> Iterator[Document]:
    """Yield the records at `path`: a file, a folder and all below it, or an archive.

    Raise TengenError if there is nothing at `path` or it cannot be opened. What goes wrong
    below it is reported, and the rest is still read. Files that are no records by their name
    are reported too, as OTHER_FILE.
    """
    place = Path(path)
    if place.is_dir():
        return _in_folder(place, report)
    try:
        with place.open("rb"):
            pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TengenError(f"cannot read {str(path)!r}: {reason}") from None
    return _in_file(place, report)


def is_archive(name: str) -> bool:
    """Tell whether a file is an archive that we open, by its name."""
    return name.lower().endswith(".zip") or _TAR.fullmatch(name) is not None


def _is_record(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in RECORD_SUFFIXES


def _in_folder(folder: Path, report: Report) -> Iterator[Document]:
    def refuse(error: OSError) -> None:
        _report_unreadable(str(error.filename), error, report)

    for where, folders, names in os.walk(folder, onerror=refuse):
        folders.sort()
        for name in sorted(names):
            if _is_record(name) or is_archive(name):
                yield from _in_file(Path(where, name), report)
            else:
                _report_other(os.path.join(where, name), report)


def _in_file(path: Path, report: Report) -> Iterator[Document]:
    try:
        if path.name.lower().endswith(".zip"):
            yield from _in_zip(path, report)
        elif is_archive(path.name):
            yield from _in_tar(path, report)
        else:
            with path.open("rb") as file:
                yield from _parts(str(path), file)
    except _UNREADABLE as error:
        _report_unreadable(str(path), error, report)


def _in_tar(path: Path, report: Report) -> Iterator[Document]:
    with tarfile.open(path, "r|*") as archive:
        while (member := archive.next()) is not None:
            # The module remembers every member it has seen; a long archive would fill memory.
            archive.members.clear()  # type: ignore[attr-defined]
            name = f"{path}/{member.name}"
            if not member.isfile():
                continue
            if not _is_record(member.name):
                _report_other(name, report)
                continue
            file = archive.extractfile(member)
            if file is not None:
                yield from _parts(name, file)


def _in_zip(path: Path, report: Report) -> Iterator[Document]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = f"{path}/{member.filename}"
            if member.is_dir():
                continue
            if not _is_record(member.filename):
                _report_other(name, report)
                continue
            try:
                with archive.open(member) as file:
                    yield from _parts(name, file)
            except _UNREADABLE as error:
                _report_unreadable(name, error, report)


def _parts(name: str, file: IO[bytes]) -> Iterator[Document]:
    """Yield a file whole, or in parts cut between games if it is large."""
    data, start, searched = b"", 0, 0
    while chunk := file.read(_PART):
        data += chunk
        cut = _last_cut(data, searched) if len(data) > _PART else None
        searched = max(0, len(data) - _OVERLAP)
        if cut:
            yield Document(name, data[:cut], start)
            data, start, searched = data[cut:], start + cut, 0
    if data or start == 0:
        yield Document(name, data, start)


def _last_cut(data: bytes, searched: int) -> int | None:
    """Return the last place between two games, looking only where nobody looked yet."""
    cut = None
    for match in _BETWEEN_GAMES.finditer(data, searched):
        cut = match.end()
    return cut


def _report_unreadable(name: str, error: BaseException, report: Report) -> None:
    report(RecordWarning(WarningKind.UNREADABLE, name, 0, f"cannot be read: {error}"))


def _report_other(name: str, report: Report) -> None:
    report(RecordWarning(WarningKind.OTHER_FILE, name, 0, "no game record by its name: left alone"))
