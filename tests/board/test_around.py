"""What the board remembers of each point's neighbours, against a look at the stones."""

import random

import numpy as np
import pytest

from tengen.board.colour import BLACK, WHITE
from tengen.board.kernels import layout
from tengen.board.kernels.around import (
    BESIDE,
    DIAGONAL,
    empty_beside,
    has_several,
    is_enclosed,
    stones_around,
    walls_around,
)
from tengen.board.kernels.tactics import is_eye
from tengen.board.position import Position
from tengen.board.rules import Rules

pytestmark = pytest.mark.kernels

WALL = int(layout.WALL)
SIZES = [(1, 1), (1, 5), (2, 2), (4, 3), (5, 5), (9, 9), (19, 19)]


def random_positions(size, games=2, moves=150):
    """Yield positions of random games with many captures, suicides among them."""
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


def seen(position, point, offsets):
    """Return what lies at the offsets from a point, off the stones themselves."""
    places = [(point + int(offset)) % 2**64 for offset in offsets]
    return [int(position.block[int(layout.COLOUR) + place]) for place in places]


LINES = (layout.UP, layout.LEFT, layout.RIGHT, layout.DOWN)


@pytest.mark.parametrize("size", SIZES)
def test_the_code_is_kept_through_captures(size):
    for position in random_positions(size):
        for point in position.points():
            cells = seen(position, point, layout.NEIGHBOURS)
            code = sum(cell << (2 * place) for place, cell in enumerate(cells))
            assert position.block[layout.AROUND + np.uintp(point)] == code
            if not position.colour(point):
                assert position.block[layout.HEAD + np.uintp(point)] == layout.NOWHERE


@pytest.mark.parametrize("size", SIZES)
def test_questions_to_the_code(size):
    for position in random_positions(size, games=1, moves=60):
        for point in position.points():
            code = np.uintp(position.block[layout.AROUND + np.uintp(point)])
            beside = seen(position, point, LINES)
            across = seen(position, point, layout.DIAGONALS)
            assert int(empty_beside(code)).bit_count() == beside.count(0)
            assert bool(has_several(empty_beside(code))) == (beside.count(0) > 1)
            assert int(walls_around(code, DIAGONAL)).bit_count() == across.count(WALL)
            for colour in (BLACK, WHITE):
                stones = stones_around(code, np.uintp(colour), BESIDE)
                assert int(stones).bit_count() == beside.count(colour)
                stones = stones_around(code, np.uintp(colour), DIAGONAL)
                assert int(stones).bit_count() == across.count(colour)
                closed = beside.count(colour) + beside.count(WALL) == 4
                assert bool(is_enclosed(code, np.uintp(colour))) == closed


@pytest.mark.parametrize("size", SIZES)
def test_eyes(size):
    """All lines one's own or wall; one enemy across is allowed, but none at the edge."""
    for position in random_positions(size):
        for point in position.points():
            if position.colour(point):
                continue
            beside = seen(position, point, LINES)
            across = seen(position, point, layout.DIAGONALS)
            for colour in (BLACK, WHITE):
                closed = all(cell in (colour, WALL) for cell in beside)
                against = across.count(colour.opponent) + (WALL in across)
                ours = is_eye(position.block, np.uintp(point), np.uintp(colour))
                assert bool(ours) == (closed and against < 2)
