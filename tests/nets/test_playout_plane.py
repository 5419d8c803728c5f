"""The playout plane, and networks with and without it."""

import numpy as np
import pytest

from tengen.board import BLACK, WHITE, Position
from tengen.board.kernels import layout
from tengen.nets import TengenFeatures, load_net
from tengen.nets.kernels.features import PLANES
from tengen.nets.onnx_graph import GraphBuilder, save_model
from tengen.nets.tengen_net import MAX_PLAYOUTS, load_tengen_net, playout_shares, to_plane
from tengen.nets.training.games import GamePosition, to_samples
from tengen.util import TengenError

SETTLED = """
.X.XO.O
XXXXOOO
.X.XO.O
XXXXOOO
XXXXO.O
XXXXOOO
XXXXOOO
"""
"""Left is Black's and right White's, whoever is to move: eyes are not filled."""
LADDERLESS = """
.......
.......
..XO...
..XO...
.......
.......
.......
"""


def blocks_of(*positions):
    return [position.block for position in positions]


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_playout_plane_is_for_the_side_to_move(to_play):
    position = Position.from_diagram(SETTLED, to_play=to_play)
    plane = to_plane(playout_shares(blocks_of(position), 8), 7, 7)[0]
    side = 1 if to_play == BLACK else -1
    assert np.all(plane[:, :4] == side)
    assert np.all(plane[:, 4:] == -side)


def test_playout_plane_of_an_open_board():
    position = Position.from_diagram(LADDERLESS)
    plane = to_plane(playout_shares(blocks_of(position), 64), 7, 7)[0]
    assert np.abs(plane).max() <= 1
    assert 0.1 < np.abs(plane).mean() < 0.9
    assert plane[2:4, 2].mean() > plane[2:4, 3].mean(), "own stones are held more often"


def test_playout_plane_is_deterministic():
    first, second = (Position.from_diagram(LADDERLESS) for _ in range(2))
    shares = playout_shares(blocks_of(first, second), 16)
    np.testing.assert_array_equal(shares[0], shares[1])
    assert playout_shares(blocks_of(first), 0).shape == (1, 0)


@pytest.mark.parametrize("size", [(9, 9), (7, 12)])
def test_all_encodings_agree(size):
    """Encoding of a position, of a batch of blocks, and of training samples."""
    features = TengenFeatures(8)
    positions = [Position(*size), Position(*size)]
    positions[1].play(positions[1].points()[17])
    planes, numbers = features.encode_blocks(np.array(blocks_of(*positions)), 7.5)
    assert planes.shape == (2, PLANES + 1, *size)
    plain, _ = TengenFeatures().encode_blocks(np.array(blocks_of(*positions)), 7.5)
    np.testing.assert_array_equal(planes[:, :PLANES], plain)
    for index, position in enumerate(positions):
        one, few = np.zeros_like(planes[0]), np.zeros_like(numbers[0])
        position.rules = position.rules.with_komi(7.5)
        features.encode(position, one, few)
        np.testing.assert_array_equal(one, planes[index])
    taken = [GamePosition(position.block, 0, 7.5, 1.0) for position in positions]
    batch = to_samples(taken, playouts=8).batch(np.arange(2))
    np.testing.assert_array_equal(batch.planes, planes)
    np.testing.assert_array_equal(batch.numbers, numbers)


def test_samples_transform_the_playout_plane():
    samples = to_samples(
        [GamePosition(Position.from_diagram(SETTLED).block, 0, 7.5, 1.0)], playouts=8
    )
    plane = samples.batch(np.arange(1), symmetry=4).planes[0, PLANES]
    assert np.all(plane[:4] == 1)
    assert np.all(plane[4:] == -1)


# Files of nets


def write_net(path, kind, planes):
    """Write a network that returns its last plane as ownership and policy."""
    graph = GraphBuilder()
    one = graph.constant([1], np.int64)
    last = graph.add(
        "Slice", "planes", graph.constant([planes - 1], np.int64),
        graph.constant([planes], np.int64), one,
    )  # fmt: skip
    graph.add("Squeeze", last, one, name="ownership")
    column = graph.add("Slice", "numbers", graph.constant([0], np.int64), one, one)
    graph.add("Concat", graph.add("Flatten", last), column, name="policy", axis=1)
    flat = graph.add("Squeeze", column, one)
    graph.add("Sigmoid", flat, name="win")
    graph.add("Identity", flat, name="lead")
    save_model(
        graph.model(
            {"planes": ["n", planes, "rows", "columns"], "numbers": ["n", 3]},
            {
                "policy": ["n", "moves"],
                "win": ["n"],
                "lead": ["n"],
                "ownership": ["n", "rows", "columns"],
            },
            {"tengen.features": kind},
        ),
        path,
    )
    return path


def test_net_gets_the_features_in_its_metadata(tmp_path):
    position = Position.from_diagram(SETTLED)
    seeing = load_tengen_net(write_net(tmp_path / "seeing.onnx", "own-playouts:8", PLANES + 1))
    plain = load_tengen_net(write_net(tmp_path / "plain.onnx", "own-1", PLANES))
    owners = seeing.evaluate([position])[0].ownership_to_play
    np.testing.assert_array_equal(owners[0], [1, 1, 1, 1, -1, -1, -1])
    assert not np.any(plain.evaluate([position])[0].ownership_to_play < 0)
    assert load_net(tmp_path / "seeing.onnx").features.kind == "own-playouts:8"
    assert load_net(tmp_path / "plain.onnx").features.kind == "own-1"


def test_evaluate_blocks_with_playout_plane(tmp_path):
    net = load_tengen_net(write_net(tmp_path / "net.onnx", "own-playouts:8", PLANES + 1))
    position = Position.from_diagram(LADDERLESS)
    policy, win, _ = net.evaluate_blocks(position.block[None], float(position.rules.komi))
    evaluation = net.evaluate([position])[0]
    np.testing.assert_allclose(position.on_grid(policy[0]), evaluation.policy, atol=1e-6)
    assert policy.shape == (1, int(layout.POINTS))
    assert win[0] == pytest.approx(evaluation.win_to_play, abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("own-1", "export it again"),
        ("own-playouts", "export it again"),
        ("own-playouts:many", "unknown features"),
        ("own-playouts:-1", "unknown features"),
        (f"own-playouts:{MAX_PLAYOUTS + 1}", "unknown features"),
        ("katago-7:8", "unknown features"),
    ],
)
def test_rejects_invalid_features(tmp_path, kind, words):
    path = write_net(tmp_path / "net.onnx", kind, PLANES + 1)
    for load in (load_net, load_tengen_net):
        with pytest.raises(TengenError, match=words):
            load(path)
