"""Patterns as text: in Pachi's notation, and as small diagrams.

Pachi stores a pattern as a number and a row of signs, `3 .XO..O...`: the number is the largest
distance |x| + |y| + max(|x|, |y|) from the centre, the signs follow the points in the order of
paper 000, figure 9, nearest first. `X` is a stone of the side to move, `O` one of the opponent, `.`
an empty point, `#` beyond the edge.
"""

import functools
from dataclasses import dataclass

from tengen.board.kernels.block import new_block
from tengen.board.kernels.layout import (
    COLOUR,
    HEAD,
    LIBERTIES,
    LIBERTY_SQUARES,
    LIBERTY_SUM,
    NEXT,
    STONES,
)
from tengen.board.points import MAX_SIZE, column_of, point_at, row_of
from tengen.board.position import Block, Position
from tengen.core.errors import TengenError
from tengen.knowledge.kernels.shape_keys import SIDE

EMPTY_SIGN, OWN_SIGN, ENEMY_SIGN, EDGE_SIGN = ".XO#"
FARTHEST = 12
"""The distance of the corners of a 9x9 square."""
LONGEST_NUMBER = 4
"""Digits of a distance that is looked at: Python refuses thousands of them in its own words."""


@functools.cache
def spiral(distance: int) -> tuple[tuple[int, int], ...]:
    """Return the offsets (x right, y up) up to a distance, in Pachi's order."""
    offsets = [(0, 0)]
    for ring in range(2, distance + 1):
        for x in range(ring + 1):
            for y in range(ring + 1):
                if x + y + max(x, y) == ring:
                    around = [(x, y), (-x, y), (x, -y), (-x, -y)]
                    offsets += dict.fromkeys(around)
    return tuple(offsets)


@dataclass(frozen=True)
class Pattern:
    """The points around an empty point, up to a distance, seen from the side to move."""

    distance: int
    signs: str

    def __post_init__(self) -> None:
        if not 2 <= self.distance <= FARTHEST:
            raise TengenError(f"a pattern's distance is from 2 to {FARTHEST}, not {self.distance}")
        wanted = len(spiral(self.distance))
        if len(self.signs) != wanted or not set(self.signs) <= set(".XO#"):
            raise TengenError(f"a pattern of distance {self.distance} has {wanted} signs of .XO#")
        if self.signs[0] != EMPTY_SIGN:
            raise TengenError("the middle of a pattern is empty: the first sign is a point")

    @classmethod
    def around(cls, position: Position, point: int, distance: int) -> "Pattern":
        """Return the pattern around a point, seen from the side to move."""
        own = int(position.to_play)

        def sign(x: int, y: int) -> str:
            row, column = row_of(point) - y, column_of(point) + x
            if not (0 <= row < position.rows and 0 <= column < position.columns):
                return EDGE_SIGN
            here = position.colour(point_at(row, column))
            return (OWN_SIGN if here == own else ENEMY_SIGN) if here else EMPTY_SIGN

        return cls(distance, "".join(sign(x, y) for x, y in spiral(distance)))

    @classmethod
    def parse(cls, text: str) -> "Pattern":
        """Read Pachi's notation; raise TengenError if it makes no sense."""
        number, _, signs = text.strip().partition(" ")
        if not number.isdecimal() or len(number) > LONGEST_NUMBER:
            raise TengenError(f"a pattern is written like 3 .XO..O..., not {text[:40]!r}")
        return cls(int(number), signs.strip())

    def __str__(self) -> str:
        return f"{self.distance} {self.signs}"

    @property
    def largest_square(self) -> int:
        """The side of the largest square that is known as a whole; 0 if not even 3x3 is."""
        side = 2 * (self.distance // 3) + 1
        return min(side, SIDE) if side > 1 else 0

    def diagram(self) -> str:
        """Return the points as they lie on the board, the middle as an underscore."""
        signs = dict(zip(spiral(self.distance), self.signs, strict=True))
        signs[0, 0] = "_"
        reach = max(x for x, _ in signs)
        across = range(-reach, reach + 1)
        rows = [" ".join(signs.get((x, y), " ") for x in across) for y in reversed(across)]
        return "\n".join(row.rstrip() for row in rows)

    def on_board(self) -> tuple[Position, int]:
        """Return a board with this pattern on it, Black to move, and its point.

        The stones are there for their colours only: each stands alone and in no atari, whatever
        lies around it. Raise TengenError if the edges fit no board.
        """
        signs = dict(zip(spiral(self.distance), self.signs, strict=True))
        row, rows = _middle(_edge(signs, 0, 1), _edge(signs, 0, -1))
        column, columns = _middle(_edge(signs, -1, 0), _edge(signs, 1, 0))
        block = new_block(rows, columns)
        for (x, y), sign in signs.items():
            if sign in (OWN_SIGN, ENEMY_SIGN) and 0 <= row - y < rows and 0 <= column + x < columns:
                _put(block, point_at(row - y, column + x), 1 if sign == OWN_SIGN else 2)
        position, point = Position.from_block(block), point_at(row, column)
        if Pattern.around(position, point, self.distance) != self:
            raise TengenError(f"the edges of the pattern {self} fit no board")
        return position, point


def _put(block: Block, point: int, colour: int) -> None:
    """Put a stone as a chain of its own with two liberties, where it does not matter."""
    cells = {COLOUR: colour, HEAD: point, NEXT: point, STONES: 1}
    somewhere = {LIBERTIES: 2, LIBERTY_SUM: 1 + 2, LIBERTY_SQUARES: 1 + 4}
    for field, value in {**cells, **somewhere}.items():
        block[int(field) + point] = value


def _edge(signs: dict[tuple[int, int], str], x: int, y: int) -> int | None:
    """Return how far the edge is in a direction, None if the pattern does not reach it."""
    reach = max(x for x, _ in signs)
    steps = range(1, reach + 1)
    return next((n for n in steps if signs.get((n * x, n * y)) == EDGE_SIGN), None)


def _middle(before: int | None, behind: int | None) -> tuple[int, int]:
    """Return place and length of a line of the board with edges so far before and behind."""
    if before is not None and behind is not None:
        return before - 1, before + behind - 1
    if behind is not None:
        return MAX_SIZE - behind, MAX_SIZE
    return (before - 1 if before is not None else MAX_SIZE // 2), MAX_SIZE
