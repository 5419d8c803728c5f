"""Tests of eyes, ladders, unconditional life and area."""

import numpy as np
import pytest

from tengen.board import BLACK, WHITE, Position, parse_vertex, point_at
from tengen.board.kernels import layout
from tengen.board.kernels.area import area_owners, finished_area, unconditional_life
from tengen.board.kernels.ladder import is_ladder_captured, new_ladder_boards
from tengen.board.kernels.tactics import is_eye, is_suicide

pytestmark = pytest.mark.kernels

FIELD = int(layout.POINTS)


def point(position, vertex):
    return np.uintp(parse_vertex(vertex, position.rows, position.columns))


def captured_in_ladder(position, vertex, mover):
    boards = new_ladder_boards()
    return bool(
        is_ladder_captured(position.block, point(position, vertex), np.uintp(mover), boards)
    )


def ladder_board(extra=()):
    """Return a white stone at D4 that Black can chase to the upper right corner."""
    position = Position(9)
    stones = {"C4": BLACK, "D3": BLACK, "E3": BLACK, "D4": WHITE, "C5": BLACK}
    stones.update(extra)
    position.setup([(parse_vertex(vertex, 9, 9), color) for vertex, color in stones.items()], BLACK)
    return position


def test_ladder_with_and_without_breaker():
    position = ladder_board()
    assert captured_in_ladder(position, "D4", BLACK)
    assert not captured_in_ladder(position, "D4", WHITE), "two liberties and the move: no ladder"
    assert not captured_in_ladder(ladder_board({"G7": WHITE}), "D4", BLACK)
    assert captured_in_ladder(ladder_board({"B8": WHITE}), "D4", BLACK), "a stone off the path"


def test_chain_in_atari_is_captured_by_the_attacker():
    position = Position.from_diagram("OX./.../...", BLACK)
    assert captured_in_ladder(position, "A3", BLACK)


def test_capturing_an_attacker_escapes():
    """White D4 is in atari: it escapes only if helper stones allow the capture of C5."""
    chased = {"D5": BLACK}
    helpers = {"B5": WHITE, "C6": WHITE}
    position = ladder_board(chased)
    assert captured_in_ladder(position, "D4", WHITE)
    assert not captured_in_ladder(ladder_board(chased | helpers | {"D6": WHITE}), "D4", WHITE)


def test_ladder_reading_leaves_board_unchanged():
    position = ladder_board()
    before = position.block.copy()
    captured_in_ladder(position, "D4", BLACK)
    assert np.array_equal(position.block, before)


@pytest.mark.parametrize(
    ("text", "eye", "expected"),
    [
        (".X./XX./...", (0, 0), True),
        (".X./X../...", (0, 0), True),  # nothing hostile on the diagonal
        (".X./XO./...", (0, 0), False),  # in the corner one hostile diagonal makes it false
        ("XXX./X.X./XXO./....", (1, 1), True),  # in the middle one is harmless
        ("XXO./X.X./XXO./....", (1, 1), False),
        ("XXX./X.../XXX./....", (1, 1), False),  # open to one side
    ],
)
def test_eyes(text, eye, expected):
    position = Position.from_diagram(text)
    assert bool(is_eye(position.block, np.uintp(point_at(*eye)), layout.BLACK)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".X./X../...", True),
        (".XO/XO./O..", False),  # takes both black stones
        (".O./X../...", False),  # joins a chain with liberties
    ],
)
def test_suicide_of_white_in_the_corner(text, expected):
    position = Position.from_diagram(text)
    assert bool(is_suicide(position.block, np.uintp(point_at(0, 0)), layout.WHITE)) is expected


def alive(text, color):
    position = Position.from_diagram(text)
    owned = np.zeros(FIELD, dtype=np.uint8)
    count = int(unconditional_life(position.block, np.uintp(color), owned))
    assert count == int(owned.sum())
    rows = [[owned[point_at(r, c)] for c in range(position.columns)] for r in range(position.rows)]
    return "/".join("".join("#" if cell else "." for cell in row) for row in rows)


@pytest.mark.parametrize(
    ("text", "color", "expected"),
    [
        (".X.X./XXXXX/...../.....", BLACK, "#####/#####/...../....."),  # two eyes
        (".XXXX/XXXXX/...../.....", BLACK, "...../...../...../....."),  # one is not enough
        (".X.XO/XXXXO/...../.....", BLACK, "####./####./...../....."),
        (".XO.X/XXXXX/...../.....", BLACK, "#####/#####/...../....."),  # a dead stone inside
        (".X.XO/XXXXO/OOOOO/.O.O.", BLACK, "####./####./...../....."),
        (".X.XO/XXXXO/OOOOO/.O.O.", WHITE, "....#/....#/#####/#####"),
        (".XO../X.XO./.XXO./XXO..", BLACK, "##.../###../###../##..."),  # chains share two eyes
        ("X.XOO/.XOO./XO.../O....", BLACK, "...../...../...../....."),  # one of the eyes is false
    ],
)
def test_unconditional_life(text, color, expected):
    assert alive(text, color) == expected


def area(text):
    position = Position.from_diagram(text)
    owners = np.zeros(FIELD, dtype=np.uint8)
    return int(area_owners(position.block, owners)), owners


@pytest.mark.parametrize(
    ("text", "balance"),
    [
        ("...", 0),
        (".X.", 3),
        ("X.O", 0),
        ("XX./XX./...", 9),
        ("XX.O/XX.O/.X.O", 6 - 3),
        (".X.O./XX.OO/.X.O.", 0),
    ],
)
def test_area(text, balance):
    assert area(text)[0] == balance


def test_finished_area_matches_full_count():
    text = ".X.XO/XXXXO/OOOOO/.O.O."
    position = Position.from_diagram(text)
    assert int(finished_area(position.block)) == area(text)[0]
