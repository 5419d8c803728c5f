"""Games of one board size that were stored together, as blobs that a search reads whole."""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.core.errors import TengenError
from tengen.database.kernels.events import COLOUR_SHIFT, POINT_MASK
from tengen.database.packing import Events, PackedGame

FACTS = np.dtype([("id", "<u4"), ("length", "<u2"), ("captured", "<u2"), ("winner", "u1")])
"""What a search must know of each game beside its events."""


class Chunk(NamedTuple):
    """The facts of some games and their events, one game after another."""

    facts: npt.NDArray[np.void]
    events: Events

    def blobs(self) -> tuple[bytes, bytes, int]:
        """Return the facts and the events as bytes, and a checksum of both."""
        facts, events = self.facts.tobytes(), self.events.astype("<u2").tobytes()
        return facts, events, zlib.crc32(events, zlib.crc32(facts))


def make_chunk(ids: Sequence[int], games: Sequence[PackedGame]) -> Chunk:
    """Return the chunk of some games with their numbers in the database."""
    facts = np.zeros(len(games), dtype=FACTS)
    facts["id"] = ids
    facts["length"] = [len(game.events) for game in games]
    facts["captured"] = [game.captured for game in games]
    facts["winner"] = [game.info.winner for game in games]
    return Chunk(facts, np.concatenate([game.events for game in games]))


def read_chunk(facts: object, events: object, checksum: object) -> Chunk:
    """Return the chunk of two blobs; raise TengenError if they are damaged."""
    if not (isinstance(facts, bytes) and isinstance(events, bytes)):
        raise TengenError("a part of the database is damaged: it is no blob")
    if zlib.crc32(events, zlib.crc32(facts)) != checksum:
        raise TengenError("a part of the database is damaged: its checksum is wrong")
    if len(facts) % FACTS.itemsize or len(events) % 2:
        raise TengenError("a part of the database is damaged: it is cut off")
    chunk = Chunk(np.frombuffer(facts, FACTS), np.frombuffer(events, "<u2").astype(np.uint16))
    _check(chunk)
    return chunk


def _check(chunk: Chunk) -> None:
    """Raise TengenError unless kernels can follow the events without leaving the board."""
    points = chunk.events & np.uint16(POINT_MASK)
    colours = chunk.events >> np.uint16(COLOUR_SHIFT) & 3
    is_sound = (
        int(chunk.facts["length"].sum(dtype=np.int64)) == len(chunk.events)
        and bool((points < POINTS).all())
        and bool(((colours == 1) | (colours == 2)).all())
    )
    if not is_sound:
        raise TengenError("a part of the database is damaged: it holds no games")
