"""What one looks for: a whole position, or what stands in a rectangle of it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tengen.board.colour import Colour
from tengen.board.hashing import stone_keys
from tengen.board.kernels.layout import POINTS
from tengen.board.points import STRIDE, column_of, parse_vertex, point_at, row_of
from tengen.board.position import Position
from tengen.board.symmetry import eight_symmetries
from tengen.core.errors import TengenError
from tengen.database.kernels.events import CHANGE_MASK, COLOUR_SHIFT, REMOVAL, STONE_WORDS
from tengen.database.kernels.scan import LARGEST_REGION, OUTSIDE, VARIANTS

Wanted = npt.NDArray[np.uint8]
"""For each point of the padded board: EMPTY, BLACK, WHITE, or OUTSIDE."""
SYMMETRIES = int(VARIANTS) // 2


@dataclass(frozen=True)
class Region:
    """A rectangle of a board, by its first and last rows and columns, from 0 at the top left."""

    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def between(cls, one: int, other: int) -> "Region":
        """Return the rectangle with two points as opposite corners."""
        top, bottom = sorted((row_of(one), row_of(other)))
        left, right = sorted((column_of(one), column_of(other)))
        return cls(top, left, bottom, right)

    @classmethod
    def parse(cls, text: str, rows: int, columns: int) -> "Region":
        """Read `Q10:T19`, two opposite corners; raise TengenError."""
        corners = text.split(":")
        if len(corners) != 2 or "pass" in text.lower():
            raise TengenError(f"invalid region {text!r}: write two corners, like Q10:T19")
        return cls.between(*(parse_vertex(corner, rows, columns) for corner in corners))

    @classmethod
    def around(cls, point: int, side: int, rows: int, columns: int) -> "Region":
        """Return the square of `side` points with `point` in its middle, cut at the edge."""
        if side < 1 or side % 2 == 0:
            raise TengenError(f"a square around a point has an odd side, not {side}")
        row, column, reach = row_of(point), column_of(point), side // 2
        bottom, right = min(row + reach, rows - 1), min(column + reach, columns - 1)
        return cls(max(row - reach, 0), max(column - reach, 0), bottom, right)

    def points(self) -> list[int]:
        """Return all points, row by row."""
        return [
            point_at(row, column)
            for row in range(self.top, self.bottom + 1)
            for column in range(self.left, self.right + 1)
        ]


@dataclass(frozen=True, eq=False)
class Pattern:
    """A position to look for, whole or in a region, under all symmetries and colour swap.

    A whole position is found where the same side is to move (the other one if colours are
    swapped). A region is found whoever is to move. Ko and history are no part of it.
    """

    rows: int
    columns: int
    to_play: Colour
    wanted: Wanted
    region: Region | None = None

    @classmethod
    def whole(cls, position: Position) -> "Pattern":
        """Return the whole board of a position."""
        return cls._of(position, position.points(), None)

    @classmethod
    def local(cls, position: Position, region: Region) -> "Pattern":
        """Return what stands in a region of a position; raise TengenError if it is too large."""
        points = region.points()
        if not all(position.on_board(point) for point in points):
            raise TengenError("the region is not on the board")
        if len(points) > LARGEST_REGION:
            raise TengenError(
                f"a region of {len(points)} points is too large: up to {LARGEST_REGION}, "
                "or look for the whole board"
            )
        return cls._of(position, points, region)

    @classmethod
    def _of(cls, position: Position, points: list[int], region: Region | None) -> "Pattern":
        wanted = np.full(int(POINTS), OUTSIDE, dtype=np.uint8)
        wanted[points] = [position.colour(point) for point in points]
        return cls(position.rows, position.columns, position.to_play, wanted, region)

    @property
    def turns(self) -> npt.NDArray[np.uint16]:
        """The table of each symmetry."""
        return eight_symmetries(self.rows, self.columns)

    @cached_property
    def variants(self) -> npt.NDArray[np.uint8]:
        """The pattern under each symmetry, then the same with colours swapped."""
        turned = np.full((SYMMETRIES, int(POINTS)), OUTSIDE, dtype=np.uint8)
        np.put_along_axis(turned, self.turns.astype(np.intp), self.wanted[None, :], axis=1)
        swapped = np.array([0, 2, 1, OUTSIDE], dtype=np.uint8)[turned]
        return np.concatenate([turned, swapped])

    @property
    def stones(self) -> int:
        """How many stones it has."""
        return int(np.isin(self.wanted, (1, 2)).sum())

    @property
    def movers(self) -> npt.NDArray[np.uint8]:
        """The side to move in each variant."""
        return np.repeat(np.array([self.to_play, self.to_play.opponent], np.uint8), SYMMETRIES)

    def needed(self) -> npt.NDArray[np.uint64]:
        """Return, for each variant, the bits of the stones that a game must have had."""
        bits = np.zeros((int(VARIANTS), int(STONE_WORDS) * 64), dtype=np.uint8)
        for colour in Colour:
            variant, point = np.nonzero(self.variants == colour)
            bits[variant, (colour - 1) * int(POINTS) + point] = 1
        return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)

    def hashes(self) -> npt.NDArray[np.uint64]:
        """Return the Zobrist hash of the stones of each variant."""
        hashes = np.zeros(int(VARIANTS), dtype=np.uint64)
        for colour in Colour:
            stones = np.where(self.variants == colour, stone_keys()[colour], np.uint64(0))
            hashes ^= np.bitwise_xor.reduce(stones, axis=1)
        return hashes

    def counts(self) -> npt.NDArray[np.uint64]:
        """Return, eight bits a variant, how many points of the region hold a stone."""
        words = _packed(np.isin(self.variants, (1, 2)).sum(axis=1))
        return words.reshape(2)

    def deltas(self) -> npt.NDArray[np.uint64]:
        """Return how each event (its bits of CHANGE_MASK) changes those counts."""
        deltas = np.zeros((int(CHANGE_MASK) + 1, 2), dtype=np.uint64)
        points = np.arange(int(POINTS))
        for colour in Colour:
            comes = (self.variants == 0).astype(np.int64) - (self.variants == colour)
            events = points | colour << int(COLOUR_SHIFT)
            deltas[events] = _packed(comes)
            deltas[events | int(REMOVAL)] = _packed(-comes)
        return deltas

    def folds(self) -> npt.NDArray[np.uint16]:
        """Return for each point the one that stands for it where the pattern is symmetric.

        Among points that the pattern's own symmetries carry into each other it is the one in
        the highest row, and there the rightmost: where the first move of a game belongs.
        """
        own = [self.turns[s] for s in range(SYMMETRIES) if (self.variants[s] == self.wanted).all()]
        images = np.stack(own).astype(np.int64)
        ranks = images // STRIDE * STRIDE - images % STRIDE
        folds: npt.NDArray[np.int64] = images[ranks.argmin(axis=0), np.arange(int(POINTS))]
        return folds.astype(np.uint16)


def _packed(values: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return sixteen small numbers (a column each) as two words; words add lane by lane."""
    places = np.uint64(1) << (np.uint64(8) * np.arange(SYMMETRIES, dtype=np.uint64))
    lanes = values.astype(np.uint64).reshape(2, SYMMETRIES, -1)
    words: npt.NDArray[np.uint64] = (lanes * places[:, None]).sum(axis=1, dtype=np.uint64)
    return words.T
