"""The engine with a net: by name, on every board, over whole games; clear words when it fails."""

import numpy as np
import pytest

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.net import GameEvaluator, open_net
from tengen.engine.settings import EngineSettings
from tengen.network.own import DEFAULT_NET, load_own_net

pytestmark = pytest.mark.kernels


def engine(*words):
    usual = ["threads=1", "seed=3", "memory_mib=16", "playouts=40", "net=default"]
    return Engine(EngineSettings().with_words([*usual, *words]))


def test_a_net_is_found_by_name():
    assert open_net("none") is None
    assert open_net("default") is not None
    assert open_net(str(DEFAULT_NET)) is not None


@pytest.mark.parametrize("name", ["no/such/net.onnx", __file__])
def test_what_is_no_net_is_told_in_one_line(name):
    with pytest.raises(TengenError) as told:
        Engine(EngineSettings().with_words([f"net={name}"]))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("words", [(), ("kind=rave", "playout_share=0.5"), ("net_weight=0.5",)])
def test_a_whole_game(words):
    player = engine(*words)
    position = Position(7)
    while not position.is_over and len(position.moves) < 40:
        decision = player.think(position)
        assert position.is_legal(decision.move)
        position.play(decision.move)
    assert not player.problems


@pytest.mark.parametrize("size", [(5, 5), (9, 9), (7, 11)])
def test_boards_of_every_shape(size):
    decision = engine().think(Position(*size))
    assert decision.move != PASS


def test_the_same_seed_gives_the_same_move():
    moves = [engine().think(Position(9)).report.candidates for _ in range(2)]
    assert moves[0] == moves[1]


def test_the_short_way_and_the_long_way_agree():
    """Own nets are asked by their boards; any net can be asked by its positions."""
    short, long = open_net("default"), GameEvaluator(load_own_net())
    root = Position(9)
    root.play(root.legal_moves()[30])
    lines = [[], [root.legal_moves()[50]], [root.legal_moves()[3], root.legal_moves()[40]]]
    boards = []
    for line in lines:
        board = root.copy()
        for move in line:
            board.play(move)
        boards.append(board.block)
    komi = root.rules.komi
    policy, win = short.evaluate(root, lines, np.array(boards), komi)
    other_policy, other_win = long.evaluate(root, lines, np.array(boards), komi)
    assert win == pytest.approx(other_win, abs=1e-4)
    assert policy == pytest.approx(other_policy, abs=1e-4)
