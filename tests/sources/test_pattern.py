"""Patterns in Pachi's notation."""

import pytest
from shape_oracle import keys_at, random_position

from tengen.board import Position, parse_vertex
from tengen.sources import ShapePattern
from tengen.sources.pattern import spiral
from tengen.util import TengenError

FIGURE_9 = (
    "(0,0), (0,1), (0,-1), (1,0), (-1,0), (1,1), (-1,1), (1,-1), (-1,-1), (0,2), (0,-2), (2,0), "
    "(-2,0), (1,2), (-1,2), (1,-2), (-1,-2), (2,1), (-2,1), (2,-1), (-2,-1), (0,3), (0,-3), "
    "(2,2), (-2,2), (2,-2), (-2,-2), (3,0), (-3,0)"
)


def test_spiral_order_matches_the_paper():
    """Paper 000, figure 9: distance 6."""
    assert ", ".join(f"({x},{y})" for x, y in spiral(6)) == FIGURE_9


def test_pattern_at_the_edge():
    position = Position.from_diagram("...../.X.../.O.../...../.....")
    pattern = ShapePattern.around(position, parse_vertex("B5", 5, 5), 3)
    # The edge is above, an own stone below.
    assert str(pattern) == "3 .#X..##.."
    assert pattern.diagram() == "# # #\n. _ .\n. X ."


def test_text_round_trip():
    for seed in range(20):
        position = random_position(seed, 9, 7, 25)
        for point in position.legal_moves()[::7]:
            for distance in (2, 3, 6, 9, 12):
                pattern = ShapePattern.around(position, point, distance)
                assert ShapePattern.parse(str(pattern)) == pattern


@pytest.mark.parametrize(("rows", "columns"), [(9, 9), (4, 6), (19, 19), (19, 5)])
def test_on_board_keeps_the_keys(rows, columns):
    position = random_position(8, rows, columns, rows * columns // 2)
    for point in position.legal_moves()[::3]:
        pattern = ShapePattern.around(position, point, 12)
        other, there = pattern.on_board()
        assert keys_at(other, there) == keys_at(position, point)


def test_on_board_stones_are_not_in_atari():
    position, point = ShapePattern.parse("3 .XO..O...").on_board()
    assert keys_at(position, point, 31) == keys_at(position, point, 17)


def test_largest_square():
    signs = {d: "." * len(spiral(d)) for d in (2, 3, 5, 6, 9, 12)}
    covered = {d: ShapePattern(d, text).largest_square for d, text in signs.items()}
    assert covered == {2: 0, 3: 3, 5: 3, 6: 5, 9: 7, 12: 9}


@pytest.mark.parametrize(
    "text",
    ["", "3", "3 ....", "3 X........", "3 .?.......", "99 .", "0 .", "x ..", "-3 ...", "9" * 5000],
)
def test_rejects_invalid_text(text):
    with pytest.raises(TengenError):
        ShapePattern.parse(text)


def test_rejects_impossible_edges():
    with pytest.raises(TengenError, match="no board"):
        ShapePattern.parse("3 .....#...").on_board()
