"""Features of Tengen's networks: against an oracle and on diagrams."""

import math
import random

import numpy as np
import pytest

from tengen.bench.selfcheck import OracleBoard
from tengen.board import BLACK, PASS, WHITE, Ko, Position, Rules, parse_vertex, point_at
from tengen.board.kernels import layout
from tengen.nets.kernels import features as f
from tengen.nets.symmetry import transform

pytestmark = pytest.mark.kernels
SIMPLE = Rules(ko=Ko.SIMPLE, suicide=False)
LADDERS = {int(f.OWN_LADDER), int(f.ENEMY_LADDER), int(f.LADDER_MOVE)}


def features_of(position, komi=7.5):
    planes = np.full((f.PLANES, position.rows, position.columns), np.nan, dtype=np.float32)
    numbers = np.full(f.NUMBERS, np.nan, dtype=np.float32)
    f.write_features(position.block, komi, f.new_feature_boards(), planes, numbers)
    return planes, numbers


def random_game(seed, rows, columns):
    """Play at random; yield the position, the oracle's board and the moves."""
    chance = random.Random(seed)
    position, oracle, moves = Position(rows, columns, SIMPLE), OracleBoard(rows, columns), []
    oracle.ko_rule = "simple"
    for _ in range(70):
        places = [place for place in oracle.points() if oracle.is_legal(place)]
        place = chance.choice(places) if places and chance.random() > 0.03 else None
        oracle.play(place)
        position.play(PASS if place is None else point_at(*place))
        moves.append(place)
        yield position, oracle, moves


def slow_planes(oracle, moves):
    """Return the planes except ladders by flood fill."""
    planes = np.zeros((f.PLANES, oracle.rows, oracle.columns), dtype=np.float32)
    planes[f.ON_BOARD] = 1
    for place in oracle.points():
        if place in oracle.stones:
            _add_stone(planes, oracle, place)
        elif oracle.ko == place:
            planes[(int(f.KO_POINT), *place)] = 1
        elif oracle.is_legal(place):
            _add_move(planes, oracle, place)
    for plane, move in zip((f.LAST_MOVE, f.MOVE_BEFORE), moves[:-3:-1], strict=False):
        if move is not None:
            planes[(int(plane), *move)] = 1
    return planes


def _add_stone(planes, oracle, place):
    own = oracle.stones[place] == oracle.to_play
    planes[(int(f.OWN if own else f.ENEMY), *place)] = 1
    liberties = len(oracle.liberties(place))
    if liberties <= 3:
        first = int(f.OWN_LIBERTIES if own else f.ENEMY_LIBERTIES)
        planes[(first + liberties - 1, *place)] = 1


def _add_move(planes, oracle, place):
    planes[(int(f.LEGAL), *place)] = 1
    after = OracleBoard(oracle.rows, oracle.columns, "simple", stones=dict(oracle.stones))
    after.to_play = oracle.to_play
    after.play(place)
    planes[(int(f.CAPTURE), *place)] = len(after.stones) <= len(oracle.stones)
    liberties = len(after.liberties(place))
    planes[(int(f.ONE_LIBERTY_AFTER), *place)] = liberties == 1
    planes[(int(f.TWO_LIBERTIES_AFTER), *place)] = liberties == 2


@pytest.mark.parametrize(("seed", "rows", "columns"), [(1, 6, 6), (2, 4, 7), (3, 9, 9)])
def test_planes_match_the_oracle(seed, rows, columns):
    others = [plane for plane in range(f.PLANES) if plane not in LADDERS]
    for position, oracle, moves in random_game(seed, rows, columns):
        if len(moves) % 4 in (1, 2):
            continue
        planes, numbers = features_of(position)
        expected = slow_planes(oracle, moves)
        np.testing.assert_array_equal(planes[others], expected[others])
        assert numbers[f.PASSED] == (moves[-1] is None)


def is_chased_down(position, stone, mover, depth=0):
    """Return whether a chain is lost in a ladder, by plain recursion."""
    liberties = {n for s in position.chain(stone) for n in _around(s) if not _taken(position, n)}
    if len(liberties) > 2 or (len(liberties) == 2 and mover == position.color(stone)):
        return False
    assert depth < 60
    if mover != position.color(stone):
        return any(_chase(position, stone, mover, point, depth) for point in liberties)
    answers = liberties | {
        _only_liberty(position, n)
        for s in position.chain(stone)
        for n in _around(s)
        if position.on_board(n) and position.color(n) == 3 - mover and _only_liberty(position, n)
    }
    return not any(_escape(position, stone, mover, point, depth) for point in answers)


def _around(point):
    return (point - int(layout.STRIDE), point - 1, point + 1, point + int(layout.STRIDE))


def _taken(position, point):
    return not position.on_board(point) or position.color(point) != 0


def _only_liberty(position, stone):
    found = {n for s in position.chain(stone) for n in _around(s) if not _taken(position, n)}
    return found.pop() if len(found) == 1 else 0


def _after(position, color, point):
    if not position.is_legal(point, color):
        return None
    twin = position.copy()
    twin.play(point, color)
    return twin


def _chase(position, stone, mover, point, depth):
    twin = _after(position, mover, point)
    if twin is None:
        return False
    if not twin.color(stone):
        return True
    return bool(_only_liberty(twin, stone)) and is_chased_down(twin, stone, 3 - mover, depth + 1)


def _escape(position, stone, mover, point, depth):
    twin = _after(position, type(position.to_play)(mover), point)
    return twin is not None and not is_chased_down(twin, stone, 3 - mover, depth + 1)


def _colors(position):
    return type(position.to_play)(int(position.to_play)), position.to_play.opponent


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_ladders_match_plain_recursion(seed):
    for position, _, moves in random_game(seed, 7, 7):
        if len(moves) % 3:
            continue
        planes, _ = features_of(position)
        own, enemy = _colors(position)
        for point in position.points():
            if not position.color(point):
                continue
            place = divmod(point - int(layout.STRIDE) - 1, int(layout.STRIDE))
            owner = type(own)(position.color(point))
            mover = owner if _only_liberty(position, point) else owner.opponent
            lost = is_chased_down(position, point, mover)
            plane = f.OWN_LADDER if owner == own else f.ENEMY_LADDER
            assert planes[(int(plane), *place)] == lost, position.vertex(point)


LADDER = """
.........
.........
.........
.........
.........
...X.....
..XO.....
...X.....
.........
"""


def test_ladder_move_is_marked():
    position = Position.from_diagram(LADDER, BLACK)
    planes, _ = features_of(position)
    stone = parse_vertex("D3", 9, 9)
    marked = {position.points()[i] for i in np.flatnonzero(planes[f.LADDER_MOVE])}
    assert planes[f.ENEMY_LADDER].sum() == 0, "one liberty, but White escapes to E3"
    assert marked == set()
    two = Position.from_diagram(LADDER.replace("..XO", "...O"), BLACK)
    planes, _ = features_of(two)
    marked = {two.points()[i] for i in np.flatnonzero(planes[f.LADDER_MOVE])}
    begins = {p for p in two.points() if is_two_step_ladder(two, p, stone)}
    assert marked == begins
    assert planes[f.ENEMY_LADDER].sum() == bool(begins)


def is_two_step_ladder(position, point, stone):
    beside = {n for n in _around(stone) if not _taken(position, n)}
    return point in beside and _chase(position, stone, position.to_play, point, 0)


def test_global_features():
    position = Position(9)
    assert features_of(position)[1].tolist() == [-7.5 / 20, 0, -1]
    position.play(PASS)
    assert features_of(position)[1].tolist() == [7.5 / 20, 1, -1]
    assert features_of(Position(19), 500.0)[1].tolist() == [-3, 0, 1], "komi is clipped"
    wide = features_of(Position(7, 13), 0.0)[1]
    assert wide[f.BOARD_SCALE] == pytest.approx((math.sqrt(91) - 14) / 5)


@pytest.mark.parametrize("symmetry", range(8))
def test_planes_are_equivariant_under_symmetries(symmetry):
    position = Position(7, rules=SIMPLE)
    for position, _, moves in random_game(5, 7, 7):  # noqa: B007
        if len(moves) == 40:
            break
    board = transform(position.board(), symmetry)
    turned = Position(7, rules=SIMPLE)
    stones = zip(turned.points(), board.reshape(-1).tolist(), strict=True)
    turned.setup(list(stones), position.to_play)
    fresh = Position(7, rules=SIMPLE)
    fresh.setup(
        list(zip(fresh.points(), position.board().reshape(-1).tolist(), strict=True)),
        position.to_play,
    )
    expected = transform(features_of(fresh)[0], symmetry)
    np.testing.assert_array_equal(features_of(turned)[0], expected)


def test_color_swap_changes_only_komi():
    position = Position.from_diagram(LADDER, BLACK)
    swapped = Position.from_diagram(LADDER.translate(str.maketrans("XO", "OX")), WHITE)
    one, other = features_of(position), features_of(swapped)
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1][0] == -other[1][0]


def test_last_moves_are_hidden_if_a_side_moves_twice():
    position = Position(9).after("C3 D4 E5")
    planes, _ = features_of(position)
    assert planes[f.LAST_MOVE].sum() == planes[f.MOVE_BEFORE].sum() == 1
    position.to_play = BLACK
    planes, _ = features_of(position)
    assert planes[f.LAST_MOVE].sum() == planes[f.MOVE_BEFORE].sum() == 0
