"""Correction of the biases of a quantized network.

Clipped activations and rounded weights shift the mean outputs of layers, and with them the score
and the winning probability of every position. Layer by layer, in the order of computation, each
bias is changed so that the mean output of each channel over the calibration set equals that of the
float network (Nagel et al. 2019, "Data-free quantization through weight equalization and bias
correction").
"""

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tengen.nets.evaluation import Floats
from tengen.nets.onnx_model import make_session

MAX_LAYERS = 60
"""Networks with more layers are not corrected: it would take too long."""
MAX_BATCHES = 24
"""Batches of the calibration set that are used."""

Inputs = Mapping[str, Floats]
"""A batch of model inputs by name."""


def correct_biases(
    quantized: onnx.ModelProto, original: onnx.ModelProto, calibration: Sequence[Inputs]
) -> None:
    """Correct the biases of a quantized network in place; `original` is the float network."""
    layers = [node for node in quantized.graph.node if _has_bias(node)]
    if not 0 < len(layers) <= MAX_LAYERS:
        return
    batches = calibration[:: -(-len(calibration) // MAX_BATCHES)]
    names = [node.output[0] for node in layers]
    expected = channel_means(original, names, batches)
    constants = {tensor.name: tensor for tensor in quantized.graph.initializer}
    producers = {name: node for node in quantized.graph.node for name in node.output}
    for node, name in zip(layers, names, strict=True):
        change = expected[name] - channel_means(quantized, [name], batches)[name]
        bias = node.input[2]
        if bias in constants:
            _add(constants[bias], change)
        else:
            values, scale = producers[bias].input[:2]
            _add(constants[values], change / numpy_helper.to_array(constants[scale]))


def channel_means(
    model: onnx.ModelProto, names: Sequence[str], batches: Sequence[Inputs]
) -> dict[str, Floats]:
    """Return the mean of each channel of some tensors, every batch with the same weight."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    known = {entry.name for entry in probe.graph.output}
    probe.graph.output.extend(
        helper.make_empty_tensor_value_info(name) for name in names if name not in known
    )
    session = make_session(probe.SerializeToString(), threads=1)
    totals = dict.fromkeys(names, np.float32(0))
    for batch in batches:
        for name, values in zip(names, session.run(names, batch), strict=True):
            channels = values.reshape(*values.shape[:2], -1)
            totals[name] = totals[name] + channels.mean(axis=(0, 2))
    return {name: np.asarray(total / len(batches)) for name, total in totals.items()}


def _has_bias(node: onnx.NodeProto) -> bool:
    return node.op_type in ("Conv", "Gemm") and len(node.input) == 3


def _add(constant: onnx.TensorProto, change: Floats) -> None:
    """Add to a constant, which may be of integers."""
    old = numpy_helper.to_array(constant)
    new = old + change.reshape(old.shape)
    if old.dtype.kind == "i":
        new = np.rint(new)
    constant.CopyFrom(numpy_helper.from_array(new.astype(old.dtype), constant.name))
