"""Patterns as text: Pachi's notation and diagrams.

Pachi writes a pattern as a number and a row of symbols, `3 .XO..O...`. The number is the largest
distance |x| + |y| + max(|x|, |y|) from the center; the symbols follow the points in the order of
paper 000, figure 9, nearest first. `X` is a stone of the side to move, `O` a stone of the opponent,
`.` an empty point, `#` a point beyond the edge.
"""

import functools
from dataclasses import dataclass

from tengen.board import MAX_SIZE, Block, Position, column_of, point_at, row_of
from tengen.board.kernels.block import new_block
from tengen.board.kernels.layout import (
    COLOR,
    HEAD,
    LIBERTIES,
    LIBERTY_SQUARES,
    LIBERTY_SUM,
    NEXT,
    STONES,
)
from tengen.sources.kernels.shape_keys import SIDE
from tengen.util import TengenError

EMPTY_SYMBOL, OWN_SYMBOL, ENEMY_SYMBOL, EDGE_SYMBOL = ".XO#"
FARTHEST = 12
"""Distance of the corners of a 9x9 square."""
LONGEST_NUMBER = 4
"""Digits of a distance; longer numbers are rejected before Python parses them."""


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
class ShapePattern:
    """The points around an empty point up to a distance, from the side to move's point of view."""

    distance: int
    symbols: str

    def __post_init__(self) -> None:
        if not 2 <= self.distance <= FARTHEST:
            raise TengenError(f"pattern distance must be 2 to {FARTHEST}, got {self.distance}")
        wanted = len(spiral(self.distance))
        if len(self.symbols) != wanted or not set(self.symbols) <= set(".XO#"):
            raise TengenError(
                f"a pattern of distance {self.distance} needs {wanted} symbols of .XO#"
            )
        if self.symbols[0] != EMPTY_SYMBOL:
            raise TengenError("the center of a pattern must be empty: start with '.'")

    @classmethod
    def around(cls, position: Position, point: int, distance: int) -> "ShapePattern":
        """Return the pattern around a point, from the side to move's point of view."""
        own = int(position.to_play)

        def symbol(x: int, y: int) -> str:
            row, column = row_of(point) - y, column_of(point) + x
            if not (0 <= row < position.rows and 0 <= column < position.columns):
                return EDGE_SYMBOL
            here = position.color(point_at(row, column))
            return (OWN_SYMBOL if here == own else ENEMY_SYMBOL) if here else EMPTY_SYMBOL

        return cls(distance, "".join(symbol(x, y) for x, y in spiral(distance)))

    @classmethod
    def parse(cls, text: str) -> "ShapePattern":
        """Parse Pachi's notation; raise TengenError if it is invalid."""
        number, _, symbols = text.strip().partition(" ")
        if not number.isdecimal() or len(number) > LONGEST_NUMBER:
            raise TengenError(f"a pattern looks like '3 .XO..O...', got {text[:40]!r}")
        return cls(int(number), symbols.strip())

    def __str__(self) -> str:
        return f"{self.distance} {self.symbols}"

    @property
    def largest_square(self) -> int:
        """Side of the largest square the pattern covers completely; 0 if smaller than 3x3."""
        side = 2 * (self.distance // 3) + 1
        return min(side, SIDE) if side > 1 else 0

    def diagram(self) -> str:
        """Return the points as a diagram with an underscore at the center."""
        symbols = dict(zip(spiral(self.distance), self.symbols, strict=True))
        symbols[0, 0] = "_"
        reach = max(x for x, _ in symbols)
        across = range(-reach, reach + 1)
        rows = [" ".join(symbols.get((x, y), " ") for x in across) for y in reversed(across)]
        return "\n".join(row.rstrip() for row in rows)

    def on_board(self) -> tuple[Position, int]:
        """Return a board with this pattern, Black to move, and the center of the pattern.

        Every stone is its own chain and not in atari, whatever surrounds it. Raise TengenError if
        no board has these edges.
        """
        symbols = dict(zip(spiral(self.distance), self.symbols, strict=True))
        row, rows = _middle(_edge(symbols, 0, 1), _edge(symbols, 0, -1))
        column, columns = _middle(_edge(symbols, -1, 0), _edge(symbols, 1, 0))
        block = new_block(rows, columns)
        for (x, y), symbol in symbols.items():
            if (
                symbol in (OWN_SYMBOL, ENEMY_SYMBOL)
                and 0 <= row - y < rows
                and 0 <= column + x < columns
            ):
                _put(block, point_at(row - y, column + x), 1 if symbol == OWN_SYMBOL else 2)
        position, point = Position.from_block(block), point_at(row, column)
        if ShapePattern.around(position, point, self.distance) != self:
            raise TengenError(f"no board has the edges of pattern {self}")
        return position, point


def _put(block: Block, point: int, color: int) -> None:
    """Place a stone as a separate chain with two arbitrary liberties."""
    cells = {COLOR: color, HEAD: point, NEXT: point, STONES: 1}
    somewhere = {LIBERTIES: 2, LIBERTY_SUM: 1 + 2, LIBERTY_SQUARES: 1 + 4}
    for field, value in {**cells, **somewhere}.items():
        block[int(field) + point] = value


def _edge(symbols: dict[tuple[int, int], str], x: int, y: int) -> int | None:
    """Return the distance of the edge in a direction, None if the pattern does not reach it."""
    reach = max(x for x, _ in symbols)
    steps = range(1, reach + 1)
    return next((n for n in steps if symbols.get((n * x, n * y)) == EDGE_SYMBOL), None)


def _middle(before: int | None, after: int | None) -> tuple[int, int]:
    """Return the index of the center and the length of a line with these edge distances."""
    if before is not None and after is not None:
        return before - 1, before + after - 1
    if after is not None:
        return MAX_SIZE - after, MAX_SIZE
    return (before - 1 if before is not None else MAX_SIZE // 2), MAX_SIZE
