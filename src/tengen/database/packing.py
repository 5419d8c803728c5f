"""From a record to what the database keeps of it: headers, a stream of events, a digest."""

import hashlib
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.colour import Colour
from tengen.board.points import point_at
from tengen.board.symmetry import symmetries
from tengen.core.errors import TengenError
from tengen.database.kernels.events import (
    COLOUR_SHIFT,
    POINT_MASK,
    REMOVAL,
    SETUP,
    write_events,
)
from tengen.records.game import GameRecord, lenient
from tengen.records.warning import WarningKind

Events = npt.NDArray[np.uint16]
_POINTS = int(POINT_MASK)
_SHIFT = int(COLOUR_SHIFT)
_MOST_MOVES = 2**15 - 1000
"""Of these, and the stones they take, 16 bits can count all: see `chunk`."""
_BROKEN = {WarningKind.ILLEGAL_MOVE, WarningKind.TRUNCATED}


class Skip(IntEnum):
    """Why a game is not taken into the database."""

    NOT_PLAYABLE = 1
    """Another game than Go, or a board that we cannot play on."""
    NO_MOVES = 2
    BROKEN = 3
    """An illegal move, an end in the middle, or more moves than any game has."""
    SETUP_LATER = 4
    """Stones are put on the board in the middle of the game."""
    DUPLICATE = 5
    """The same moves are there already, perhaps turned or mirrored."""


class GameInfo(NamedTuple):
    """The headers of a game, in the order of the table's columns after its number."""

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
    """1 Black, 2 White, 0 for draws and where it is not known."""
    komi: float | None
    handicap: int
    rules: str
    moves: int
    source: str
    number: int
    """Its place in its source, from 0; in a file above 8 MiB, in a part of it."""


class PackedGame(NamedTuple):
    """A game as it is stored."""

    info: GameInfo
    digest: bytes
    events: Events
    captured: int


def pack(record: GameRecord) -> PackedGame | Skip:
    """Return what is stored of a game, or why it is not."""
    reason = why_skipped(record)
    if reason is not None:
        return reason
    try:
        events = events_of(record)
    except TengenError:
        return Skip.BROKEN
    digest = digest_of(events, record.rows, record.columns)
    return PackedGame(info_of(record), digest, events, int(np.count_nonzero(events & REMOVAL)))


def why_skipped(record: GameRecord) -> Skip | None:
    """Return what is wrong with a record as such, if anything is."""
    if not record.is_playable:
        return Skip.NOT_PLAYABLE
    is_endless = len(record.moves) > _MOST_MOVES
    if is_endless or any(warning.kind in _BROKEN for warning in record.warnings):
        return Skip.BROKEN
    if not record.moves:
        return Skip.NO_MOVES
    return Skip.SETUP_LATER if record.changes else None


def events_of(record: GameRecord) -> Events:
    """Return the stream of a game; raise TengenError if it cannot be set up."""
    position = record.start(lenient(record.rules))
    moves = np.array([move.move for move in record.moves], dtype=np.uint32)
    colours = np.array([move.colour for move in record.moves], dtype=np.uint32)
    setup = [p | position.colour(p) << _SHIFT | int(SETUP) for p in _stones(position.board())]
    # Each stone that is taken off was put on before.
    events = np.zeros(2 * (len(setup) + len(moves)), dtype=np.uint16)
    events[: len(setup)] = setup
    count = write_events(position.block, colours, moves, events, np.uintp(len(setup)))
    return events[: int(count)]


def _stones(board: npt.NDArray[np.uint8]) -> list[int]:
    rows, columns = np.nonzero(board)
    return [point_at(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]


def digest_of(events: Events, rows: int, columns: int) -> bytes:
    """Return a name for the moves of a game that is the same however the board is turned."""
    marks = events & ~np.uint16(_POINTS)
    turned = symmetries(rows, columns)[:, events & _POINTS] | marks
    first = min(stream.astype("<u2").tobytes() for stream in turned)
    return hashlib.blake2b(bytes((rows, columns)) + first, digest_size=16).digest()


def info_of(record: GameRecord) -> GameInfo:
    """Return the headers of a game."""
    return GameInfo(
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


def moves_of(events: Events) -> list[tuple[Colour, int]]:
    """Return the moves of a stream."""
    own = events[(events & np.uint16(REMOVAL | SETUP)) == 0].tolist()
    return [(Colour(event >> _SHIFT & 3), event & _POINTS) for event in own]


def setup_of(events: Events) -> list[tuple[int, int]]:
    """Return the setup stones of a stream: point and colour."""
    own = events[(events & np.uint16(SETUP)) != 0].tolist()
    return [(event & _POINTS, event >> _SHIFT & 3) for event in own]
