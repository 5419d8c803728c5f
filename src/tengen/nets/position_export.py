"""Export of positions with network features from collections of games, in parallel batches."""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import MAX_SIZE, STRIDE
from tengen.board.kernels import layout
from tengen.nets.training.games import GamePosition, take_positions
from tengen.nets.training.samples import packed_features
from tengen.records import (
    Document,
    GameRecord,
    ProgressHandler,
    find_documents,
    ignore_progress,
    ignore_warning,
    log_unreadable,
    map_batches,
    read_bytes,
    read_documents,
    split_documents,
)
from tengen.records.database import SkipReason, skip_reason
from tengen.util import StopFlag, TengenError, check, parameter

COLUMNS: dict[str, str] = {
    "planes": "binary feature planes of Tengen's networks, 19 x rows x columns (docs/nets.md)",
    "numbers": "global features: komi, pass, size",
    "board": "colors by row from the top: 0 empty, 1 black, 2 white",
    "to_play": "side to move: 1 black, 2 white",
    "move": "move played: row * columns + column from the top left, rows * columns for a pass",
    "komi": "points for White under area scoring: komi and compensation for handicap stones",
    "winner": "winner of the game: 1 black, 2 white, 0 for draws and unknown results",
    "margin": "points by which Black won, negative if White won, 0 for a draw, NaN if not scored",
    "game": "index in the list of games",
    "turn": "number of moves played before",
}
"""The columns of exported positions and their meaning."""

BATCH_BYTES = 1 << 18
"""Bytes of records per batch; the positions take about two hundred times as much memory."""
_ALL_POSITIONS = 10**6


@dataclass(frozen=True)
class Sampling:
    """The positions to export."""

    each: int = parameter(0, "random positions per game; 0 for all", low=0)
    positions: int = parameter(0, "stop after this many positions; 0 for no limit", low=0)
    seed: int = parameter(1, "random seed", low=0)

    def __post_init__(self) -> None:
        check(self)


class GameLocation(NamedTuple):
    """The file of a game and its index in the file."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}#{self.number}"


@dataclass
class PositionTable:
    """Positions of one board size as columns; the first axis of every array is the position."""

    rows: int
    columns: int
    arrays: dict[str, npt.NDArray[Any]]
    """Keyed by the names of COLUMNS; the planes are packed, eight points per byte."""

    def __len__(self) -> int:
        return len(self.arrays["move"])

    def first(self, count: int) -> "PositionTable":
        """Return the first `count` positions."""
        arrays = {name: array[:count] for name, array in self.arrays.items()}
        return PositionTable(self.rows, self.columns, arrays)


@dataclass
class ExportBatch:
    """The positions of a batch of documents; their games are numbered from 0."""

    tables: list[PositionTable] = field(default_factory=list)
    games: list[GameLocation] = field(default_factory=list)
    """The games with exported positions."""
    file_games: Counter[str] = field(default_factory=Counter)
    """The number of games read by file."""
    skipped: Counter[SkipReason] = field(default_factory=Counter)

    def __len__(self) -> int:
        return sum(map(len, self.tables))


def export_games(
    paths: Sequence[str],
    sampling: Sampling,
    workers: int,
    stop: StopFlag,
    on_progress: ProgressHandler = ignore_progress,
) -> Iterator[ExportBatch]:
    """Yield the positions of all games at the paths in batches, with games numbered consecutively.

    The positions drawn from a game depend only on the seed and its moves. When `stop` is set,
    batches that were started are still yielded. Raise TengenError at once if a path is missing.
    """
    found = chain.from_iterable(
        [find_documents(path, log_unreadable, on_progress) for path in paths]
    )
    if workers > 1:
        _load_kernels()
    documents = split_documents(found, BATCH_BYTES)
    function = partial(export_batch, sampling)
    batches = map_batches(documents, function, workers, stop, BATCH_BYTES)
    return _number_games(batches, sampling.positions, stop)


def _number_games(
    batches: Iterator[ExportBatch], max_positions: int, stop: StopFlag
) -> Iterator[ExportBatch]:
    """Number the games across batches, overall and in each file; stop after `max_positions`."""
    games = positions = 0
    before: Counter[str] = Counter()  # games of files that may continue in the next batch
    for batch in batches:
        batch.games = [GameLocation(file, number + before[file]) for file, number in batch.games]
        before = Counter({file: count + before[file] for file, count in batch.file_games.items()})
        if max_positions and positions + len(batch) > max_positions:
            batch = _truncate(batch, max_positions - positions)
        for table in batch.tables:
            table.arrays["game"] = table.arrays["game"] + np.int32(games)
        games += len(batch.games)
        positions += len(batch)
        yield batch
        if max_positions and positions >= max_positions:
            stop.set()
            return


def _truncate(batch: ExportBatch, count: int) -> ExportBatch:
    """Return the first `count` (at least one) positions of a batch, and their games."""
    tables = []
    for table in batch.tables:
        tables.append(table.first(count))
        count -= len(tables[-1])
    tables = [table for table in tables if len(table)]
    last = max(int(table.arrays["game"].max()) for table in tables)
    return replace(batch, tables=tables, games=batch.games[: last + 1])


def export_batch(sampling: Sampling, documents: list[Document], stop: StopFlag) -> ExportBatch:
    """Return the positions of the games in some documents."""
    batch, tables = ExportBatch(), []
    for record in read_documents(documents, ignore_warning):
        if stop.is_set():
            break
        batch.file_games[record.source] += 1
        positions = _sample_positions(record, sampling)
        if isinstance(positions, SkipReason):
            batch.skipped[positions] += 1
        else:
            tables.append(make_table(record, positions, len(batch.games)))
            batch.games.append(GameLocation(record.source, record.number))
    batch.tables = _join_tables(tables)
    return batch


def _sample_positions(record: GameRecord, sampling: Sampling) -> list[GamePosition] | SkipReason:
    """Return the positions to export of a game, or why there are none."""
    reason = skip_reason(record)
    if reason is not None:
        return reason
    digest = zlib.crc32(" ".join(str(move.move) for move in record.moves).encode())
    rng = np.random.default_rng([sampling.seed, digest])
    try:
        return take_positions(record, sampling.each or _ALL_POSITIONS, rng) or SkipReason.BROKEN
    except TengenError:
        return SkipReason.BROKEN


def make_table(record: GameRecord, positions: Sequence[GamePosition], game: int) -> PositionTable:
    """Return at least one position of a game as columns."""
    blocks = np.stack([position.block for position in positions])
    bits, numbers = packed_features(list(blocks), [position.komi for position in positions])
    count, margin = len(positions), record.result.margin_black
    arrays: dict[str, npt.NDArray[Any]] = {
        "planes": bits,
        "numbers": numbers,
        "board": _boards(blocks, record.rows, record.columns),
        "to_play": blocks[:, layout.TO_PLAY].astype(np.uint8),
        "move": np.array([position.move for position in positions], dtype=np.uint16),
        "komi": np.array([position.komi for position in positions], dtype=np.float32),
        "winner": np.full(count, int(record.winner or 0), dtype=np.uint8),
        "margin": np.full(count, np.nan if margin is None else margin, dtype=np.float32),
        "game": np.full(count, game, dtype=np.int32),
        "turn": np.array([position.turn for position in positions], dtype=np.uint16),
    }
    return PositionTable(record.rows, record.columns, arrays)


def _boards(blocks: npt.NDArray[np.uint32], rows: int, columns: int) -> npt.NDArray[np.uint8]:
    start = int(layout.COLOR)
    fields = blocks[:, start : start + (MAX_SIZE + 2) * STRIDE].reshape(-1, MAX_SIZE + 2, STRIDE)
    return fields[:, 1 : rows + 1, 1 : columns + 1].astype(np.uint8)


def _join_tables(tables: Sequence[PositionTable]) -> list[PositionTable]:
    """Concatenate the tables of each board size."""
    sizes = dict.fromkeys((table.rows, table.columns) for table in tables)
    return [_concatenate([t for t in tables if (t.rows, t.columns) == size]) for size in sizes]


def _concatenate(tables: Sequence[PositionTable]) -> PositionTable:
    arrays = {name: np.concatenate([table.arrays[name] for table in tables]) for name in COLUMNS}
    return PositionTable(tables[0].rows, tables[0].columns, arrays)


def _load_kernels() -> None:
    """Load compiled kernels, which forked workers inherit."""
    for record in read_bytes(b"(;SZ[9];B[bb])"):
        make_table(record, take_positions(record, 1, np.random.default_rng(0)), 0)
