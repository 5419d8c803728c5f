"""Int8 quantization."""

import numpy as np
import onnx
import pytest

from tengen.board import PASS
from tengen.nets import Evaluation, Net, NetSettings, OnnxModel
from tengen.nets.calibration_set import calibration_batches, calibration_positions
from tengen.nets.evaluation import Outputs
from tengen.nets.onnx_graph import GraphBuilder, save_model
from tengen.nets.onnx_model import make_session
from tengen.nets.quantization import quantize
from tengen.nets.quantization_parameters import (
    choose_parameters,
    parameters_for_range,
)
from tengen.nets.quantized_mish import fit_mish
from tengen.nets.self_play import draw_move

CHANNELS = 32


def dense_net(is_gated, seed=3):
    """Return a model of dense layers on points; if gated, the last one has a product as input."""
    graph, random = GraphBuilder(), np.random.default_rng(seed)
    flat = graph.add("Reshape", "planes", graph.constant([0, 3, -1], np.int64))
    tokens = graph.add("Transpose", flat, perm=[0, 2, 1])
    wide = graph.add("MatMul", tokens, graph.constant(random.normal(0, 1, (3, 64))))
    parts = [
        graph.add("MatMul", wide, graph.constant(random.normal(0, 0.1, (64, 64)))) for _ in "ab"
    ]
    gated = graph.add("Mul", *parts) if is_gated else graph.add("Relu", parts[0])
    graph.add("MatMul", gated, graph.constant(random.normal(0, 0.1, (64, 64))), name="policy")
    shape = {"planes": ["n", 3, "rows", "columns"]}
    return graph.model(shape, {"policy": ["n", "points", 64]}, {})


@pytest.mark.parametrize("is_gated", [True, False])
def test_quantizes_dense_layers_but_not_gated_products(is_gated):
    model, random = dense_net(is_gated), np.random.default_rng(1)
    batch = {"planes": random.normal(0.5, 1, (8, 3, 7, 7)).astype(np.float32)}
    quantized = quantize(model, [batch])
    constants = quantized.graph.initializer
    assert sum(tensor.data_type == onnx.TensorProto.INT8 for tensor in constants) == 3 - is_gated
    exact, found = (
        make_session(each.SerializeToString(), threads=1).run(None, batch)[0]
        for each in (model, quantized)
    )
    errors = found - exact
    assert np.abs(errors).mean() < 0.03 * np.abs(exact).mean()


def test_corrects_the_mean_of_dense_layers():
    graph, random = GraphBuilder(), np.random.default_rng(2)
    weights = random.normal(0, 0.1, (64, 64))
    flat = graph.add("Reshape", "planes", graph.constant([0, 64, -1], np.int64))
    tokens = graph.add("Transpose", flat, perm=[0, 2, 1])
    graph.add("MatMul", tokens, graph.constant(weights), name="policy")
    shape = {"planes": ["n", 64, "rows", "columns"]}
    model = graph.model(shape, {"policy": ["n", "points", 64]}, {})
    batch = {"planes": random.normal(3, 1, (8, 64, 7, 7)).astype(np.float32)}
    exact, found = (
        make_session(each.SerializeToString(), threads=1).run(None, batch)[0]
        for each in (model, quantize(model, [batch]))
    )
    rounded = np.rint(weights / (np.abs(weights).max(axis=0) / 63)) * np.abs(weights).max(axis=0)
    uncorrected = np.abs((rounded / 63 - weights).sum(axis=0) * 3).mean()
    assert np.abs((found - exact).mean(axis=(0, 1))).mean() < 0.2 * uncorrected


def small_tower(seed=3):
    """Return a model of two residual convolutions, with and without bias, and a ReLU between.

    One channel has tiny weights, as training can produce.
    """
    random = np.random.default_rng(seed)

    def weights(outputs, inputs, size):
        return random.normal(0, 1 / np.sqrt(inputs * size * size), (outputs, inputs, size, size))

    graph = GraphBuilder()
    bias = random.normal(0, 0.1, CHANNELS)
    trunk = graph.add("Relu", graph.convolve("planes", weights(CHANNELS, 2, 3)))
    first = weights(CHANNELS, CHANNELS, 3)
    first[5] *= 1e-12
    inside = graph.add("Relu", graph.convolve(trunk, first, bias))
    trunk = graph.add("Add", graph.convolve(inside, weights(CHANNELS, CHANNELS, 3)), trunk)
    moves = graph.add("Flatten", graph.convolve(trunk, weights(1, CHANNELS, 1)))
    graph.add("Concat", moves, "numbers", axis=1, name="policy")
    one = graph.constant([1], np.int64)
    mean = graph.multiply(graph.mean(trunk), random.normal(0, 0.2, (CHANNELS, 1)))
    lead = graph.add("Squeeze", mean, one, name="lead")
    graph.add("Sigmoid", lead, name="win")
    owners = graph.add("Tanh", graph.convolve(trunk, weights(1, CHANNELS, 1)))
    graph.add("Squeeze", owners, one, name="ownership")
    return graph.model(
        {"planes": ["n", 2, "rows", "columns"], "numbers": ["n", 1]},
        {
            "policy": ["n", "moves"],
            "win": ["n"],
            "lead": ["n"],
            "ownership": ["n", "rows", "columns"],
        },
        {"tengen.features": "stones"},
    )


def some_inputs(size, seed):
    random = np.random.default_rng(seed)
    planes = random.integers(0, 2, (8, 2, size, size)).astype(np.float32)
    return {"planes": planes, "numbers": random.normal(size=(8, 1)).astype(np.float32)}


@pytest.mark.parametrize("bits", [7, 8])
def test_quantized_outputs_are_close(tmp_path, bits):
    model = small_tower()
    quantized_model = quantize(model, [some_inputs(9, 1), some_inputs(13, 2)], bits)
    save_model(model, tmp_path / "float.onnx")
    save_model(quantized_model, tmp_path / "int8.onnx")
    original, quantized = OnnxModel(tmp_path / "float.onnx"), OnnxModel(tmp_path / "int8.onnx")
    assert quantized.metadata["numbers"] == f"int8 trunk, {bits}-bit weights"
    assert (tmp_path / "int8.onnx").stat().st_size < (tmp_path / "float.onnx").stat().st_size / 2
    for size in (7, 19):
        inputs = some_inputs(size, 3)
        exact, near = original.run(**inputs), quantized.run(**inputs)
        spread = exact.policy[:, :-1].std()
        assert np.abs(exact.policy - near.policy).max() < 0.3 * spread
        assert 0 < np.abs(exact.policy[:, :-1] - near.policy[:, :-1]).mean() < 0.02 * spread
        assert near.win == pytest.approx(exact.win, abs=0.02)
        assert near.ownership == pytest.approx(exact.ownership, abs=0.1)


def test_quantizes_only_large_convolutions():
    quantized_model = quantize(small_tower(), [some_inputs(9, 1)])
    kinds = [
        tensor.data_type for tensor in quantized_model.graph.initializer if len(tensor.dims) == 4
    ]
    assert kinds.count(onnx.TensorProto.INT8) == 2
    assert kinds.count(onnx.TensorProto.FLOAT) == 3


def tengen_blocks():
    """Return a model of two residual blocks as in Tengen's networks."""
    random = np.random.default_rng(5)

    def weights(outputs, inputs, size=3):
        drawn = random.uniform(0, 2 / (inputs * size * size), (outputs, inputs, size, size))
        drawn[:, 0, 0, 0] = 0.3  # a large weight makes the scale coarse
        return drawn

    graph = GraphBuilder()
    trunk = graph.add("LeakyRelu", graph.convolve("planes", weights(CHANNELS, 19)), alpha=0.1)
    for pools in (False, True):
        inner = graph.convolve(trunk, weights(CHANNELS, CHANNELS))
        inner = graph.add("LeakyRelu", inner, alpha=0.1)
        kept = graph.everywhere(trunk, graph.mean(inner)) if pools else trunk
        total = graph.add("Add", graph.convolve(inner, weights(CHANNELS, CHANNELS)), kept)
        trunk = graph.add("LeakyRelu", total, alpha=0.1)
    graph.add("Identity", trunk, name="tower")
    sizes = {"planes": ["n", 19, "rows", "columns"]}
    return graph.model(sizes, {"tower": ["n", CHANNELS, "rows", "columns"]}, {})


def some_planes(size, seed):
    planes = np.random.default_rng(seed).integers(0, 2, (8, 19, size, size))
    return {"planes": planes.astype(np.float32)}


def towers(model, planes):
    session = make_session(model.SerializeToString(), threads=1)
    return session.run(["tower"], planes)[0]


def test_tengen_towers_are_int8_throughout():
    quantized_model = quantize(tengen_blocks(), [some_planes(9, 1)])
    quantized = {
        node.input[0] for node in quantized_model.graph.node if node.op_type == "QuantizeLinear"
    }
    floats = [
        node.output[0]
        for node in quantized_model.graph.node
        if node.op_type in ("Conv", "Add", "LeakyRelu") and node.output[0] not in quantized
    ]
    assert "planes" in quantized
    assert floats == []
    assert "Sum" not in {node.op_type for node in quantized_model.graph.node}


def test_bias_correction():
    model = tengen_blocks()
    quantized_model = quantize(model, [some_planes(9, 1), some_planes(19, 2)])
    planes = some_planes(19, 3)
    inside = (
        slice(None),
        slice(None),
        slice(4, -4),
        slice(4, -4),
    )  # padding changes sums near the edge
    exact, near = towers(model, planes)[inside], towers(quantized_model, planes)[inside]
    off = (near - exact).mean(axis=(0, 2, 3))
    assert np.abs(off).max() < 0.06 * exact.mean()  # 0.21 without bias correction


def mish_blocks(seed=6):
    """Return a model of residual blocks with Mish: a 3x3 convolution between two of 1x1."""
    random, graph = np.random.default_rng(seed), GraphBuilder()

    def convolve(value, outputs, inputs, size):
        spread = 1.5 / np.sqrt(inputs * size * size)
        weights = random.normal(0, spread, (outputs, inputs, size, size))
        return graph.convolve(value, weights, random.normal(0, 0.3, outputs))

    trunk = convolve("planes", 96, 19, 3)
    for _ in range(3):
        ones = np.ones(96)
        inside = graph.add("Mish", graph.normalize(trunk, random.uniform(0.5, 1.5, 96), ones * 0.1))
        inside = graph.add("Mish", convolve(inside, 64, 96, 1))
        inside = graph.add("Mish", convolve(inside, 64, 64, 3))
        trunk = graph.add("Add", convolve(inside, 96, 64, 1), trunk)
    graph.add("Mish", trunk, name="tower")
    sizes = {"planes": ["n", 19, "rows", "columns"]}
    return graph.model(sizes, {"tower": ["n", 96, "rows", "columns"]}, {})


def test_mish_between_convolutions_is_int8():
    model = mish_blocks()
    quantized_model = quantize(model, [some_planes(9, 1), some_planes(13, 2)], 8)
    kinds = [node.op_type for node in quantized_model.graph.node]
    assert kinds.count("Sigmoid") == 9
    assert kinds.count("Mish") == 1  # of the output
    weights = [t.data_type for t in quantized_model.graph.initializer if len(t.dims) == 4]
    assert weights == [onnx.TensorProto.INT8] * 10
    planes = some_planes(13, 3)
    exact, near = towers(model, planes), towers(quantized_model, planes)
    assert np.abs(near - exact).mean() < 0.05 * exact.std()


@pytest.mark.parametrize(("center", "spread"), [(-0.5, 1.5), (-3, 2), (4, 3), (0, 0.1)])
def test_fitted_mish(center, spread):
    values = np.random.default_rng(1).normal(center, spread, 20_000).astype(np.float32)
    found = fit_mish(values)
    given = found.given
    steps = np.clip(np.rint(values / given.scale) + given.zero_point, 0, 255)
    exponent = (steps - found.exponent.zero_point) * found.exponent.scale
    gate = np.rint(255 / (1 + np.exp(-exponent))) / 255
    product = (steps - found.factor.zero_point) * found.factor.scale * gate
    stored = np.clip(np.rint(product / found.product.scale) + found.product.zero_point, 0, 255)
    result = (stored - found.result.zero_point) * found.result.scale
    exact = values * np.tanh(np.log1p(np.exp(values)))
    assert np.abs(result - exact).mean() < max(0.04 * exact.std(), 0.005)


def test_quantize_does_not_modify_its_input():
    model = small_tower()
    before = model.SerializeToString()
    quantize(model, [some_inputs(9, 1)])
    assert model.SerializeToString() == before


def test_zero_is_represented_exactly():
    for low, high in ((0.0, 5.0), (-0.3, 2.0), (-3.0, 1.0)):
        steps = parameters_for_range(low, high)
        reached = steps.scale * (np.arange(256) - float(steps.zero_point))
        assert (0 in reached, abs(reached.min() - low) < steps.scale) == (True, True)


def test_range_ignores_outliers():
    values = np.append(np.random.default_rng(1).uniform(0, 1, 1_000_000), 2.0).astype(np.float32)
    assert float(choose_parameters(values).scale) * 255 < 1.5
    assert float(choose_parameters(values[:-1]).scale) * 255 == pytest.approx(1, abs=0.05)


class Stones:
    planes = 1
    numbers = 1

    def encode(self, position, planes, numbers):
        planes[0] = position.board() > 0
        numbers[0] = position.rows


class Even:
    def run(self, planes, numbers):
        n, _, rows, columns = planes.shape
        zeros = np.zeros((n, rows, columns), dtype=np.float32)
        flat = np.zeros((n, rows * columns + 1), dtype=np.float32)
        return Outputs(flat, zeros[:, 0, 0], zeros[:, 0, 0], zeros)


def test_calibration_set():
    net = Net("even", Stones(), Even(), NetSettings(batch=4))
    positions = calibration_positions(net, games=6, seed=1, sizes=(7, 9))
    assert {position.rows for position in positions} == {7, 9}
    assert len({position.rules for position in positions}) > 2
    assert max(len(position.moves) for position in positions) > 20
    given = list(calibration_batches(net, positions))
    assert sum(len(batch["planes"]) for batch in given) == len(positions)
    assert max(len(batch["planes"]) for batch in given) <= 4
    again = calibration_positions(net, games=6, seed=1, sizes=(7, 9))
    assert [p.moves for p in again] == [p.moves for p in positions]


def test_draw_move_follows_the_policy():
    policy = np.zeros((7, 7), dtype=np.float32)
    policy[2, 3] = 0.75
    evaluation = Evaluation(policy, 0.25, 0.5, 0.0, policy)
    random = np.random.default_rng(1)
    drawn = [draw_move(evaluation, random) for _ in range(2000)]
    assert set(drawn) == {PASS, 3 * 20 + 4}
    assert drawn.count(PASS) / 2000 == pytest.approx(0.25, abs=0.04)
