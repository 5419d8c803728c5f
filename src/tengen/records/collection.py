"""Files, folders and archives of records, read as documents of bounded size.

Large files are split between games, so that neither an archive nor a single file of any size needs
more memory than one part and its largest game.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from tengen.records.warning import RecordWarning, WarningHandler, WarningKind, log_warning
from tengen.util import TengenError

ProgressHandler = Callable[[int], None]
"""Receives the number of bytes read from the disk since the last call."""

RECORD_SUFFIXES = frozenset((".sgf", ".mgt", ".gib", ".ngf", ".ugf", ".ugi"))
_TAR = re.compile(r".*\.(?:tar|tar\.(?:gz|bz2|xz|lzma|z)|tgz|tbz2?|txz)", re.IGNORECASE)
_READ_ERRORS = (
    OSError,
    EOFError,
    RuntimeError,  # zipfile: encrypted member
    NotImplementedError,  # zipfile: unknown compression
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    UnicodeDecodeError,  # zipfile: invalid member name
)
_COMPRESSIONS: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ", lzma.open),
    (b"]\0\0\x80", lzma.open),
)
"""First bytes of compressed files and the functions that open them; all of them detect damage."""
_BUFFER_BYTES = 1 << 16
_PART_BYTES = 8 << 20
_GAME_BOUNDARY = re.compile(rb"\)\s*(?=\(\s*;\s*(?:FF|GM|CA|SZ|AP|EV|GN|PB|PW)\s*\[)")
_OVERLAP_BYTES = 4096
"""Bytes to search again, for a game boundary that spans two reads."""


MAX_EXPANDED_BYTES = 1 << 28
MAX_EXPANSION = 100
"""An archive may expand to `MAX_EXPANDED_BYTES`, or to this many times its size if that is more;
archives of game records expand 3 to 20 times."""
MAX_DOCUMENT_BYTES = 1 << 27
"""Bytes of a file between two games; the rest of the file is not read."""


def ignore_progress(count: int) -> None:
    """Ignore a number of bytes read: the default progress handler."""


class Document(NamedTuple):
    """A file, or a part of a large one: its name, its bytes, and their offset in the file."""

    name: str
    data: bytes
    start: int = 0


class _CountedFile(io.FileIO):
    """A file that reports how many bytes are read from the disk."""

    def __init__(self, path: Path, on_progress: ProgressHandler):
        super().__init__(path, "rb")
        self._on_progress = on_progress

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer; every buffered read calls this method."""
        count = super().readinto(buffer)
        self._on_progress(count or 0)
        return count


class _ExpansionError(OSError):
    """An archive expands to too much data."""


class _BoundedFile(io.RawIOBase):
    """The expanded content of an archive; raises when it exceeds its share."""

    def __init__(self, file: IO[bytes], budget: list[int]):
        """Read `file`; `budget` has the bytes left, shared by the members of an archive."""
        self._file = file
        self._budget = budget

    def readable(self) -> bool:
        """Return True: the file can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; raise `_ExpansionError` if the archive expands to too much."""
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._budget[0] -= len(data)
        if self._budget[0] < 0:
            raise _ExpansionError("it expands to too much data: not read further")
        return len(data)


def _expansion_budget(path: Path) -> list[int]:
    return [max(MAX_EXPANDED_BYTES, MAX_EXPANSION * path.stat().st_size)]


def find_documents(
    path: str | os.PathLike[str],
    on_warning: WarningHandler = log_warning,
    on_progress: ProgressHandler = ignore_progress,
) -> Iterator[Document]:
    """Yield the records at `path`: a file, a folder and all below it, or an archive.

    `on_progress` receives the bytes read from the disk, about `disk_size` in total.
    Raise TengenError at once if `path` does not exist or cannot be opened. Problems below it are
    passed to `on_warning`, and reading continues. Files with other suffixes are reported as
    OTHER_FILE.
    """
    if not os.fspath(path):
        raise TengenError("cannot read '': no path given")
    root = Path(path)
    if root.is_dir():
        return _read_folder(root, on_warning, on_progress)
    try:
        with root.open("rb"):
            pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TengenError(f"cannot read {str(path)!r}: {reason}") from None
    return _read_file(root, on_warning, on_progress)


def disk_size(path: str | os.PathLike[str]) -> int:
    """Return roughly how many bytes `find_documents` reads from the disk; 0 if there are none."""
    root = Path(path)
    if not root.is_dir():
        return root.stat().st_size if root.is_file() else 0
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            if _is_record(name) or is_archive(name):
                # The file may be a broken link, or may have been removed since it was listed.
                with contextlib.suppress(OSError):
                    total += os.stat(os.path.join(folder, name)).st_size
    return total


def is_archive(name: str) -> bool:
    """Return whether a file name is that of a supported archive."""
    return name.lower().endswith(".zip") or _TAR.fullmatch(name) is not None


def _is_record(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in RECORD_SUFFIXES


def _read_folder(
    root: Path, on_warning: WarningHandler, on_progress: ProgressHandler
) -> Iterator[Document]:
    def report_error(error: OSError) -> None:
        _report_unreadable(str(error.filename), error, on_warning)

    for folder, subfolders, names in os.walk(root, onerror=report_error):
        subfolders.sort()
        for name in sorted(names):
            if _is_record(name) or is_archive(name):
                if not _is_regular(os.path.join(folder, name)):
                    _report_irregular(os.path.join(folder, name), on_warning)
                    continue
                yield from _read_file(Path(folder, name), on_warning, on_progress)
            else:
                _report_other_file(os.path.join(folder, name), on_warning)


def _is_regular(path: str) -> bool:
    """Return whether a path is not a pipe or device, which would block or never end."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True  # reported when it is opened


def _read_file(
    path: Path, on_warning: WarningHandler, on_progress: ProgressHandler
) -> Iterator[Document]:
    try:
        with io.BufferedReader(_CountedFile(path, on_progress), _BUFFER_BYTES) as file:
            if path.name.lower().endswith(".zip"):
                yield from _read_zip(path, file, on_warning)
            elif is_archive(path.name):
                yield from _read_tar(path, file, on_warning)
            else:
                yield from _split_file(str(path), file, _PART_BYTES)
    except _READ_ERRORS as error:
        _report_unreadable(str(path), error, on_warning)


class _TarMember(tarfile.TarInfo):
    """A tar member that raises on a damaged header, which `tarfile` mistakes for the end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read the next header; raise ReadError if it is neither a header nor the end mark."""
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            if archive.offset == 0:
                raise
            raise tarfile.ReadError(f"damaged or truncated: {error}") from None


def _read_tar(
    path: Path, archive_file: IO[bytes], on_warning: WarningHandler
) -> Iterator[Document]:
    plain: IO[bytes] = io.BufferedReader(
        _BoundedFile(_decompress(path, archive_file), _expansion_budget(path)), _BUFFER_BYTES
    )
    with tarfile.open(fileobj=plain, mode="r|", tarinfo=_TarMember) as archive:
        while (member := archive.next()) is not None:
            # `tarfile` keeps every member it has seen, which would fill the memory.
            archive.members.clear()  # type: ignore[attr-defined]
            name = f"{path}/{member.name}"
            if not member.isfile():
                continue
            if not _is_record(member.name):
                _report_other_file(name, on_warning)
                continue
            file = archive.extractfile(member)
            if file is not None:
                yield from _split_file(name, file, _PART_BYTES)
        # Read on, so that the checksum at the end of the compressed stream is verified.
        while plain.read(_BUFFER_BYTES):
            pass


def _decompress(path: Path, file: IO[bytes]) -> IO[bytes]:
    """Return the content of a file, decompressed if its first bytes are those of a compression."""
    with path.open("rb") as opened:
        head = opened.read(8)
    for magic, open_compressed in _COMPRESSIONS:
        if head.startswith(magic):
            file = open_compressed(file)
    return file


def _read_zip(
    path: Path, archive_file: IO[bytes], on_warning: WarningHandler
) -> Iterator[Document]:
    budget = _expansion_budget(path)
    with zipfile.ZipFile(archive_file) as archive:
        for member in archive.infolist():
            name = f"{path}/{member.filename}"
            if member.is_dir():
                continue
            if not _is_record(member.filename):
                _report_other_file(name, on_warning)
                continue
            try:
                with archive.open(member) as file:
                    bounded = io.BufferedReader(_BoundedFile(file, budget), _BUFFER_BYTES)
                    yield from _split_file(name, bounded, _PART_BYTES)
            except _ExpansionError:
                raise
            except _READ_ERRORS as error:
                _report_unreadable(name, error, on_warning)


def split_documents(documents: Iterable[Document], size: int) -> Iterator[Document]:
    """Yield documents split further, between games, into parts of about `size` bytes."""
    for document in documents:
        for part in _split_file(document.name, io.BytesIO(document.data), size):
            yield part._replace(start=document.start + part.start)


def _split_file(name: str, file: IO[bytes], size: int) -> Iterator[Document]:
    """Yield a file as one document, or split between games if it is larger than `size` bytes."""
    name = _printable(name)
    data, start, searched = b"", 0, 0
    while chunk := file.read(size):
        data += chunk
        cut = _last_boundary(data, searched) if len(data) > size else None
        searched = max(0, len(data) - _OVERLAP_BYTES)
        if cut:
            yield Document(name, data[:cut], start)
            data, start, searched = data[cut:], start + cut, 0
        elif len(data) > MAX_DOCUMENT_BYTES:
            raise OSError(f"no end of a game within {MAX_DOCUMENT_BYTES >> 20} MiB")
    if data or start == 0:
        yield Document(name, data, start)


def _last_boundary(data: bytes, searched: int) -> int | None:
    """Return the last boundary between two games from offset `searched` on."""
    cut = None
    for match in _GAME_BOUNDARY.finditer(data, searched):
        cut = match.end()
    return cut


def _printable(name: str) -> str:
    """Replace bytes of a file name that are not text by question marks."""
    return name.encode("utf-8", "replace").decode()


def _report_unreadable(name: str, error: BaseException, on_warning: WarningHandler) -> None:
    reason = f"cannot be read: {error}"
    on_warning(RecordWarning(WarningKind.UNREADABLE, _printable(name), 0, reason))


def _report_irregular(name: str, on_warning: WarningHandler) -> None:
    reason = "ignored: not a regular file"
    on_warning(RecordWarning(WarningKind.UNREADABLE, _printable(name), 0, reason))


def _report_other_file(name: str, on_warning: WarningHandler) -> None:
    reason = "ignored: not a game record by its suffix"
    on_warning(RecordWarning(WarningKind.OTHER_FILE, _printable(name), 0, reason))
