"""Taking collections of records into a database, on as many cores as wanted."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tengen.core.interrupt import Stop
from tengen.database.packing import PackedGame, Skip, pack
from tengen.database.store import DocumentKey, GameStore
from tengen.records.parallel import each_batch
from tengen.records.reader import read_bytes, read_document
from tengen.records.source import Advance, Document, documents, no_progress
from tengen.records.warning import RecordWarning, WarningKind


@dataclass
class PackedBatch:
    """What a worker made of some files."""

    documents: list[DocumentKey] = field(default_factory=list)
    """Files that were read to their end."""
    games: list[PackedGame] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)


@dataclass
class ImportCounts:
    """What an import has done so far."""

    read: int = 0
    """Games in the files that were read."""
    added: int = 0
    skipped: Counter[Skip] = field(default_factory=Counter)
    files_done_before: int = 0
    """Files, or parts of large ones, that an earlier import had taken in."""
    unreadable: list[RecordWarning] = field(default_factory=list)


def import_games(
    store: GameStore,
    paths: Sequence[str | os.PathLike[str]],
    workers: int,
    stop: Stop,
    advance: Advance = no_progress,
) -> Iterator[ImportCounts]:
    """Take all games at the paths into the store; yield the counts after each batch.

    Every batch is stored when it is yielded. Files that are in the store are not read again,
    so an import that was stopped or killed goes on where it was. Raise TengenError at once if a
    path is missing.
    """
    counts = ImportCounts()

    def report(warning: RecordWarning) -> None:
        if warning.kind is not WarningKind.OTHER_FILE:
            counts.unreadable.append(warning)

    found = chain.from_iterable([documents(path, report, advance) for path in paths])
    if workers > 1:
        _load_kernels()
    batches = each_batch(_new(found, store, counts), pack_batch, workers, stop)
    return _store_all(store, batches, counts)


def _load_kernels() -> None:
    """Load compiled code before workers are forked: they inherit it."""
    for record in read_bytes(b"(;SZ[9];B[bb])"):
        pack(record)


def _store_all(
    store: GameStore, batches: Iterator[PackedBatch], counts: ImportCounts
) -> Iterator[ImportCounts]:
    for batch in batches:
        added = store.add(batch.documents, batch.games, batch.skips)
        counts.read += len(batch.games) + len(batch.skips)
        counts.added += added
        counts.skipped.update(batch.skips)
        counts.skipped[Skip.DUPLICATE] += len(batch.games) - added
        yield counts
    yield counts


def _new(found: Iterator[Document], store: GameStore, counts: ImportCounts) -> Iterator[Document]:
    """Yield the files that are not in the store yet."""
    for document in found:
        if store.has_document(_digest(document)):
            counts.files_done_before += 1
        else:
            yield document


def _digest(document: Document) -> bytes:
    return hashlib.blake2b(document.data, digest_size=16).digest()


def pack_batch(batch: list[Document], stop: Stop) -> PackedBatch:
    """Read and pack the games of some files; end before the next file when asked to stop."""
    packed = PackedBatch()
    for document in batch:
        if stop.is_set():
            break
        for record in read_document(document, _ignore):
            game = pack(record)
            if isinstance(game, Skip):
                packed.skips.append(game)
            else:
                packed.games.append(game)
        packed.documents.append(DocumentKey(_digest(document), document.name))
    return packed


def _ignore(warning: RecordWarning) -> None:
    """What is wrong with a file's games shows in the reasons for which they are skipped."""
