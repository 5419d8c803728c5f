"""Where records come from: files, folders, archives. One file at a time is in memory.

A large collection is handed out in parts, cut between games, so that neither an archive nor a
single file of any size needs more memory than a part and its largest game.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from tengen.core.errors import TengenError
from tengen.records.warning import RecordWarning, WarningKind, log_warning

Report = Callable[[RecordWarning], None]
Advance = Callable[[int], None]

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
    UnicodeDecodeError,  # zipfile: a name that is not what it says it is
)
_PACKED: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ", lzma.open),
    (b"]\0\0\x80", lzma.open),
)
"""How a packed file begins, and what unpacks it; all of these notice damage."""
_BUFFER = 1 << 16
_PART = 8 << 20
"""Bytes of a large file to hand out at once."""
_BETWEEN_GAMES = re.compile(rb"\)\s*(?=\(\s*;\s*(?:FF|GM|CA|SZ|AP|EV|GN|PB|PW)\s*\[)")
_OVERLAP = 4096
"""Bytes to search again, for a place between games that was cut in two."""


def no_progress(count: int) -> None:
    """Take a number of bytes and do nothing: nobody looks on."""


class Document(NamedTuple):
    """A file, or a part of a large one: its name, its bytes, and where they start in it."""

    name: str
    data: bytes
    start: int = 0


class _CountedFile(io.FileIO):
    """A file that tells how many bytes were read from the disk."""

    def __init__(self, path: Path, advance: Advance):
        super().__init__(path, "rb")
        self._advance = advance

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer, as all buffered reading does."""
        count = super().readinto(buffer)
        self._advance(count or 0)
        return count


def documents(
    path: str | os.PathLike[str], report: Report = log_warning, advance: Advance = no_progress
) -> Iterator[Document]:
    """Yield the records at `path`: a file, a folder and all below it, or an archive.

    `advance` is told the bytes read from the disk, of `disk_size` in all.
    Raise TengenError if there is nothing at `path` or it cannot be opened. What goes wrong
    below it is reported, and the rest is still read. Files that are no records by their name
    are reported too, as OTHER_FILE.
    """
    if not os.fspath(path):
        raise TengenError("cannot read '': no path given")
    place = Path(path)
    if place.is_dir():
        return _in_folder(place, report, advance)
    try:
        with place.open("rb"):
            pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TengenError(f"cannot read {str(path)!r}: {reason}") from None
    return _in_file(place, report, advance)


def disk_size(path: str | os.PathLike[str]) -> int:
    """Return how many bytes on the disk `documents` will read, about; 0 if nothing is there."""
    place = Path(path)
    if not place.is_dir():
        return place.stat().st_size if place.is_file() else 0
    sizes = 0
    for where, _, names in os.walk(place):
        for name in names:
            if _is_record(name) or is_archive(name):
                # A file may vanish, or be a link to nothing, between the list and the look.
                with contextlib.suppress(OSError):
                    sizes += os.stat(os.path.join(where, name)).st_size
    return sizes


def is_archive(name: str) -> bool:
    """Tell whether a file is an archive that we open, by its name."""
    return name.lower().endswith(".zip") or _TAR.fullmatch(name) is not None


def _is_record(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in RECORD_SUFFIXES


def _in_folder(folder: Path, report: Report, advance: Advance) -> Iterator[Document]:
    def refuse(error: OSError) -> None:
        _report_unreadable(str(error.filename), error, report)

    for where, folders, names in os.walk(folder, onerror=refuse):
        folders.sort()
        for name in sorted(names):
            if _is_record(name) or is_archive(name):
                yield from _in_file(Path(where, name), report, advance)
            else:
                _report_other(os.path.join(where, name), report)


def _in_file(path: Path, report: Report, advance: Advance) -> Iterator[Document]:
    try:
        with io.BufferedReader(_CountedFile(path, advance), _BUFFER) as file:
            if path.name.lower().endswith(".zip"):
                yield from _in_zip(path, file, report)
            elif is_archive(path.name):
                yield from _in_tar(path, file, report)
            else:
                yield from _parts(str(path), file, _PART)
    except _UNREADABLE as error:
        _report_unreadable(str(path), error, report)


class _Member(tarfile.TarInfo):
    """A file in a tar; damage between files is an error, which to the module is the tar's end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read the next header; raise ReadError if there is neither one nor the mark of the end."""
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            if archive.offset == 0:
                raise
            raise tarfile.ReadError(f"damaged or cut short: {error}") from None


def _in_tar(path: Path, archive_file: IO[bytes], report: Report) -> Iterator[Document]:
    plain = _unpacked(path, archive_file)
    with tarfile.open(fileobj=plain, mode="r|", tarinfo=_Member) as archive:
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
                yield from _parts(name, file, _PART)
        # What is packed has a checksum at its end, beyond that of the tar.
        while plain.read(_BUFFER):
            pass


def _unpacked(path: Path, file: IO[bytes]) -> IO[bytes]:
    """Return a file's content, unpacked if its first bytes say that it is packed."""
    with path.open("rb") as look:
        begin = look.read(8)
    for mark, unpack in _PACKED:
        if begin.startswith(mark):
            file = unpack(file)
    return file


def _in_zip(path: Path, archive_file: IO[bytes], report: Report) -> Iterator[Document]:
    with zipfile.ZipFile(archive_file) as archive:
        for member in archive.infolist():
            name = f"{path}/{member.filename}"
            if member.is_dir():
                continue
            if not _is_record(member.filename):
                _report_other(name, report)
                continue
            try:
                with archive.open(member) as file:
                    yield from _parts(name, file, _PART)
            except _UNREADABLE as error:
                _report_unreadable(name, error, report)


def in_parts(found: Iterable[Document], size: int) -> Iterator[Document]:
    """Yield documents cut further, between games, into parts of about that many bytes."""
    for document in found:
        for part in _parts(document.name, io.BytesIO(document.data), size):
            yield part._replace(start=document.start + part.start)


def _parts(name: str, file: IO[bytes], size: int) -> Iterator[Document]:
    """Yield a file whole, or in parts cut between games if it is larger than `size`."""
    name = _printable(name)
    data, start, searched = b"", 0, 0
    while chunk := file.read(size):
        data += chunk
        cut = _last_cut(data, searched) if len(data) > size else None
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


def _printable(name: str) -> str:
    """Return a name with a question mark for each byte that is no text: such cannot be stored."""
    return name.encode("utf-8", "replace").decode()


def _report_unreadable(name: str, error: BaseException, report: Report) -> None:
    reason = f"cannot be read: {error}"
    report(RecordWarning(WarningKind.UNREADABLE, _printable(name), 0, reason))


def _report_other(name: str, report: Report) -> None:
    reason = "no game record by its name: left alone"
    report(RecordWarning(WarningKind.OTHER_FILE, _printable(name), 0, reason))
