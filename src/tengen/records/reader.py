"""One way in for all formats: from a document to its games."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum

from tengen.records.encoding import decode
from tengen.records.game import GameRecord
from tengen.records.gib import looks_like_gib, read_gib
from tengen.records.grammar import scan
from tengen.records.interpret import interpret
from tengen.records.ngf import looks_like_ngf, read_ngf
from tengen.records.source import Document, documents
from tengen.records.tree import Node
from tengen.records.ugf import looks_like_ugf, read_ugf
from tengen.records.warning import Problems, RecordWarning, WarningKind, log_warning

Report = Callable[[RecordWarning], None]


class Format(IntEnum):
    """The formats we read."""

    SGF = 0
    GIB = 1
    NGF = 2
    UGF = 3


_READERS: dict[Format, Callable[[str, Problems], list[Node]]] = {
    Format.GIB: read_gib,
    Format.NGF: read_ngf,
    Format.UGF: read_ugf,
}
_SUFFIXES = {
    "gib": Format.GIB,
    "ngf": Format.NGF,
    "ugf": Format.UGF,
    "ugi": Format.UGF,
}
_SGF_START = re.compile(r"\(\s*;")
_HEAD = 4000


def detect(text: str, name: str = "") -> Format:
    """Return the format of a text: what it looks like, else what its name says, else SGF."""
    head = text[:_HEAD]
    if looks_like_gib(head):
        return Format.GIB
    if looks_like_ugf(head):
        return Format.UGF
    if looks_like_ngf(head) and not _SGF_START.search(head):
        return Format.NGF
    if _SGF_START.search(text):
        return Format.SGF
    return _SUFFIXES.get(name.rpartition(".")[2].lower(), Format.SGF)


def read_document(
    document: Document, report: Report = log_warning, first: int = 0
) -> Iterator[GameRecord]:
    """Yield the games of one file, numbered from `first` on. Never raises for what is in it.

    What is wrong with a game is in its `warnings`; `report` is told what concerns no game.
    """
    text = decode(document.data)
    problems = Problems(document.name, text, document.start)
    number = first
    for root in _roots(text.text, document.name, problems):
        yield interpret(root, problems, document.name, number)
        number += 1
    problems.add_encoding(len(text.text))
    if number == first:
        problems.add(WarningKind.NO_GAME, 0, "no game found")
    for warning in problems.take():
        report(warning)


def _roots(text: str, name: str, problems: Problems) -> Iterator[Node]:
    kind = detect(text, name)
    if kind is Format.SGF:
        return scan(text, problems)
    problems.add_encoding(len(text))
    return iter(_READERS[kind](text, problems))


def read_documents(found: Iterable[Document], report: Report = log_warning) -> Iterator[GameRecord]:
    """Yield the games of files, in each of them numbered from 0; see `read_document`.

    Parts of a large file follow each other, and are numbered through.
    """
    number = 0
    for document in found:
        number = number if document.start else 0
        for record in read_document(document, report, number):
            number += 1
            yield record


def read_bytes(data: bytes, name: str = "", report: Report = log_warning) -> Iterator[GameRecord]:
    """Yield the games of a record in memory; see `read_document`."""
    return read_document(Document(name, data), report)


def read_games(path: str | os.PathLike[str], report: Report = log_warning) -> Iterator[GameRecord]:
    """Yield all games of a file, of a folder and all below it, or of a zip or tar archive.

    One file is in memory at a time. Raises TengenError at the first game if there is no such
    file; what is damaged is reported, as in `read_document`.
    """
    yield from read_documents(documents(path, report), report)
