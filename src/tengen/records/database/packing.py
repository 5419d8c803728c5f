"""The storage format of games: headers, event stream, digest, and chunks of many games."""

import hashlib
import zlib
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Color, point_at, symmetries
from tengen.board.kernels.layout import POINTS
from tengen.records.game import GameRecord, lenient_rules
from tengen.records.kernels.game_search import COLOR_SHIFT, POINT_MASK, REMOVAL, SETUP, write_events
from tengen.records.warning import INCOMPLETE_KINDS
from tengen.util import TengenError

Events = npt.NDArray[np.uint16]
_POINTS = int(POINT_MASK)
_SHIFT = int(COLOR_SHIFT)
_MAX_MOVES = 2**15 - 1000
"""So that the number of events, with captures, fits the 16 bits of GAME_HEADER."""

GAME_HEADER = np.dtype([("id", "<u4"), ("length", "<u2"), ("captured", "<u2"), ("winner", "u1")])
"""What a search needs of each game besides its events."""


class SkipReason(IntEnum):
    """Why a game is not stored."""

    NOT_PLAYABLE = 1
    """Another game than Go, or an unsupported board size."""
    NO_MOVES = 2
    BROKEN = 3
    """Contains an illegal move, is truncated, or has more than `_MAX_MOVES` moves."""
    SETUP_LATER = 4
    """Contains setup after the first move."""
    DUPLICATE = 5
    """A game with the same moves, up to symmetry, is already stored."""


class GameHeaders(NamedTuple):
    """The headers of a game, in the order of the columns of the table after its id."""

    rows: int
    columns: int
    black: str
    white: str
    black_rank: str
    white_rank: str
    date: str
    event: str
    result: str
    winner: int
    """1 for Black, 2 for White, 0 for draws and unknown results."""
    komi: float | None
    handicap: int
    rules: str
    moves: int
    source: str
    number: int
    """Index in the source file, from 0; in files above 8 MiB, in a part of it."""


class PackedGame(NamedTuple):
    """A game as it is stored."""

    info: GameHeaders
    digest: bytes
    events: Events
    captured: int


def pack(record: GameRecord) -> PackedGame | SkipReason:
    """Return the stored form of a game, or why it is skipped."""
    reason = skip_reason(record)
    if reason is not None:
        return reason
    try:
        events = encode_events(record)
    except TengenError:
        return SkipReason.BROKEN
    digest = symmetric_digest(events, record.rows, record.columns)
    return PackedGame(game_info(record), digest, events, int(np.count_nonzero(events & REMOVAL)))


def skip_reason(record: GameRecord) -> SkipReason | None:
    """Return why a record cannot be stored, or None."""
    if not record.is_playable:
        return SkipReason.NOT_PLAYABLE
    is_too_long = len(record.moves) > _MAX_MOVES
    if is_too_long or any(warning.kind in INCOMPLETE_KINDS for warning in record.warnings):
        return SkipReason.BROKEN
    if not record.moves:
        return SkipReason.NO_MOVES
    return SkipReason.SETUP_LATER if record.setup_changes else None


def encode_events(record: GameRecord) -> Events:
    """Return the event stream of a game; raise TengenError if its setup is illegal."""
    position = record.initial_position(lenient_rules(record.rules))
    moves = np.array([move.move for move in record.moves], dtype=np.uint32)
    colors = np.array([move.color for move in record.moves], dtype=np.uint32)
    setup = [p | position.color(p) << _SHIFT | int(SETUP) for p in _stones(position.board())]
    # There are at most as many removals as stones.
    events = np.zeros(2 * (len(setup) + len(moves)), dtype=np.uint16)
    events[: len(setup)] = setup
    count = write_events(position.block, colors, moves, events, np.uintp(len(setup)))
    return events[: int(count)]


def _stones(board: npt.NDArray[np.uint8]) -> list[int]:
    rows, columns = np.nonzero(board)
    return [point_at(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


def symmetric_digest(events: Events, rows: int, columns: int) -> bytes:
    """Return a digest of the moves of a game that is invariant under symmetries."""
    flags = events & ~np.uint16(_POINTS)
    streams = symmetries(rows, columns)[:, events & _POINTS] | flags
    first = min(stream.astype("<u2").tobytes() for stream in streams)
    return hashlib.blake2b(bytes((rows, columns)) + first, digest_size=16).digest()


def game_info(record: GameRecord) -> GameHeaders:
    """Return the headers of a game."""
    return GameHeaders(
        record.rows,
        record.columns,
        record.black.strip(),
        record.white.strip(),
        record.black_rank.strip(),
        record.white_rank.strip(),
        record.text("DT").strip(),
        record.text("EV").strip(),
        str(record.result),
        int(record.winner or 0),
        record.komi,
        record.handicap,
        record.rules_text.strip(),
        len(record.moves),
        record.source,
        record.number,
    )


def decode_moves(events: Events) -> list[tuple[Color, int]]:
    """Return the moves of an event stream."""
    moves = events[(events & np.uint16(REMOVAL | SETUP)) == 0].tolist()
    return [(Color(event >> _SHIFT & 3), event & _POINTS) for event in moves]


def decode_setup(events: Events) -> list[tuple[int, int]]:
    """Return the setup stones of an event stream: points and colors."""
    setup = events[(events & np.uint16(SETUP)) != 0].tolist()
    return [(event & _POINTS, event >> _SHIFT & 3) for event in setup]


# Chunks


class Chunk(NamedTuple):
    """Games of one board size stored together: their headers and concatenated events."""

    headers: npt.NDArray[np.void]
    events: Events

    def blobs(self) -> tuple[bytes, bytes, int]:
        """Return the headers and the events as bytes, and a checksum of both."""
        headers, events = self.headers.tobytes(), self.events.astype("<u2").tobytes()
        return headers, events, zlib.crc32(events, zlib.crc32(headers))


def make_chunk(ids: Sequence[int], games: Sequence[PackedGame]) -> Chunk:
    """Return the chunk of some games with their ids."""
    headers = np.zeros(len(games), dtype=GAME_HEADER)
    headers["id"] = ids
    headers["length"] = [len(game.events) for game in games]
    headers["captured"] = [game.captured for game in games]
    headers["winner"] = [game.info.winner for game in games]
    return Chunk(headers, np.concatenate([game.events for game in games]))


def read_chunk(headers: object, events: object, checksum: object) -> Chunk:
    """Return the chunk of two blobs; raise TengenError if they are damaged."""
    if not (isinstance(headers, bytes) and isinstance(events, bytes)):
        raise TengenError("damaged chunk: not a blob")
    if zlib.crc32(events, zlib.crc32(headers)) != checksum:
        raise TengenError("damaged chunk: wrong checksum")
    if len(headers) % GAME_HEADER.itemsize or len(events) % 2:
        raise TengenError("damaged chunk: truncated")
    chunk = Chunk(
        np.frombuffer(headers, GAME_HEADER), np.frombuffer(events, "<u2").astype(np.uint16)
    )
    _check_chunk(chunk)
    return chunk


def _check_chunk(chunk: Chunk) -> None:
    """Raise TengenError if kernels would access points off the board."""
    points = chunk.events & np.uint16(POINT_MASK)
    colors = chunk.events >> np.uint16(COLOR_SHIFT) & 3
    is_valid = (
        int(chunk.headers["length"].sum(dtype=np.int64)) == len(chunk.events)
        and bool((points < POINTS).all())
        and bool(((colors == 1) | (colors == 2)).all())
    )
    if not is_valid:
        raise TengenError("damaged chunk: invalid events")
