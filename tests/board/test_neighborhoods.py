"""Tests of neighborhood codes against the stones on the board."""

import random

import numpy as np
import pytest

from tengen.board import BLACK, WHITE, Position, Rules
from tengen.board.kernels import layout
from tengen.board.kernels.tactics import (
    ADJACENT,
    DIAGONAL,
    empty_adjacent,
    find_liberties,
    has_multiple_bits,
    has_stones_around,
    is_enclosed,
    is_eye,
    stones_around,
    two_liberties,
    walls_around,
)

pytestmark = pytest.mark.kernels

WALL = int(layout.WALL)
SIZES = [(1, 1), (1, 5), (2, 2), (4, 3), (5, 5), (9, 9), (19, 19)]


def random_positions(size, games=2, moves=150):
    """Yield positions of random games with many captures, including suicide."""
    chance = random.Random(str(size))
    for _ in range(games):
        position = Position(*size, rules=Rules(suicide=True))
        for number in range(moves):
            legal = position.legal_moves()
            if not legal:
                break
            position.play(chance.choice(legal))
            if number % 7 == 0:
                yield position


def colors_at(position, point, offsets):
    """Return the colors at offsets from a point, read from the board."""
    places = [(point + int(offset)) % 2**64 for offset in offsets]
    return [int(position.block[int(layout.COLOR) + place]) for place in places]


LINES = (layout.UP, layout.LEFT, layout.RIGHT, layout.DOWN)


@pytest.mark.parametrize("size", SIZES)
def test_code_is_updated_by_captures(size):
    for position in random_positions(size):
        for point in position.points():
            cells = colors_at(position, point, layout.NEIGHBORS)
            code = sum(cell << (2 * place) for place, cell in enumerate(cells))
            assert position.block[layout.NEIGHBORHOOD + np.uintp(point)] == code
            assert has_stones_around(np.uintp(code)) == any(cell in (1, 2) for cell in cells)
            if not position.color(point):
                assert position.block[layout.HEAD + np.uintp(point)] == layout.NOWHERE


@pytest.mark.parametrize("size", SIZES)
def test_code_queries(size):
    for position in random_positions(size, games=1, moves=60):
        for point in position.points():
            code = np.uintp(position.block[layout.NEIGHBORHOOD + np.uintp(point)])
            adjacent = colors_at(position, point, LINES)
            across = colors_at(position, point, layout.DIAGONALS)
            assert int(empty_adjacent(code)).bit_count() == adjacent.count(0)
            assert bool(has_multiple_bits(empty_adjacent(code))) == (adjacent.count(0) > 1)
            assert int(walls_around(code, DIAGONAL)).bit_count() == across.count(WALL)
            for color in (BLACK, WHITE):
                stones = stones_around(code, np.uintp(color), ADJACENT)
                assert int(stones).bit_count() == adjacent.count(color)
                stones = stones_around(code, np.uintp(color), DIAGONAL)
                assert int(stones).bit_count() == across.count(color)
                closed = adjacent.count(color) + adjacent.count(WALL) == 4
                assert bool(is_enclosed(code, np.uintp(color))) == closed


@pytest.mark.parametrize("size", SIZES)
def test_eyes(size):
    """Adjacent points are own or wall; one enemy diagonal is allowed, none at the edge."""
    for position in random_positions(size):
        for point in position.points():
            if position.color(point):
                continue
            adjacent = colors_at(position, point, LINES)
            across = colors_at(position, point, layout.DIAGONALS)
            for color in (BLACK, WHITE):
                closed = all(cell in (color, WALL) for cell in adjacent)
                against = across.count(color.opponent) + (WALL in across)
                ours = is_eye(position.block, np.uintp(point), np.uintp(color))
                assert bool(ours) == (closed and against < 2)


@pytest.mark.parametrize("size", SIZES)
def test_chains_with_two_liberties(size):
    """The liberty counters rule out exactly the chains with more liberties."""
    points = np.zeros(4, dtype=np.uint32)
    for position in random_positions(size):
        for stone in filter(position.color, position.points()):
            count = int(find_liberties(position.block, np.uintp(stone), np.uintp(3), points))
            found = [int(number) for number in two_liberties(position.block, np.uintp(stone))]
            assert found[0] == count
            if count == 2:
                assert set(found[1:]) == set(points[:2].tolist())
