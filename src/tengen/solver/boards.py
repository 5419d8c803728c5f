"""Conversion between positions and the solver's boards, and the geometry of a board size."""

from collections.abc import Iterator

import numpy as np

from tengen.board import BLACK, PASS, Ko, Position, Scoring
from tengen.solver.kernels import memory
from tengen.util import TengenError


def check_rules(position: Position) -> None:
    """Raise TengenError if the solver does not support the rules of a position."""
    rules = position.rules
    if rules.scoring is not Scoring.AREA or rules.ko is not Ko.POSITIONAL or rules.suicide:
        raise TengenError(
            "the solver requires area scoring, positional superko and no suicide: "
            "use the chinese rules"
        )


def board_of(position: Position) -> int:
    """Return the stones of a position as a board word."""
    colors = [position.color(point) for point in position.points()]
    halves = ((color != BLACK) * memory.HALF_BITS for color in colors)
    stones = zip(colors, halves, range(len(colors)), strict=True)
    return sum(1 << half + index for color, half, index in stones if color)


def boards_so_far(position: Position) -> Iterator[int]:
    """Yield the boards of the game in order; the current one is last."""
    moves = position.moves
    earlier = position.copy()
    earlier.undo(len(moves))
    yield board_of(earlier)
    for move in moves:
        earlier.play(move.move, move.color)
        yield board_of(earlier)


def move_from_kernel(position: Position, move: int) -> int:
    """Convert a kernel move to a move of the position."""
    return PASS if move == memory.PASS else position.points()[move]


class Geometry:
    """A board of rows x columns; points are numbered row by row from 0."""

    def __init__(self, rows: int, columns: int):
        """Raise TengenError if the board has too many points."""
        if rows * columns > memory.POINT_LIMIT:
            limit = memory.POINT_LIMIT
            raise TengenError(
                f"the solver supports boards of up to {limit} points, got {columns}x{rows}"
            )
        self.rows, self.columns = rows, columns
        self.points = rows * columns
        self.symmetries = self._symmetries()

    def _symmetries(self) -> list[list[int]]:
        """Return the image of every point under each symmetry; the identity is first."""
        grid = np.arange(self.points).reshape(self.rows, self.columns)
        turns = range(4) if self.rows == self.columns else (0, 2)
        images = [np.rot90(flipped, turn) for flipped in (grid, grid[:, ::-1]) for turn in turns]
        found: list[list[int]] = []
        for image in images:
            # The rotated grid maps targets to sources; argsort inverts it.
            target = np.argsort(image.ravel()).tolist()
            if target not in found:
                found.append(target)
        return found

    def inverse(self, symmetry: int) -> int:
        """Return the symmetry that undoes another."""
        back = np.argsort(self.symmetries[symmetry]).tolist()
        return self.symmetries.index(back)

    def write_to(self, record: np.void) -> None:
        """Fill a `memory.GEOMETRY` record."""
        full = (1 << self.points) - 1
        first_column = sum(1 << row * self.columns for row in range(self.rows))
        record["full"] = full
        record["not_first"] = full & ~first_column
        record["not_last"] = full & ~(first_column << (self.columns - 1))
        record["columns"] = self.columns
        record["has_width"] = min(self.rows, self.columns) > 1
        record["symmetry_count"] = len(self.symmetries)
        for symmetry in range(len(self.symmetries)):
            record["inverse"][symmetry] = self.inverse(symmetry)
            for bit in range(64):
                record["images"][bit, symmetry] = 1 << self._image(bit, symmetry)
        for point in range(self.points):
            record["priority"][point] = self.priority(point)

    def _image(self, bit: int, symmetry: int) -> int:
        """Return the image of a board bit; bits beyond the points are fixed."""
        half, point = divmod(bit, 32)
        return half * 32 + self.symmetries[symmetry][point] if point < self.points else bit

    def priority(self, point: int) -> int:
        """Return a number that is low in the corners and high in the center."""
        row, column = divmod(point, self.columns)
        return min(row, self.rows - 1 - row) + min(column, self.columns - 1 - column)

    def all_symmetries(self, board: int) -> list[int]:
        """Return the images of a board under all symmetries."""
        bits = [bit for bit in range(64) if board >> bit & 1]
        return [
            sum(1 << self._image(bit, symmetry) for bit in bits)
            for symmetry in range(len(self.symmetries))
        ]
