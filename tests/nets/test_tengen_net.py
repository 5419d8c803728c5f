"""Tengen's networks in the search, the bundled network, and invalid files."""

import numpy as np
import pytest

from tengen.board import PASS, Position, Rules, parse_vertex, point_at
from tengen.board.kernels import layout
from tengen.nets import DEFAULT_NET, OnnxModel, TengenNet, load_net
from tengen.nets.onnx_graph import GraphBuilder, save_model
from tengen.nets.tengen_net import load_tengen_net
from tengen.util import TengenError

CAPTURE = """
.........
.........
..OX.....
.OX.X....
..OX.....
.........
.........
.........
.........
"""


@pytest.fixture(scope="module")
def net():
    return load_tengen_net()


def played(size, moves):
    position = Position(size, rules=Rules(komi=7.5))
    for move in moves.split():
        position.play(parse_vertex(move, size, size))
    return position


def test_evaluate_blocks_matches_evaluate(net):
    positions = [played(9, "E5 C3"), played(9, "E5 C3 G7 pass"), played(9, "A1")]
    policy, win, _ = net.evaluate_blocks(np.array([p.block for p in positions]), 7.5)
    assert policy.shape == (3, int(layout.POINTS))
    for index, evaluation in enumerate(net.evaluate(positions)):
        assert win[index] == pytest.approx(evaluation.win_to_play, abs=1e-5)
        assert policy[index, PASS] == pytest.approx(evaluation.pass_probability, abs=1e-5)
        grid = positions[index].on_grid(policy[index])
        np.testing.assert_allclose(grid, evaluation.policy, atol=1e-5)
        assert policy[index].sum() == pytest.approx(1, abs=1e-4)


def test_illegal_moves_have_probability_zero(net):
    position = Position.from_diagram(CAPTURE, to_play=Position().to_play.opponent)
    position.play(point_at(3, 3))  # White captures a ko
    assert position.block[layout.KO] == point_at(3, 2)
    policy, *_ = net.evaluate_blocks(position.block[None], 7.5)
    allowed = {PASS, *position.legal_moves()}
    assert set(np.flatnonzero(policy[0]).tolist()) == allowed


@pytest.mark.parametrize("size", [7, 13, 19, (7, 12)])
def test_supports_all_board_sizes(net, size):
    position = Position(*size) if isinstance(size, tuple) else Position(size)
    policy, win, _ = net.evaluate_blocks(np.array([position.block] * 3), 7.5)
    assert policy.sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert 0 < win[0] < 1
    assert win[0] == pytest.approx(win[2], abs=1e-5)


def test_bundled_net_is_trained(net):
    """The empty board is even, the first line is unlikely, a huge komi decides the game."""
    empty = Position(19)
    policy, win, _ = net.evaluate_blocks(empty.block[None], 7.5)
    grid = empty.on_grid(policy[0])
    assert 0.3 < win[0] < 0.7
    assert grid[0].sum() < 0.02
    assert grid[2:5, 2:5].sum() * 4 > 0.5
    assert net.evaluate_blocks(empty.block[None], 60.0)[1][0] < win[0] - 0.2


def test_bundled_file_size_and_metadata():
    model = OnnxModel(DEFAULT_NET)
    assert DEFAULT_NET.stat().st_size < 6_000_000
    assert "blocks of" in model.metadata["size"]
    assert load_net(DEFAULT_NET).name == model.name


def test_rejects_truncated_file(tmp_path):
    broken = tmp_path / "net.onnx"
    broken.write_bytes(DEFAULT_NET.read_bytes()[:5000])
    with pytest.raises(TengenError, match="damaged"):
        load_tengen_net(broken)


def test_rejects_other_features(tmp_path):
    graph = GraphBuilder()
    points = graph.add("ReduceSum", "planes", graph.constant([2, 3], np.int64), keepdims=0)
    graph.add("Identity", points, name="policy")
    for name in ("win", "lead", "ownership"):
        graph.add("Identity", "numbers", name=name)
    path = tmp_path / "other.onnx"
    shape = ["n", "k"]
    save_model(
        graph.model(
            {"planes": ["n", 22, "rows", "columns"], "numbers": ["n", 19]},
            {"policy": shape, "win": shape, "lead": shape, "ownership": shape},
            {"tengen.features": "katago-7"},
        ),
        path,
    )
    with pytest.raises(TengenError, match="not one of Tengen's own networks"):
        load_tengen_net(path)
    with pytest.raises(TengenError, match="not one of Tengen's own networks"):
        TengenNet(OnnxModel(path))
