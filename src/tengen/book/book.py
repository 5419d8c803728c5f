"""What a book knows, in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.points import column_of, row_of
from tengen.board.position import Position
from tengen.board.symmetry import inverse_symmetries
from tengen.book.canonical import name_of

POSITIONS = np.dtype(
    [("key", "<u8"), ("moves", "<u2"), ("games", "<u4"), ("wins", "<u4"), ("losses", "<u4")]
)
"""A position: its key, how many moves of it are kept, and the results of who was to move."""
MOVES = np.dtype(
    [("move", "<u2"), ("games", "<u4"), ("wins", "<u4"), ("losses", "<u4"), ("shape", "<f2")]
)
"""A move, turned as the key of its position; NaN for `shape` where SHAPE was not asked."""


class BookMove(NamedTuple):
    """A move in the position that was asked for."""

    move: int
    equals: tuple[int, ...]
    """All moves that are the same by the position's symmetries, this one first."""
    games: int
    wins: int
    losses: int
    shape: float | None
    """The probability that SHAPE gives it, if it was asked when the book was made."""


class BookPosition(NamedTuple):
    """What the book says of a position; results are of the side to move."""

    games: int
    """Games with a move in it, those with moves that are not kept too."""
    wins: int
    losses: int
    moves: list[BookMove]
    """The most played first."""


@dataclass(frozen=True, eq=False)
class Book:
    """Positions sorted by key, and the moves of one position after those of another."""

    positions: npt.NDArray[np.void]
    moves: npt.NDArray[np.void]
    about: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: sizes, games, settings."""

    def __post_init__(self) -> None:
        ends = np.cumsum(self.positions["moves"], dtype=np.int64)
        object.__setattr__(self, "_starts", ends - self.positions["moves"])

    def __len__(self) -> int:
        return len(self.positions)

    def look_up(self, position: Position) -> BookPosition | None:
        """Return what the book knows of a position; None if it does not know it."""
        name = name_of(position)
        keys = self.positions["key"]
        index = int(np.searchsorted(keys, np.uint64(name.key)))
        if index == len(keys) or int(keys[index]) != name.key:
            return None
        _, count, games, wins, losses = self.positions[index].tolist()
        start = int(self._starts[index])  # type: ignore[attr-defined]
        rows = self.moves[start : start + count].tolist()
        found = [_as_asked(row, name.symmetries, position) for row in rows]
        moves = [move for move in found if move is not None]
        return BookPosition(games, wins, losses, sorted(moves, key=lambda one: -one.games))


def _as_asked(
    row: tuple[int, int, int, int, float], symmetries: list[int], position: Position
) -> BookMove | None:
    """Return a stored move turned back; None if the rules forbid it here."""
    stored, games, wins, losses, shape = row
    back = inverse_symmetries(position.rows, position.columns)
    points = {int(back[symmetry, stored]) for symmetry in symmetries}
    legal = sorted(filter(position.is_legal, points), key=lambda p: (row_of(p), -column_of(p)))
    if not legal:
        return None
    known_shape = None if np.isnan(shape) else shape
    return BookMove(legal[0], tuple(legal), games, wins, losses, known_shape)
