"""Random games compared move by move with a simple reference board."""

import random

import numpy as np
import pytest

from tengen.bench.selfcheck import OracleBoard
from tengen.board import PASS, Ko, Position, Rules, column_of, point_at, row_of
from tengen.board.kernels import layout
from tengen.board.kernels.area import area_owners
from tengen.board.kernels.legality import hash_after
from tengen.board.kernels.tactics import find_liberties, in_atari

pytestmark = pytest.mark.kernels

SIZES = [(1, 1), (1, 5), (2, 2), (3, 3), (4, 3), (5, 5), (7, 9), (9, 9), (19, 19)]
KO_NAMES = {Ko.SIMPLE: "simple", Ko.POSITIONAL: "positional", Ko.SITUATIONAL: "situational"}


def kernel_area(position):
    owners = np.zeros(int(layout.POINTS), dtype=np.uint8)
    return int(area_owners(position.block, owners))


def kernel_liberties(position, point):
    found = np.zeros(400, dtype=np.uint32)
    count = int(find_liberties(position.block, np.uintp(point), np.uintp(400), found))
    return set(found[:count].tolist())


def assert_same(position, oracle):
    for point in oracle.points():
        ours = point_at(*point)
        assert position.color(ours) == oracle.stones.get(point, 0)
        if point in oracle.stones:
            liberties = {point_at(*liberty) for liberty in oracle.liberties(point)}
            assert kernel_liberties(position, ours) == liberties
            head = position.block[layout.HEAD + np.uintp(ours)]
            assert bool(in_atari(position.block, np.uintp(head))) == (len(liberties) == 1)
            assert position.chain(ours) == sorted(point_at(*s) for s in oracle.connected(point))
    assert kernel_area(position) == oracle.area()
    legal = [point_at(*point) for point in oracle.points() if oracle.is_legal(point)]
    assert position.legal_moves() == legal


def fresh_hash(position):
    """Return the hash of the same stones set up on an empty board."""
    twin = Position(position.rows, position.columns)
    twin.setup([(p, position.color(p)) for p in position.points()], position.to_play)
    return twin.hash


@pytest.mark.parametrize("ko", list(Ko))
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_random_games(size, ko, suicide):
    chance = random.Random(f"{size} {ko} {suicide}")
    games, moves, step = (1, 300, 60) if size[0] > 9 else (2, 60, 1)
    for _ in range(games):
        position = Position(*size, rules=Rules(ko=ko, suicide=suicide))
        oracle = OracleBoard(*size, ko_rule=KO_NAMES[ko], suicide=suicide)
        for number in range(moves):
            legal = position.legal_moves()
            move = chance.choice(legal) if legal and chance.random() > 0.03 else PASS
            if move != PASS:
                predicted = int(hash_after(position.block, np.uintp(move)))
            position.play(move)
            oracle.play(None if move == PASS else (row_of(move), column_of(move)))
            if move != PASS:
                assert position.hash == predicted
            if number % step == 0:
                assert_same(position, oracle)
                assert position.hash == fresh_hash(position)


def test_undo_restores_every_position():
    chance = random.Random(7)
    position = Position(5, rules=Rules(suicide=True))
    seen = []
    for _ in range(80):
        seen.append((position.diagram(), position.hash, position.legal_moves(), position.to_play))
        position.play(chance.choice([*position.legal_moves(), PASS]))
    while seen:
        position.undo()
        now = (position.diagram(), position.hash, position.legal_moves(), position.to_play)
        assert now == seen.pop()
