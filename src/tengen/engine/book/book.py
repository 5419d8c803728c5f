"""The opening book in memory and in a file.

Positions are stored by a key that is the same for all symmetries and for both colors.

File format: `TGNBOOK`, the format version as one byte, the length of the header, the header as
JSON, the zlib-compressed columns of positions and moves, and a BLAKE2b digest of everything
before it. Reading checks everything, so that truncated and damaged files are rejected.
"""

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, Position, column_of, inverse_symmetries, row_of, symmetries
from tengen.board.kernels import layout
from tengen.board.kernels.layout import POINTS, zobrist_keys
from tengen.util import TengenError, atomic_write

POSITIONS = np.dtype(
    [("key", "<u8"), ("moves", "<u2"), ("games", "<u4"), ("wins", "<u4"), ("losses", "<u4")]
)
"""A position: key, number of moves, games, and results for the side to move."""
MOVES = np.dtype(
    [("move", "<u2"), ("games", "<u4"), ("wins", "<u4"), ("losses", "<u4"), ("shape", "<f2")]
)
"""A move in the orientation of its position's key; `shape` is NaN if it was not computed."""

DEFAULT_BOOK = "default"
DEFAULT_BOOK_FILE = Path(__file__).parents[2] / "data" / "opening.book"
FORMAT = 1
MAGIC = b"TGNBOOK"

_LENGTH = struct.Struct("<I")
_DIGEST_BYTES = 16
_MAX_BYTES = 1 << 30
"""Maximum size of the uncompressed columns."""
_SIZE_SEED = 2**16
_COLORS = slice(int(layout.COLOR), int(layout.COLOR + layout.POINTS))


class CanonicalKey(NamedTuple):
    """The key of a position, and the symmetries that map it to the canonical orientation."""

    key: int
    symmetries: list[int]


@cache
def size_key(rows: int, columns: int) -> np.uint64:
    """Return the constant key of a board size."""
    rng = np.random.Generator(np.random.PCG64(_SIZE_SEED + rows * 32 + columns))
    return rng.integers(0, 2**64, dtype=np.uint64)


def canonical_key(position: Position) -> CanonicalKey:
    """Return the key of a position and its side to move, ignoring ko and history.

    `engine.book.kernels.steps` computes the same keys for whole games.
    """
    colors = position.block[_COLORS]
    points = np.flatnonzero((colors == 1) | (colors == 2))
    relative = colors[points] if position.to_play is BLACK else 3 - colors[points]
    mapped = symmetries(position.rows, position.columns)[:, points]
    hashes = np.bitwise_xor.reduce(zobrist_keys()[relative, mapped], axis=1)
    hashes ^= size_key(position.rows, position.columns)
    lowest = hashes.min()
    return CanonicalKey(int(lowest), np.flatnonzero(hashes == lowest).tolist())


class BookMove(NamedTuple):
    """A move of a looked-up position."""

    move: int
    equivalents: tuple[int, ...]
    """All moves that are equivalent by symmetries of the position, this one first."""
    games: int
    wins: int
    losses: int
    shape: float | None
    """Shape probability, if it was computed when the book was built."""


class BookPosition(NamedTuple):
    """A position of the book; results are for the side to move."""

    games: int
    """Games that continue from it, including moves that were not kept."""
    wins: int
    losses: int
    moves: list[BookMove]
    """Most frequent first."""


@dataclass(frozen=True, eq=False)
class Book:
    """Positions sorted by key, and their moves in the same order."""

    positions: npt.NDArray[np.void]
    moves: npt.NDArray[np.void]
    about: Mapping[str, Any] = field(default_factory=dict)
    """Metadata: board sizes, games, settings."""

    def __post_init__(self) -> None:
        ends = np.cumsum(self.positions["moves"], dtype=np.int64)
        object.__setattr__(self, "_starts", ends - self.positions["moves"])

    def __len__(self) -> int:
        return len(self.positions)

    def look_up(self, position: Position) -> BookPosition | None:
        """Return the entry of a position, or None."""
        canonical = canonical_key(position)
        keys = self.positions["key"]
        index = int(np.searchsorted(keys, np.uint64(canonical.key)))
        if index == len(keys) or int(keys[index]) != canonical.key:
            return None
        _, count, games, wins, losses = self.positions[index].tolist()
        start = int(self._starts[index])  # type: ignore[attr-defined]
        rows = self.moves[start : start + count].tolist()
        found = [_book_move(row, canonical.symmetries, position) for row in rows]
        moves = [move for move in found if move is not None]
        return BookPosition(games, wins, losses, sorted(moves, key=lambda move: -move.games))


def _book_move(
    row: tuple[int, int, int, int, float], symmetries: list[int], position: Position
) -> BookMove | None:
    """Return a stored move in the orientation of the position; None if it is illegal."""
    stored, games, wins, losses, shape = row
    inverse = inverse_symmetries(position.rows, position.columns)
    points = {int(inverse[symmetry, stored]) for symmetry in symmetries}
    legal = sorted(filter(position.is_legal, points), key=lambda p: (row_of(p), -column_of(p)))
    if not legal:
        return None
    known_shape = None if np.isnan(shape) else shape
    return BookMove(legal[0], tuple(legal), games, wins, losses, known_shape)


# Files


def write_book(book: Book, path: str | os.PathLike[str]) -> int:
    """Write a book atomically; return the size in bytes."""
    about = {**book.about, "positions": len(book.positions), "moves": len(book.moves)}
    header = json.dumps(about).encode()
    columns = zlib.compress(_columns(book.positions) + _columns(book.moves), 9)
    data = MAGIC + bytes((FORMAT,)) + _LENGTH.pack(len(header)) + header + columns
    with atomic_write(path) as file:
        file.write(data + _digest(data))
    return len(data) + _DIGEST_BYTES


def read_book(path: str | os.PathLike[str]) -> Book:
    """Read a book, `default` for the bundled one; raise TengenError if it is invalid."""
    name = os.fspath(path)
    if name == "shipped":
        raise TengenError("unknown book 'shipped': it was renamed to 'default'")
    try:
        data = (DEFAULT_BOOK_FILE if name == DEFAULT_BOOK else Path(path)).read_bytes()
    except OSError as error:
        raise TengenError(f"cannot read the book {name!r}: {error.strerror}") from None
    try:
        return _parse(data)
    except TengenError as error:
        raise TengenError(f"{name} {error}") from None


def _parse(data: bytes) -> Book:
    if not data.startswith(MAGIC) or len(data) < len(MAGIC) + 1:
        raise TengenError("is not an opening book")
    if data[len(MAGIC)] != FORMAT:
        raise TengenError(f"has format {data[len(MAGIC)]}, expected {FORMAT}")
    body, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    start = len(MAGIC) + 1 + _LENGTH.size
    if len(body) < start or _digest(body) != digest:
        raise TengenError("is truncated or damaged: wrong checksum")
    end = start + _LENGTH.unpack(body[start - _LENGTH.size : start])[0]
    try:
        return _validated(*_unpack(json.loads(body[start:end]), body[end:]))
    except (ValueError, KeyError, TypeError, zlib.error):
        raise TengenError("is damaged: invalid contents") from None


def _unpack(
    about: dict[str, Any], packed: bytes
) -> tuple[dict[str, Any], npt.NDArray[np.void], npt.NDArray[np.void]]:
    positions, moves = np.empty(about["positions"], POSITIONS), np.empty(about["moves"], MOVES)
    if positions.nbytes + moves.nbytes > _MAX_BYTES:
        raise ValueError("too large")
    columns = memoryview(zlib.decompressobj().decompress(packed, _MAX_BYTES))
    for table in (positions, moves):
        for name in table.dtype.names or ():
            dtype = table.dtype[name]
            size = dtype.itemsize * len(table)
            table[name] = np.frombuffer(columns[:size], dtype)
            columns = columns[size:]
    return about, positions, moves


def _validated(
    about: dict[str, Any], positions: npt.NDArray[np.void], moves: npt.NDArray[np.void]
) -> Book:
    """Return the book if it is consistent; raise ValueError otherwise."""
    keys = positions["key"]
    is_valid = (
        bool((keys[1:] > keys[:-1]).all())
        and int(positions["moves"].sum(dtype=np.int64)) == len(moves)
        and bool((moves["move"] < POINTS).all())
    )
    if not is_valid:
        raise ValueError("inconsistent")
    return Book(positions, moves, about)


def _columns(table: npt.NDArray[np.void]) -> bytes:
    return b"".join(table[name].tobytes() for name in table.dtype.names or ())


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()
