"""Search patterns: a whole position, or a rectangular region of one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tengen.board import (
    STRIDE,
    Color,
    Position,
    column_of,
    eight_symmetries,
    parse_vertex,
    point_at,
    row_of,
)
from tengen.board.kernels.layout import POINTS, zobrist_keys
from tengen.records.kernels.game_search import (
    CHANGE_MASK,
    COLOR_SHIFT,
    MAX_REGION_POINTS,
    OUTSIDE,
    REMOVAL,
    STONE_WORDS,
    VARIANTS,
)
from tengen.util import TengenError

Wanted = npt.NDArray[np.uint8]
"""For each point of the padded board: EMPTY, BLACK, WHITE, or OUTSIDE."""
SYMMETRIES = int(VARIANTS) // 2


@dataclass(frozen=True)
class Region:
    """A rectangle of a board: first and last row and column, from 0 at the top left."""

    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def between(cls, first: int, last: int) -> "Region":
        """Return the rectangle with two opposite corners."""
        top, bottom = sorted((row_of(first), row_of(last)))
        left, right = sorted((column_of(first), column_of(last)))
        return cls(top, left, bottom, right)

    @classmethod
    def parse(cls, text: str, rows: int, columns: int) -> "Region":
        """Parse two opposite corners like `Q10:T19`; raise TengenError if they are invalid."""
        corners = text.split(":")
        if len(corners) != 2 or "pass" in text.lower():
            raise TengenError(f"invalid region {text!r}: use two corners, like Q10:T19")
        return cls.between(*(parse_vertex(corner, rows, columns) for corner in corners))

    @classmethod
    def around(cls, point: int, side: int, rows: int, columns: int) -> "Region":
        """Return the square of side `side` centered on `point`, clipped at the edge."""
        if side < 1 or side % 2 == 0:
            raise TengenError(f"the side of a square around a point must be odd, got {side}")
        row, column, reach = row_of(point), column_of(point), side // 2
        bottom, right = min(row + reach, rows - 1), min(column + reach, columns - 1)
        return cls(max(row - reach, 0), max(column - reach, 0), bottom, right)

    def points(self) -> list[int]:
        """Return the points of the region, row by row."""
        return [
            point_at(row, column)
            for row in range(self.top, self.bottom + 1)
            for column in range(self.left, self.right + 1)
        ]


@dataclass(frozen=True, eq=False)
class Pattern:
    """A position or a region of one, to be found under all symmetries and color swap.

    A whole position matches if the same side is to move (the other one if colors are swapped), a
    region whichever side is to move. Ko and history are ignored.
    """

    rows: int
    columns: int
    to_play: Color
    wanted: Wanted
    region: Region | None = None

    @classmethod
    def whole(cls, position: Position) -> "Pattern":
        """Return the pattern of a whole position."""
        return cls._of(position, position.points(), None)

    @classmethod
    def local(cls, position: Position, region: Region) -> "Pattern":
        """Return the pattern of a region; raise TengenError if it is too large or off the board."""
        points = region.points()
        if not all(position.on_board(point) for point in points):
            raise TengenError("region is not on the board")
        if len(points) > MAX_REGION_POINTS:
            raise TengenError(
                f"a region has at most {MAX_REGION_POINTS} points, got {len(points)}: "
                "search for the whole board instead"
            )
        return cls._of(position, points, region)

    @classmethod
    def _of(cls, position: Position, points: list[int], region: Region | None) -> "Pattern":
        wanted = np.full(int(POINTS), OUTSIDE, dtype=np.uint8)
        wanted[points] = [position.color(point) for point in points]
        return cls(position.rows, position.columns, position.to_play, wanted, region)

    @property
    def symmetry_tables(self) -> npt.NDArray[np.uint16]:
        """The point table of each symmetry."""
        return eight_symmetries(self.rows, self.columns)

    @cached_property
    def variants(self) -> npt.NDArray[np.uint8]:
        """The pattern under each symmetry, then the same with colors swapped."""
        mapped = np.full((SYMMETRIES, int(POINTS)), OUTSIDE, dtype=np.uint8)
        np.put_along_axis(
            mapped, self.symmetry_tables.astype(np.intp), self.wanted[None, :], axis=1
        )
        swapped = np.array([0, 2, 1, OUTSIDE], dtype=np.uint8)[mapped]
        return np.concatenate([mapped, swapped])

    @property
    def stones(self) -> int:
        """The number of stones."""
        return int(np.isin(self.wanted, (1, 2)).sum())

    @property
    def sides_to_move(self) -> npt.NDArray[np.uint8]:
        """The side to move in each variant."""
        return np.repeat(np.array([self.to_play, self.to_play.opponent], np.uint8), SYMMETRIES)

    def needed(self) -> npt.NDArray[np.uint64]:
        """Return the stones of each variant as bits (see `collect_stones`)."""
        bits = np.zeros((int(VARIANTS), int(STONE_WORDS) * 64), dtype=np.uint8)
        for color in Color:
            variant, point = np.nonzero(self.variants == color)
            bits[variant, (color - 1) * int(POINTS) + point] = 1
        return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)

    def hashes(self) -> npt.NDArray[np.uint64]:
        """Return the Zobrist hash of each variant."""
        hashes = np.zeros(int(VARIANTS), dtype=np.uint64)
        for color in Color:
            stones = np.where(self.variants == color, zobrist_keys()[color], np.uint64(0))
            hashes ^= np.bitwise_xor.reduce(stones, axis=1)
        return hashes

    def counts(self) -> npt.NDArray[np.uint64]:
        """Return the number of stones of each variant, in eight bits per variant."""
        words = _pack(np.isin(self.variants, (1, 2)).sum(axis=1))
        return words.reshape(2)

    def deltas(self) -> npt.NDArray[np.uint64]:
        """Return how each event, by its bits in CHANGE_MASK, changes the counts of differences."""
        deltas = np.zeros((int(CHANGE_MASK) + 1, 2), dtype=np.uint64)
        points = np.arange(int(POINTS))
        for color in Color:
            change = (self.variants == 0).astype(np.int64) - (self.variants == color)
            events = points | color << int(COLOR_SHIFT)
            deltas[events] = _pack(change)
            deltas[events | int(REMOVAL)] = _pack(-change)
        return deltas

    def canonical_points(self) -> npt.NDArray[np.uint16]:
        """Return the representative of each point under the symmetries of the pattern itself.

        It is the equivalent point in the highest row, and there the rightmost: where the first
        move of a game is played by convention.
        """
        own = [
            self.symmetry_tables[s]
            for s in range(SYMMETRIES)
            if (self.variants[s] == self.wanted).all()
        ]
        images = np.stack(own).astype(np.int64)
        ranks = images // STRIDE * STRIDE - images % STRIDE
        points: npt.NDArray[np.int64] = images[ranks.argmin(axis=0), np.arange(int(POINTS))]
        return points.astype(np.uint16)


def _pack(values: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Pack sixteen small numbers per column into two words; adding words adds lane by lane."""
    units = np.uint64(1) << (np.uint64(8) * np.arange(SYMMETRIES, dtype=np.uint64))
    lanes = values.astype(np.uint64).reshape(2, SYMMETRIES, -1)
    words: npt.NDArray[np.uint64] = (lanes * units[:, None]).sum(axis=1, dtype=np.uint64)
    return words.T
