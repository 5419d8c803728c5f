"""Pattern keys against patterns as text."""

import numpy as np
import pytest
from shape_oracle import ALL_MARKS, keys_at, keys_of_board, random_position, square

from tengen.board import BLACK, WHITE, Position, parse_vertex, symmetries

pytestmark = pytest.mark.kernels

BOARDS = [(9, 9, 30), (9, 9, 60), (5, 5, 12), (7, 11, 40), (19, 19, 120), (2, 3, 2)]


@pytest.mark.parametrize("marks", [0, 1, 3, 5, 9, 17, ALL_MARKS])
def test_equal_patterns_have_equal_keys(marks):
    texts: list[dict[int, str]] = [{}, {}, {}, {}]
    for seed, (rows, columns, moves) in enumerate(BOARDS):
        position = random_position(seed, rows, columns, moves)
        for point, keys in keys_of_board(position, marks).items():
            for ring, key in enumerate(keys):
                text = square(position, point, ring, marks)
                assert texts[ring].setdefault(key, text) == text
    for known in texts:
        assert len(set(known.values())) == len(known), "one pattern, two keys"
        assert len(known) > 30


@pytest.mark.parametrize(("rows", "columns", "moves"), BOARDS)
def test_point_keys_match_whole_board_keys(rows, columns, moves):
    position = random_position(3, rows, columns, moves)
    for point, keys in keys_of_board(position, ALL_MARKS).items():
        assert keys_at(position, point, ALL_MARKS) == keys


def _seen_otherwise(position: Position, symmetry: int, swap: bool) -> tuple[Position, np.ndarray]:
    table = symmetries(position.rows, position.columns)[symmetry]
    other = Position(position.rows, position.columns)
    other.to_play = position.moves[0].color.opponent if swap else position.moves[0].color
    for move in position.moves:
        other.play(int(table[move.move]), move.color.opponent if swap else move.color)
    return other, table


@pytest.mark.parametrize("symmetry", range(8))
@pytest.mark.parametrize("swap", [False, True])
def test_keys_are_invariant_under_symmetry_and_color_swap(symmetry, swap):
    position = random_position(symmetry + 10)
    other, table = _seen_otherwise(position, symmetry, swap)
    for point, keys in keys_of_board(position, ALL_MARKS).items():
        assert keys_at(other, int(table[point]), ALL_MARKS) == keys


def test_views_differ_without_symmetry():
    position = Position(19)
    position.play(parse_vertex("K11", 19, 19))
    above, below = (parse_vertex(v, 19, 19) for v in ("K12", "K10"))
    assert keys_at(position, above, 1) == keys_at(position, below, 1)
    assert keys_at(position, above, 0)[0] != keys_at(position, below, 0)[0]


def test_edges_within_the_square_change_the_key():
    position = Position(19)
    center = keys_at(position, parse_vertex("K10", 19, 19))
    for line in range(1, 6):
        keys = keys_at(position, parse_vertex(f"K{line}", 19, 19))
        for ring in range(4):
            assert (keys[ring] == center[ring]) == (ring + 1 < line)


def test_corner_differs_from_separate_edges():
    position = Position(9)
    corner, side = (keys_at(position, parse_vertex(v, 9, 9)) for v in ("A1", "A5"))
    assert corner[0] != side[0]


def test_ko_capture_mark():
    position = Position.from_diagram(".XO../X.XO./.XO../...../.....", WHITE)
    ko = parse_vertex("B4", 5, 5)
    assert keys_at(position, ko, 5) != keys_at(position, ko, 1)
    plain = Position.from_diagram(".XO../..XO./.XO../...../.....", WHITE)
    assert keys_at(plain, ko, 5) == keys_at(plain, ko, 1)


def test_small_board_mark():
    small, large = Position(9), Position(19)
    centers = parse_vertex("E5", 9, 9), parse_vertex("K10", 19, 19)
    assert keys_at(small, centers[0], 1) == keys_at(large, centers[1], 1)
    seen_small, seen_large = keys_at(small, centers[0], 17), keys_at(large, centers[1], 17)
    assert seen_small[:3] == seen_large[:3]
    assert seen_small[3] != seen_large[3]


def test_the_side_to_move_matters():
    position = random_position(5)
    point = position.legal_moves()[0]
    before = keys_at(position, point)
    position.to_play = BLACK if position.to_play == WHITE else WHITE
    assert keys_at(position, point)[3] != before[3]
