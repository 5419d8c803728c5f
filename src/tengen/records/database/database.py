"""`GameDatabase` (search and retrieval of stored games), and import of collections in parallel."""

import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board import Move, Position, Rules
from tengen.records.collection import Document, ProgressHandler, find_documents, ignore_progress
from tengen.records.database.packing import (
    Events,
    GameHeaders,
    PackedGame,
    SkipReason,
    decode_moves,
    decode_setup,
    pack,
)
from tengen.records.database.pattern import Pattern
from tengen.records.database.search import GameIndex, PatternStatistics, summarize
from tengen.records.database.store import DocumentKey, GameStore
from tengen.records.game import GameRecord, lenient_rules
from tengen.records.reader import map_batches, read_bytes, read_document
from tengen.records.warning import RecordWarning, WarningKind, ignore_warning
from tengen.records.writer import record_from_position
from tengen.util import StopFlag, data_dir

_DEFAULT_EXAMPLES = 10


class GameDatabase:
    """A game database opened for searching; safe to use from several threads.

    The games of a board size are loaded into memory at the first search (about 0.5 kB per game on
    19x19) and reloaded when games have been added.
    """

    def __init__(self, path: str | Path):
        """Open a file created by `tengen games import`; raise TengenError for other files."""
        self.store = GameStore(path)
        self._indexes: dict[tuple[int, int], tuple[int, GameIndex]] = {}
        self._lock = threading.Lock()

    def index(self, rows: int, columns: int) -> GameIndex:
        """Return the index of all games of a board size."""
        with self._lock:
            newest = self.store.newest_chunk(rows, columns)
            known, index = self._indexes.get((rows, columns), (-1, None))
            if index is None or known != newest:
                index = GameIndex(rows, columns, self.store.chunks(rows, columns))
                self._indexes[rows, columns] = newest, index
            return index

    def search(
        self, pattern: Pattern, examples: int = _DEFAULT_EXAMPLES, player: str = ""
    ) -> PatternStatistics:
        """Return what was played in a pattern, in all games or in those of `player`.

        The elapsed time does not include loading the games into memory.
        """
        index = self.index(pattern.rows, pattern.columns)
        allowed = self._games_of(player, index) if player else None
        started_s = time.perf_counter()
        found = summarize(index, pattern, index.find(pattern), examples, allowed)
        return replace(found, elapsed_s=time.perf_counter() - started_s)

    def _games_of(self, player: str, index: GameIndex) -> npt.NDArray[np.bool_]:
        return np.isin(index.ids, np.array(self.store.find_ids(player), dtype=np.uint32))

    def infos(self, ids: list[int]) -> dict[int, GameHeaders]:
        """Return the headers of games by id."""
        return self.store.infos(ids)

    def game(self, game_id: int) -> GameRecord:
        """Return a game as a record; raise TengenError if there is no such game."""
        chunk = self.store.chunk_of(game_id)
        place = int(np.flatnonzero(chunk.headers["id"] == game_id)[0])
        start = int(chunk.headers["length"][:place].sum(dtype=np.int64))
        events = chunk.events[start : start + int(chunk.headers["length"][place])]
        return _build_record(self.store.infos([game_id])[game_id], events)


def _build_record(info: GameHeaders, events: Events) -> GameRecord:
    """Return the record of a stored game."""
    position = Position(info.rows, info.columns, lenient_rules(Rules()))
    moves = [Move(color, move) for color, move in decode_moves(events)]
    position.setup(decode_setup(events), moves[0].color)
    position.handicap = info.handicap
    position.play_sequence(moves)
    texts = {"RU": info.rules, "BR": info.black_rank, "WR": info.white_rank}
    texts |= {"DT": info.date, "EV": info.event}
    record = record_from_position(position, info.black, info.white, info.result, None, texts)
    record.komi, record.source, record.number = info.komi, info.source, info.number
    return record


def default_database_path() -> Path:
    """Return `TENGEN_GAMES` if it is set, else a file in the user's data folder."""
    configured = os.environ.get("TENGEN_GAMES")
    return Path(configured) if configured else data_dir() / "games.sqlite"


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
