"""Import of collections into a game database, in parallel."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from tengen.records.collection import Document, ProgressHandler, find_documents, ignore_progress
from tengen.records.database.packing import PackedGame, SkipReason, pack
from tengen.records.database.store import DocumentKey, GameStore
from tengen.records.reader import map_batches, read_bytes, read_document
from tengen.records.warning import RecordWarning, WarningKind, ignore_warning
from tengen.util import StopFlag


@dataclass
class PackedBatch:
    """The result of a worker: the games of some documents."""

    documents: list[DocumentKey] = field(default_factory=list)
    """Documents that were read completely."""
    games: list[PackedGame] = field(default_factory=list)
    skips: list[SkipReason] = field(default_factory=list)


@dataclass
class ImportCounts:
    """Counts of an import so far."""

    read: int = 0
    """Games in the files read."""
    added: int = 0
    skipped: Counter[SkipReason] = field(default_factory=Counter)
    known_documents: int = 0
    """Files, or parts of large ones, that were imported before."""
    unreadable: list[RecordWarning] = field(default_factory=list)


def import_games(
    store: GameStore,
    paths: Sequence[str | os.PathLike[str]],
    workers: int,
    stop: StopFlag,
    on_progress: ProgressHandler = ignore_progress,
) -> Iterator[ImportCounts]:
    """Import all games at the paths; yield the counts after each stored batch.

    Files that were imported before are skipped, so an interrupted import can be resumed. Raise
    TengenError at once if a path is missing.
    """
    counts = ImportCounts()

    def add_warning(warning: RecordWarning) -> None:
        if warning.kind is not WarningKind.OTHER_FILE:
            counts.unreadable.append(warning)

    found = chain.from_iterable([find_documents(path, add_warning, on_progress) for path in paths])
    if workers > 1:
        _load_kernels()
    batches = map_batches(_new_documents(found, store, counts), pack_batch, workers, stop)
    return _store_batches(store, batches, counts)


def _load_kernels() -> None:
    """Load compiled kernels, which forked workers inherit."""
    for record in read_bytes(b"(;SZ[9];B[bb])"):
        pack(record)


def _store_batches(
    store: GameStore, batches: Iterator[PackedBatch], counts: ImportCounts
) -> Iterator[ImportCounts]:
    for batch in batches:
        added = store.add(batch.documents, batch.games, batch.skips)
        counts.read += len(batch.games) + len(batch.skips)
        counts.added += added
        counts.skipped.update(batch.skips)
        counts.skipped[SkipReason.DUPLICATE] += len(batch.games) - added
        yield counts
    yield counts


def _new_documents(
    documents: Iterator[Document], store: GameStore, counts: ImportCounts
) -> Iterator[Document]:
    """Yield the documents that were not imported before."""
    for document in documents:
        if store.has_document(_digest(document)):
            counts.known_documents += 1
        else:
            yield document


def _digest(document: Document) -> bytes:
    return hashlib.blake2b(document.data, digest_size=16).digest()


def pack_batch(batch: list[Document], stop: StopFlag) -> PackedBatch:
    """Read and pack the games of some documents; return early when stopped."""
    packed = PackedBatch()
    for document in batch:
        if stop.is_set():
            break
        for record in read_document(document, ignore_warning):
            game = pack(record)
            if isinstance(game, SkipReason):
                packed.skips.append(game)
            else:
                packed.games.append(game)
        packed.documents.append(DocumentKey(_digest(document), document.name))
    return packed
