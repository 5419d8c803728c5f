"""Tests of `Position`: ko, superko, captures, suicide, setup, undo, symmetry."""

import random

import numpy as np
import pytest

from tengen.board import (
    BLACK,
    PASS,
    WHITE,
    Color,
    IllegalMoveError,
    Ko,
    Move,
    Position,
    Rules,
    column_of,
    parse_vertex,
    point_at,
    row_of,
    rules_named,
)
from tengen.board.kernels import layout
from tengen.board.kernels.area import area_owners
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


def at(position, vertex):
    return parse_vertex(vertex, position.rows, position.columns)


def play(position, *vertices):
    for vertex in vertices:
        position.play(at(position, vertex))


KO_SHAPE = """
    . X O .
    X . X O
    . X O .
    . . . .
"""


@pytest.mark.parametrize("ko", list(Ko))
def test_ko_forbids_immediate_recapture(ko):
    position = Position.from_diagram(KO_SHAPE, WHITE, Rules(ko=ko))
    play(position, "B3")
    assert position.prisoners(BLACK) == 1
    assert not position.is_legal(at(position, "C3"))
    play(position, "A1", "D1")
    assert position.is_legal(at(position, "C3"))


def test_ko_restricts_one_side():
    position = Position.from_diagram(KO_SHAPE, WHITE, Rules(ko=Ko.SIMPLE))
    play(position, "B3")
    assert position.is_legal(at(position, "C3"), WHITE)
    position.play(at(position, "C3"), WHITE)


@pytest.mark.parametrize(("ko", "legal"), [(Ko.SIMPLE, True), (Ko.POSITIONAL, False)])
def test_superko_forbids_longer_cycles(ko, legal):
    """On 2x2, capturing three stones repeats the position after the first move."""
    position = Position(2, rules=Rules(ko=ko))
    play(position, "A1", "B2", "A2", "B1", "A1", "A2")
    assert position.prisoners(BLACK) == 3
    assert position.is_legal(at(position, "A1")) is legal


def test_situational_superko_considers_the_side_to_move():
    """A pass gives the same stones with the other side to move."""
    shape = ".X/X."
    positional = Position.from_diagram(shape, WHITE, Rules(ko=Ko.POSITIONAL, suicide=True))
    situational = Position.from_diagram(shape, WHITE, Rules(ko=Ko.SITUATIONAL, suicide=True))
    suicide = point_at(0, 0)
    assert not positional.is_legal(suicide)
    assert situational.is_legal(suicide)
    situational.play(suicide)
    assert situational.diagram() == ".X\nX."
    situational.play(PASS)
    assert not situational.is_legal(suicide)


def test_snapback():
    position = Position.from_diagram("..OX/OOOX/XXXX/....", BLACK)
    play(position, "B4", "A4")
    assert position.prisoners(BLACK) == 1
    assert position.is_legal(at(position, "B4")), "a snapback is not a ko"
    play(position, "B4")
    assert position.prisoners(WHITE) == 5


def test_multi_stone_suicide():
    shape, suicide = "X.O/OOO/...", point_at(0, 1)
    assert not Position.from_diagram(shape, BLACK).is_legal(suicide)
    position = Position.from_diagram(shape, BLACK, Rules(suicide=True))
    position.play(suicide)
    assert position.diagram() == "..O\nOOO\n..."
    assert position.prisoners(BLACK) == 2


def test_illegal_move_leaves_position_unchanged():
    position = Position(5)
    play(position, "C3")
    before = position.block.copy()
    with pytest.raises(IllegalMoveError, match="illegal move W C3"):
        play(position, "C3")
    assert np.array_equal(position.block, before)
    with pytest.raises(TengenError, match="cannot undo"):
        position.undo(2)
    assert np.array_equal(position.block, before)


def test_illegal_move_out_of_turn_keeps_the_ko():
    position = Position.from_diagram(KO_SHAPE, WHITE, Rules(ko=Ko.SIMPLE))
    play(position, "B3")
    with pytest.raises(IllegalMoveError, match="illegal move W D3"):
        position.play(at(position, "D3"), WHITE)
    assert position.to_play is BLACK
    assert not position.is_legal(at(position, "C3"))


def test_changing_the_side_to_move_clears_the_ko():
    position = Position.from_diagram(KO_SHAPE, WHITE, Rules(ko=Ko.SIMPLE))
    play(position, "B3")
    position.to_play = WHITE
    assert at(position, "C3") in position.legal_moves()


def test_side_to_move_set_at_the_start_survives_undo():
    position = Position(5, rules=Rules(ko=Ko.SITUATIONAL))
    twin = position.copy()
    position.to_play = WHITE
    play(position, "C3")
    position.undo()
    assert (position.to_play, twin.to_play) == (WHITE, BLACK)
    assert position.moves_since(twin) is None


@pytest.mark.parametrize("number", [-1, 5, 424, 10**6])
def test_rejects_moves_outside_the_board(number):
    position = Position(5)
    before = position.block.copy()
    with pytest.raises(IllegalMoveError, match="not a point of this board"):
        position.play(number)
    assert np.array_equal(position.block, before)


def test_chain_outside_the_board_is_empty():
    position = Position(5)
    right_of_the_board = at(position, "E3") + 1
    assert position.chain(right_of_the_board) == []


def test_position_from_block_keeps_the_last_move():
    position = Position(5)
    assert Position.from_block(position.block).last_move is None
    play(position, "C3")
    assert Position.from_block(position.block).last_move == at(position, "C3")
    position.play(PASS)
    assert Position.from_block(position.block).last_move == PASS


def test_sequence_stops_at_first_illegal_move():
    position = Position(3)
    center = point_at(1, 1)
    played = position.play_sequence([Move(BLACK, center), Move(WHITE, center), Move(BLACK, PASS)])
    assert played == 1
    assert position.to_play is WHITE
    assert len(position.moves) == 1


@pytest.mark.parametrize("number", [-1, 430, 500, 10**8, 2**40])
def test_sequence_stops_at_invalid_point(number):
    position = Position(9)
    empty = position.block.copy()
    moves = [Move(BLACK, at(position, "E5")), Move(WHITE, number), Move(BLACK, PASS)]
    assert position.play_sequence(moves[1:]) == 0
    assert np.array_equal(position.block, empty)
    assert position.play_sequence(moves) == 1


def test_undo_replays_a_ko_recaptured_after_changing_sides():
    position = Position.from_diagram(KO_SHAPE, WHITE, Rules(ko=Ko.SIMPLE))
    position.play(at(position, "B3"))
    taken = position.moves.copy()
    position.to_play = WHITE
    position.to_play = BLACK
    position.play(at(position, "C3"))
    play(position, "A1", "D1")
    position.undo()
    assert [position.vertex(move.move) for move in position.moves] == ["B3", "C3", "A1"]
    position.undo(2)
    assert position.moves == taken
    assert position.to_play is BLACK


def test_setup_keeps_prisoners():
    position = Position(3)
    play(position, "A1", "B1", "C3", "A2")
    assert position.prisoners(BLACK) == 1
    position.setup([(at(position, "C1"), BLACK)], BLACK)
    assert position.prisoners(BLACK) == 1
    assert position.moves == []


def test_with_rules_keeps_prisoners_and_side_to_move():
    position = Position(3)
    play(position, "A1", "B1", "C3", "A2")
    position.setup([(at(position, "C1"), BLACK)], BLACK)
    play(position, "C2")
    position.to_play = BLACK
    same = position.with_rules(rules_named("japanese"))
    assert same.rules == rules_named("japanese")
    assert same.prisoners(BLACK) == 1
    assert same.moves == position.moves
    assert same.to_play is BLACK
    same.undo()
    assert position.moves, "the positions are independent"


def test_with_rules_checks_legality_of_past_moves():
    position = Position.from_diagram(KO_SHAPE, WHITE, Rules(ko=Ko.SIMPLE))
    position.play(at(position, "B3"))
    taken = position.copy()
    for _ in range(2):
        position.to_play = position.to_play.opponent
    position.play(at(position, "C3"))
    assert position.with_rules(position.rules).moves == position.moves
    with pytest.raises(TengenError, match="illegal under these rules"):
        position.with_rules(rules_named("tromp-taylor"))
    assert taken.with_rules(rules_named("tromp-taylor")).diagram() == taken.diagram()


def test_history_ends_with_current_position():
    position = Position(3, rules=Rules(ko=Ko.SITUATIONAL))
    play(position, "B2")
    position.to_play = BLACK
    other = Position.from_diagram(position.diagram(), to_play=BLACK, rules=position.rules)
    assert position.history()[-1] == other.history()[-1]


def test_setup_rejects_chains_without_liberties():
    position = Position(2)
    with pytest.raises(TengenError, match="no liberty"):
        position.setup([(point, BLACK) for point in position.points()], WHITE)
    assert position.diagram() == "..\n.."
    with pytest.raises(TengenError, match="outside"):
        position.setup([(0, BLACK)], WHITE)


SYMMETRIES = [
    lambda r, c, n: (r, c),
    lambda r, c, n: (c, n - r),
    lambda r, c, n: (n - r, n - c),
    lambda r, c, n: (n - c, r),
    lambda r, c, n: (r, n - c),
    lambda r, c, n: (n - r, c),
    lambda r, c, n: (c, r),
    lambda r, c, n: (n - c, n - r),
]


@pytest.mark.parametrize("turn", SYMMETRIES)
@pytest.mark.parametrize("swap", [False, True])
def test_symmetries_and_color_swap(turn, swap):
    rng = random.Random(3)
    size = 7
    one, other = Position(size), Position(size)
    other.to_play = WHITE if swap else BLACK

    def image(point):
        return point_at(*turn(row_of(point), column_of(point), size - 1))

    for _ in range(120):
        legal = one.legal_moves()
        assert sorted(image(point) for point in legal) == other.legal_moves()
        move = rng.choice([*legal, PASS])
        one.play(move)
        other.play(move if move == PASS else image(move))
        for point in one.points():
            color = one.color(point)
            expected = 3 - color if swap and color else color
            assert other.color(image(point)) == expected
    sign = -1 if swap else 1
    owners = np.zeros(int(layout.POINTS), dtype=np.uint8)
    assert area_owners(one.block, owners) == sign * area_owners(other.block, owners)


def test_diagrams_round_trip():
    text = ".X.O\nXX.O\n...."
    position = Position.from_diagram(text)
    assert (position.rows, position.columns) == (3, 4)
    assert position.diagram() == text
    assert "   A B C D" in str(position)
    with pytest.raises(TengenError, match="equal length"):
        Position.from_diagram("..\n...")
    with pytest.raises(TengenError, match="unknown characters"):
        Position.from_diagram("?.\n..")


def test_color_parsing():
    assert Color.parse("Black") is BLACK
    assert BLACK.opponent is WHITE
    with pytest.raises(TengenError):
        Color.parse("green")
