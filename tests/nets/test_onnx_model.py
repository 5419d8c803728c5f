"""Networks as ONNX files: the interface, and errors for other files."""

import gc

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tengen.board import Position
from tengen.nets import NetSettings, onnx_model
from tengen.util import TengenError


@pytest.fixture(autouse=True)
def own_features(monkeypatch):
    monkeypatch.setitem(onnx_model.FEATURES, "stones", "stones:Stones")


def write_model(path, metadata, planes=2):
    """Write a model whose policy prefers empty points and whose ownership follows stones."""
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


def test_load_net(tmp_path):
    path = write_model(
        tmp_path / "net.onnx", {"tengen.features": "stones", "tengen.name": "Stones"}
    )
    net = onnx_model.load_net(path, NetSettings(threads=1))
    assert net.name == "Stones"
    position = Position.from_diagram("X......\n.......\n...O...\n" + ".......\n" * 4)
    small, large = net.evaluate([position, Position(19, 17)])
    assert small.ownership_to_play[[0, 2, 6], [0, 3, 6]].tolist() == [1, -1, 0]
    assert small.policy[0, 0] == 0
    assert small.policy[0, 1] == pytest.approx(1 / 48)
    assert (small.win_to_play, small.lead_to_play) == (0.5, 0)
    assert large.policy.shape == (19, 17)


def test_sessions_are_shared(tmp_path, monkeypatch):
    loaded = []

    def counting(content, threads, make_session=onnx_model.make_session):
        loaded.append(threads)
        return make_session(content, threads)

    monkeypatch.setattr(onnx_model, "make_session", counting)
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "stones", "tengen.name": "Old"})
    first, second = onnx_model.OnnxModel(path), onnx_model.OnnxModel(path)
    assert loaded == [1]
    two_threads = onnx_model.OnnxModel(path, threads=2)
    assert loaded == [1, 2]
    write_model(path, {"tengen.features": "stones", "tengen.name": "New"})
    assert [onnx_model.OnnxModel(path).name, first.name] == ["New", "Old"]
    write_model(path, {"tengen.features": "stones", "tengen.name": "Old"})
    del first, second, two_threads
    gc.collect()
    onnx_model.OnnxModel(path)
    assert loaded == [1, 2, 1, 1]


def complaint(path):
    with pytest.raises(TengenError) as raised:
        onnx_model.load_net(path)
    message = str(raised.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_rejects_foreign_model(tmp_path):
    path = write_model(tmp_path / "net.onnx", {"author": "someone"})
    assert "not a Tengen network" in complaint(path)


def test_rejects_unknown_features(tmp_path):
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "own-99"})
    assert "unknown features 'own-99'" in complaint(path)


def test_rejects_wrong_number_of_planes(tmp_path):
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "stones"}, planes=3)
    assert "export it again" in complaint(path)


def test_rejects_missing_file(tmp_path):
    assert "no such network" in complaint(tmp_path / "net.onnx")


@pytest.mark.parametrize("kept", [0, 1, 100, 300])
def test_rejects_truncated_file(tmp_path, kept):
    path = write_model(tmp_path / "net.onnx", {"tengen.features": "stones"})
    path.write_bytes(path.read_bytes()[:kept])
    assert "damaged" in complaint(path) or "not a Tengen network" in complaint(path)


def test_rejects_other_files(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(b"(;GM[1]FF[4]SZ[19])" * 100)
    assert "tengen net import" in complaint(path)
