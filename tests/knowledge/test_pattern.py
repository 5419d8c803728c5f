"""Patterns in Pachi's notation."""

import pytest
from shape_oracle import keys_at, random_position

from tengen.board.points import parse_vertex
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.pattern import Pattern, spiral

FIGURE_9 = (
    "(0,0), (0,1), (0,-1), (1,0), (-1,0), (1,1), (-1,1), (1,-1), (-1,-1), (0,2), (0,-2), (2,0), "
    "(-2,0), (1,2), (-1,2), (1,-2), (-1,-2), (2,1), (-2,1), (2,-1), (-2,-1), (0,3), (0,-3), "
    "(2,2), (-2,2), (2,-2), (-2,-2), (3,0), (-3,0)"
)


def test_the_order_of_points_is_that_of_the_paper():
    """Paper 000, figure 9: what the number 6 stands for."""
    assert ", ".join(f"({x},{y})" for x, y in spiral(6)) == FIGURE_9


def test_a_pattern_on_the_edge():
    position = Position.from_diagram("...../.X.../.O.../...../.....")
    pattern = Pattern.around(position, parse_vertex("B5", 5, 5), 3)
    # Above lies the edge, below one's own stone.
    assert str(pattern) == "3 .#X..##.."
    assert pattern.diagram() == "# # #\n. _ .\n. X ."


def test_text_is_read_back():
    for seed in range(20):
        position = random_position(seed, 9, 7, 25)
        for point in position.legal_moves()[::7]:
            for distance in (2, 3, 6, 9, 12):
                pattern = Pattern.around(position, point, distance)
                assert Pattern.parse(str(pattern)) == pattern


@pytest.mark.parametrize(("rows", "columns"), [(9, 9), (4, 6), (19, 19), (19, 5)])
def test_a_pattern_back_on_a_board_has_the_same_keys(rows, columns):
    position = random_position(8, rows, columns, rows * columns // 2)
    for point in position.legal_moves()[::3]:
        pattern = Pattern.around(position, point, 12)
        other, there = pattern.on_board()
        assert keys_at(other, there) == keys_at(position, point)


def test_stones_of_a_pattern_are_in_no_atari():
    position, point = Pattern.parse("3 .XO..O...").on_board()
    assert keys_at(position, point, 31) == keys_at(position, point, 17)


def test_what_a_pattern_covers():
    signs = {d: "." * len(spiral(d)) for d in (2, 3, 5, 6, 9, 12)}
    covered = {d: Pattern(d, text).largest_square for d, text in signs.items()}
    assert covered == {2: 0, 3: 3, 5: 3, 6: 5, 9: 7, 12: 9}


@pytest.mark.parametrize(
    "text",
    ["", "3", "3 ....", "3 X........", "3 .?.......", "99 .", "0 .", "x ..", "-3 ...", "9" * 5000],
)
def test_nonsense_is_refused(text):
    with pytest.raises(TengenError):
        Pattern.parse(text)


def test_edges_that_fit_no_board_are_refused():
    with pytest.raises(TengenError, match="no board"):
        Pattern.parse("3 .....#...").on_board()
