"""From collections of records to columns, on as many cores as wanted, a batch at a time."""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.interrupt import Stop
from tengen.core.parameters import check, parameter
from tengen.database.packing import Skip, why_skipped
from tengen.export.part import Part, Place, joined, part_of
from tengen.network.training.archives import Taken, take_positions
from tengen.records.game import GameRecord
from tengen.records.parallel import each_batch
from tengen.records.reader import read_bytes, read_documents
from tengen.records.source import Advance, Document, documents, in_parts, no_progress
from tengen.records.warning import RecordWarning, log_unreadable

LONGEST_GAME = 10**6
PIECE_BYTES = 1 << 18
"""Of records, at once: their positions take some two hundred times as much memory."""


@dataclass(frozen=True)
class Sampling:
    """Which positions of the games are taken."""

    each: int = parameter(0, "positions of each game, drawn by chance; 0 for all", low=0)
    positions: int = parameter(0, "stop after so many positions; 0 for no end", low=0)
    seed: int = parameter(1, "of the drawing", low=0)

    def __post_init__(self) -> None:
        check(self)


@dataclass
class Piece:
    """What a worker made of some files, or parts of them; games are numbered from 0 in it."""

    parts: list[Part] = field(default_factory=list)
    games: list[Place] = field(default_factory=list)
    """Those that gave positions."""
    files: Counter[str] = field(default_factory=Counter)
    """How many games each file has in it."""
    skipped: Counter[Skip] = field(default_factory=Counter)

    def __len__(self) -> int:
        return sum(map(len, self.parts))


def export_games(
    paths: Sequence[str],
    sampling: Sampling,
    workers: int,
    stop: Stop,
    advance: Advance = no_progress,
) -> Iterator[Piece]:
    """Yield the positions of all games at the paths, piece by piece, with games numbered through.

    What is drawn of a game depends on the seed and its moves alone. When `stop` is set, what was
    begun is still yielded. Raise TengenError at once if a path is missing.
    """
    found = chain.from_iterable([documents(path, log_unreadable, advance) for path in paths])
    if workers > 1:
        _load_kernels()
    parts = in_parts(found, PIECE_BYTES)
    pieces = each_batch(parts, partial(take_batch, sampling), workers, stop, PIECE_BYTES)
    return _numbered(pieces, sampling.positions, stop)


def _numbered(pieces: Iterator[Piece], most: int, stop: Stop) -> Iterator[Piece]:
    """Number games through, in all and in each file; end after `most` positions."""
    games = positions = 0
    before: Counter[str] = Counter()  # games of a file that the next piece may go on with
    for piece in pieces:
        piece.games = [Place(file, number + before[file]) for file, number in piece.games]
        before = Counter({file: count + before[file] for file, count in piece.files.items()})
        if most and positions + len(piece) > most:
            piece = _shortened(piece, most - positions)
        for part in piece.parts:
            part.arrays["game"] = part.arrays["game"] + np.int32(games)
        games += len(piece.games)
        positions += len(piece)
        yield piece
        if most and positions >= most:
            stop.set()
            return


def _shortened(piece: Piece, count: int) -> Piece:
    """Return the first positions of a piece, at least one, and their games."""
    parts = []
    for part in piece.parts:
        parts.append(part.first(count))
        count -= len(parts[-1])
    parts = [part for part in parts if len(part)]
    last = max(int(part.arrays["game"].max()) for part in parts)
    return replace(piece, parts=parts, games=piece.games[: last + 1])


def take_batch(sampling: Sampling, batch: list[Document], stop: Stop) -> Piece:
    """Return the positions of the games in some files."""
    piece, parts = Piece(), []
    for record in read_documents(batch, _ignore):
        if stop.is_set():
            break
        piece.files[record.source] += 1
        taken = _taken(record, sampling)
        if isinstance(taken, Skip):
            piece.skipped[taken] += 1
        else:
            parts.append(part_of(record, taken, len(piece.games)))
            piece.games.append(Place(record.source, record.number))
    piece.parts = joined(parts)
    return piece


def _taken(record: GameRecord, sampling: Sampling) -> list[Taken] | Skip:
    """Return what is taken of a game, or why nothing is."""
    reason = why_skipped(record)
    if reason is not None:
        return reason
    digest = zlib.crc32(" ".join(str(move.move) for move in record.moves).encode())
    random = np.random.default_rng([sampling.seed, digest])
    try:
        return take_positions(record, sampling.each or LONGEST_GAME, random) or Skip.BROKEN
    except TengenError:
        return Skip.BROKEN


def _load_kernels() -> None:
    """Load compiled code before workers are forked: they inherit it."""
    for record in read_bytes(b"(;SZ[9];B[bb])"):
        part_of(record, take_positions(record, 1, np.random.default_rng(0)), 0)


def _ignore(warning: RecordWarning) -> None:
    """What is wrong with a file's games shows in the reasons for which they are skipped."""
