"""Nets as files: the contract is kept, and what is no net of ours is told in one line."""

import gc

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.network import onnx as nets
from tengen.network.net import NetSettings


@pytest.fixture(autouse=True)
def own_features(monkeypatch):
    monkeypatch.setitem(nets.FEATURES, "stones", "stones:Stones")


def write_model(path, metadata, planes=2):
    """Write a model that likes empty points and owns what it has stones on."""
    value = helper.make_tensor_value_info
    number = TensorProto.FLOAT
    weights = np.array([[[[-4.0]], [[-4.0]]], [[[1.0]], [[-1.0]]]], dtype=np.float32)
    weights = np.resize(weights, (2, planes, 1, 1))
    constants = {
        "weights": weights,
        "flat": np.array([0, -1], dtype=np.int64),
        "point": np.array([-1], dtype=np.int64),
        "axes": np.array([1], dtype=np.int64),
        "split": np.array([1, 1], dtype=np.int64),
    }
    nodes = [
        helper.make_node("Conv", ["planes", "weights"], ["both"]),
        helper.make_node("Split", ["both", "split"], ["likes", "owns"], axis=1),
        helper.make_node("Reshape", ["likes", "flat"], ["moves"]),
        helper.make_node("Concat", ["moves", "numbers"], ["policy"], axis=1),
        helper.make_node("Squeeze", ["owns", "axes"], ["ownership"]),
        helper.make_node("Reshape", ["numbers", "point"], ["lead"]),
        helper.make_node("Sigmoid", ["lead"], ["win"]),
    ]
    graph = helper.make_graph(
        nodes,
        "stones",
        [
            value("planes", number, ["n", planes, "rows", "columns"]),
            value("numbers", number, ["n", 1]),
        ],
        [
            value("policy", number, ["n", "moves"]),
            value("win", number, ["n"]),
            value("lead", number, ["n"]),
            value("ownership", number, ["n", "rows", "columns"]),
        ],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, metadata)
    onnx.save(model, path)
    return path


def test_a_net_from_a_file(tmp_path):
    path = write_model(
        tmp_path / "net.onnx", {"tengen.features": "stones", "tengen.name": "Stones"}
    )
    net = nets.load_net(path, NetSettings(threads=1))
    assert net.name == "Stones"
    position = Position.from_diagram("X......\n.......\n...O...\n" + ".......\n" * 4)
    small, large = net.evaluate([position, Position(19, 17)])
    assert small.ownership_to_play[[0, 2, 6], [0, 3, 6]].tolist() == [1, -1, 0]
    assert small.policy[0, 0] == 0
    assert small.policy[0, 1] == pytest.approx(1 / 48)
    assert (small.win_to_play, small.lead_to_play) == (0.5, 0)
    assert large.policy.shape == (19, 17)


def test_a_net_in_use_is_loaded_once(tmp_path, monkeypatch):
    loaded = []

    def counting(content, threads, make_session=nets.make_session):
        loaded.append(threads)
        return make_session(content, threads)

    monkeypatch.setattr(nets, "make_session", counting)
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "stones", "tengen.name": "Old"})
    first, second = nets.OnnxModel(path), nets.OnnxModel(path)
    assert loaded == [1]
    two_threads = nets.OnnxModel(path, threads=2)
    assert loaded == [1, 2]
    write_model(path, {"tengen.features": "stones", "tengen.name": "New"})
    assert [nets.OnnxModel(path).name, first.name] == ["New", "Old"]
    write_model(path, {"tengen.features": "stones", "tengen.name": "Old"})
    del first, second, two_threads
    gc.collect()
    nets.OnnxModel(path)
    assert loaded == [1, 2, 1, 1]


def complaint(path):
    with pytest.raises(TengenError) as raised:
        nets.load_net(path)
    message = str(raised.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_a_foreign_model_is_told(tmp_path):
    path = write_model(tmp_path / "net.onnx", {"author": "someone"})
    assert "none of Tengen's nets" in complaint(path)


def test_unknown_features_are_told(tmp_path):
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "own-99"})
    assert "wants features 'own-99'" in complaint(path)


def test_another_number_of_planes_is_told(tmp_path):
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "stones"}, planes=3)
    assert "make the net again" in complaint(path)


def test_no_file_is_told(tmp_path):
    assert "no such net" in complaint(tmp_path / "net.onnx")


@pytest.mark.parametrize("kept", [0, 1, 100, 300])
def test_a_truncated_file_is_told(tmp_path, kept):
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "stones"})
    path.write_bytes(path.read_bytes()[:kept])
    assert "damaged" in complaint(path) or "none of Tengen's nets" in complaint(path)


def test_something_else_is_told(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(b"(;GM[1]FF[4]SZ[19])" * 100)
    assert "tengen net import" in complaint(path)
