"""A book in a file.

`TGNBOOK` and the format as one byte, the length of a header, the header as JSON, the positions
and the moves column by column and compressed, and a digest of all that. Everything is checked
when it is read: a file that is cut off, damaged or something else is refused.
"""

import hashlib
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.book.book import MOVES, POSITIONS, Book
from tengen.core.errors import TengenError
from tengen.core.whole_file import whole_file

FORMAT = 1
SHIPPED = "shipped"
SHIPPED_FILE = Path(__file__).parents[1] / "data" / "opening.book"
"""Made by `tengen book build` from the shared games; docs/book.md tells which."""
MAGIC = b"TGNBOOK"
_LENGTH = struct.Struct("<I")
_DIGEST_BYTES = 16
_LARGEST = 1 << 30
"""Bytes of columns that we are ready to unpack: a damaged header may promise anything."""


def write_book(book: Book, path: str | os.PathLike[str]) -> int:
    """Write a book; an old file stays until the new one is whole. Return the size in bytes."""
    about = {**book.about, "positions": len(book.positions), "moves": len(book.moves)}
    header = json.dumps(about).encode()
    columns = zlib.compress(_columns(book.positions) + _columns(book.moves), 9)
    data = MAGIC + bytes((FORMAT,)) + _LENGTH.pack(len(header)) + header + columns
    with whole_file(path) as file:
        file.write(data + _digest(data))
    return len(data) + _DIGEST_BYTES


def read_book(path: str | os.PathLike[str]) -> Book:
    """Read a book, `shipped` for the one that comes along; raise TengenError if it is none."""
    place = SHIPPED_FILE if os.fspath(path) == SHIPPED else Path(path)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise TengenError(f"cannot read the book {os.fspath(path)!r}: {error.strerror}") from None
    try:
        return _parse(data)
    except TengenError as error:
        raise TengenError(f"{os.fspath(path)} {error}") from None


def _parse(data: bytes) -> Book:
    if not data.startswith(MAGIC) or len(data) < len(MAGIC) + 1:
        raise TengenError("is no opening book")
    if data[len(MAGIC)] != FORMAT:
        raise TengenError(f"has format {data[len(MAGIC)]}, this Tengen reads {FORMAT}")
    body, digest = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    start = len(MAGIC) + 1 + _LENGTH.size
    if len(body) < start or _digest(body) != digest:
        raise TengenError("is cut off or damaged: its checksum is wrong")
    end = start + _LENGTH.unpack(body[start - _LENGTH.size : start])[0]
    try:
        return _checked(*_unpack(json.loads(body[start:end]), body[end:]))
    except (ValueError, KeyError, TypeError, zlib.error):
        raise TengenError("is damaged: its contents make no sense") from None


def _unpack(
    about: dict[str, Any], packed: bytes
) -> tuple[dict[str, Any], npt.NDArray[np.void], npt.NDArray[np.void]]:
    positions, moves = np.empty(about["positions"], POSITIONS), np.empty(about["moves"], MOVES)
    if positions.nbytes + moves.nbytes > _LARGEST:
        raise ValueError("too large")
    columns = memoryview(zlib.decompressobj().decompress(packed, _LARGEST))
    for table in (positions, moves):
        for name in table.dtype.names or ():
            kind = table.dtype[name]
            size = kind.itemsize * len(table)
            table[name] = np.frombuffer(columns[:size], kind)
            columns = columns[size:]
    return about, positions, moves


def _checked(
    about: dict[str, Any], positions: npt.NDArray[np.void], moves: npt.NDArray[np.void]
) -> Book:
    """Return the book if a look-up cannot go astray in it; raise ValueError."""
    keys = positions["key"]
    is_sound = (
        bool((keys[1:] > keys[:-1]).all())
        and int(positions["moves"].sum(dtype=np.int64)) == len(moves)
        and bool((moves["move"] < POINTS).all())
    )
    if not is_sound:
        raise ValueError("out of order")
    return Book(positions, moves, about)


def _columns(table: npt.NDArray[np.void]) -> bytes:
    return b"".join(table[name].tobytes() for name in table.dtype.names or ())


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()
