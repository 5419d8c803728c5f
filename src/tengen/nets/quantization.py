"""Int8 quantization of networks.

The large convolutions and dense layers of the trunk run on int8 tensors. The range of each tensor
is chosen to minimize the squared quantization error on a *calibration set*: positions of games that
the network plays against itself.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from tengen.nets.bias_correction import correct_biases
from tengen.nets.calibration_set import (
    Inputs,
    OnProgress,
    calibration_batches,
    calibration_positions,
    tensor_statistics,
)
from tengen.nets.evaluation import Floats
from tengen.nets.onnx_graph import save_model
from tengen.nets.onnx_model import load_net
from tengen.util import TengenError

RANGE_SHARES = np.linspace(0.3, 1.0, 36)
"""Shares of the full range that are tried."""
MIN_CHANNELS = 16
"""Convolutions with fewer channels, and 1x1 convolutions, are not quantized."""
MIN_MATRIX = 64
"""Dense layers with fewer inputs or outputs are not quantized."""
PLAYING_SHARE = 0.7
"""Share of the calibration games in the work."""
MIN_HALF = 64
"""Smaller tensors stay float32 in networks with float16 weights."""
MAX_UINT8 = 255
MAX_BIAS = 2.0**30


class QuantizationParameters(NamedTuple):
    """Affine quantization of a tensor: value = scale * (uint8 - zero_point)."""

    scale: np.float32
    zero_point: np.uint8


def quantize_net(
    source: Path,
    target: Path,
    games: int,
    seed: int,
    bits: int = 7,
    on_progress: OnProgress = lambda share: None,
) -> int:
    """Write the int8 version of a network; return the size of the calibration set.

    Raise TengenError if the network cannot be quantized, before calibration games are played.
    """
    net = load_net(source)
    model = onnx.load(str(source))
    check_quantizable(model)
    positions = calibration_positions(
        net, games, seed, on_progress=lambda share: on_progress(share * PLAYING_SHARE)
    )
    quantized = quantize(
        model,
        list(calibration_batches(net, positions)),
        bits,
        lambda share: on_progress(PLAYING_SHARE + share * (1 - PLAYING_SHARE)),
    )
    save_model(quantized, target)
    return len(positions)


def quantize(
    model: onnx.ModelProto,
    calibration: Sequence[Inputs],
    weight_bits: int = 7,
    on_progress: OnProgress = lambda share: None,
) -> onnx.ModelProto:
    """Return a copy of the model with its large layers in int8.

    Weights keep seven bits by default (see `GraphQuantizer`). Raise TengenError if there is
    nothing to quantize.
    """
    check_quantizable(model)
    quantized = onnx.ModelProto()
    quantized.CopyFrom(model)
    quantizer = GraphQuantizer(quantized.graph, weight_bits)
    statistics = tensor_statistics(model, quantizer.tensors(), calibration, on_progress)
    quantizer.rewrite(
        {name: choose_parameters(found.values) for name, found in statistics.items()},
        {name: found.means for name, found in statistics.items()},
    )
    correct_biases(quantized, model, calibration)
    metadata = {entry.key: entry.value for entry in quantized.metadata_props}
    metadata["tengen.numbers"] = f"int8 trunk, {weight_bits}-bit weights"
    helper.set_model_props(quantized, metadata)
    onnx.checker.check_model(quantized)
    return quantized


def save_half_precision(source: Path, target: Path) -> None:
    """Write a network with float16 weights, which are converted to float32 when it is loaded."""
    load_net(source)  # raises TengenError if it is not a network
    model = onnx.load(str(source))
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < MIN_HALF:
            continue
        whole = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{whole}_half"))
        casts.append(
            helper.make_node("Cast", [tensor.name], [whole], to=int(onnx.TensorProto.FLOAT))
        )
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    save_model(model, target)


def check_quantizable(model: onnx.ModelProto) -> None:
    """Raise TengenError if a model is quantized already or has no large layer."""
    if any(node.op_type == "QuantizeLinear" for node in model.graph.node):
        raise TengenError("the network is already quantized to int8")
    if not GraphQuantizer(model.graph, weight_bits=7).tensors():
        raise TengenError("the network has no large layer to quantize")


def choose_parameters(values: Floats) -> QuantizationParameters:
    """Return the parameters with the least squared quantization error on these values."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 1e-6)
    tried = [parameters_for_range(low * share, high * share) for share in RANGE_SHARES]
    return min(tried, key=lambda parameters: _squared_error(values, parameters))


def parameters_for_range(low: float, high: float) -> QuantizationParameters:
    """Return the parameters for a range around zero; zero is represented exactly."""
    scale = np.float32((high - low) / MAX_UINT8)
    return QuantizationParameters(scale, np.uint8(round(-low / float(scale))))


def _squared_error(values: Floats, parameters: QuantizationParameters) -> float:
    scale, zero_point = parameters
    quantized = np.clip(np.rint(values / scale) + zero_point, 0, MAX_UINT8)
    restored: npt.NDArray[np.float32] = (quantized - zero_point) * scale
    return float(np.square(restored - values).sum())


class GraphQuantizer:
    """Rewrites a graph in place so that ONNX Runtime runs its large layers in int8.

    QuantizeLinear and DequantizeLinear nodes are placed around each convolution and before each
    dense layer, whose output stays in float; ONNX Runtime fuses them with it. In a network with
    large dense layers, the few convolutions stay in float. 8-bit weights need VNNI instructions:
    without them ONNX Runtime adds pairs of products in 16 bits, which only 7-bit weights cannot
    overflow.
    """

    def __init__(self, graph: onnx.GraphProto, weight_bits: int) -> None:
        self._graph = graph
        self._max_weight = 2 ** (weight_bits - 1) - 1
        self._constants = {tensor.name: tensor for tensor in graph.initializer}
        self._users: dict[str, list[onnx.NodeProto]] = {}
        for node in graph.node:
            for name in node.input:
                self._users.setdefault(name, []).append(node)
        self._producer = {name: node for node in graph.node for name in node.output}
        self._dense = [node for node in graph.node if self._is_large_matrix(node)]
        self._convolutions = [] if self._dense else [n for n in graph.node if self._is_large(n)]
        self._dequantized_constants: list[onnx.NodeProto] = []

    def tensors(self) -> list[str]:
        """Return the tensors to quantize.

        These are inputs and outputs of large convolutions and inputs of large dense layers.
        """
        found = [str(node.input[0]) for node in self._dense]
        for node in self._convolutions:
            found += [node.input[0], self._result(node), *self._block_end(node)]
        return list(dict.fromkeys(found))

    def rewrite(
        self, parameters: Mapping[str, QuantizationParameters], means: Mapping[str, Floats]
    ) -> None:
        """Quantize the tensors and the weights of the layers.

        `means` are the channel means of the layer inputs, used to correct the biases for
        the quantization error of the weights.
        """
        for node in self._convolutions:
            name = node.input[0]
            self._quantize_constants(node, parameters[name].scale, means[name])
        nodes = list(self._graph.node)
        for node in self._dense:
            correction = self._quantize_matrix(node, means[node.input[0]])
            nodes.insert(nodes.index(node) + 1, correction)
        for node in nodes:
            if node.op_type == "Sum" and node.output[0] in parameters:
                node.op_type = "Add"  # Sum has no int8 version
            for place, name in enumerate(node.input):
                if name in parameters:
                    node.input[place] = f"{name}_dequantized"
        del self._graph.node[:]
        self._graph.node.extend(self._dequantized_constants)
        for entry in self._graph.input:
            if entry.name in parameters:
                self._graph.node.extend(self._quantize(entry.name, parameters[entry.name]))
        for node in nodes:
            self._graph.node.append(node)
            for name in node.output:
                if name in parameters:
                    self._graph.node.extend(self._quantize(name, parameters[name]))

    def _is_large(self, node: onnx.NodeProto) -> bool:
        """Return whether a node is a convolution worth quantizing."""
        if node.op_type != "Conv" or node.input[1] not in self._constants:
            return False
        _, channels, height, _ = self._constants[node.input[1]].dims
        return bool(height >= 3 and channels >= MIN_CHANNELS)

    def _is_large_matrix(self, node: onnx.NodeProto) -> bool:
        """Return whether a node multiplies by a constant matrix worth quantizing.

        The products of gated feed-forward blocks have outliers that uint8 cannot represent.
        """
        if node.op_type != "MatMul" or node.input[1] not in self._constants:
            return False
        is_large = min(self._constants[node.input[1]].dims) >= MIN_MATRIX
        return is_large and not self._is_gated(node.input[0])

    def _is_gated(self, name: str) -> bool:
        """Return whether a tensor is a product of two others, other than an activation."""
        producer = self._producer.get(name)
        if producer is None or producer.op_type != "Mul":
            return False
        if any(factor in self._constants for factor in producer.input):
            return False
        return all(self._producer[factor].op_type != "Sigmoid" for factor in producer.input)

    def _result(self, node: onnx.NodeProto) -> str:
        """Return the output tensor of a convolution, after its ReLU if it has one."""
        user = self._only_user(node.output[0])
        if user is not None and user.op_type == "Relu":
            return str(user.output[0])
        return str(node.output[0])

    def _only_user(self, name: str) -> onnx.NodeProto | None:
        users = self._users.get(name, [])
        return users[0] if len(users) == 1 else None

    def _block_end(self, node: onnx.NodeProto) -> list[str]:
        """Return the tensors at the end of a residual block of Tengen's networks.

        These are the sum, its leaky ReLU, and the terms of the sum. With them in int8 there is no
        float tensor between two convolutions. The residual sums of KataGo's deeper networks stay
        in float, because the quantization errors would accumulate.
        """
        total = self._only_user(node.output[0])
        if total is None or total.op_type != "Add":
            return []
        users = self._users.get(total.output[0], [])
        leaky = next((user for user in users if user.op_type == "LeakyRelu"), None)
        if leaky is None:
            return []
        skip = self._producer.get(total.input[1])
        pooled = (
            [skip.output[0], skip.input[1]] if skip is not None and skip.op_type == "Sum" else []
        )
        return [total.output[0], leaky.output[0], *pooled]

    def _quantize(self, name: str, parameters: QuantizationParameters) -> list[onnx.NodeProto]:
        constants = [
            self._add_constant(f"{name}_scale", parameters.scale),
            self._add_constant(f"{name}_zero_point", parameters.zero_point),
        ]
        quantized, dequantized = f"{name}_quantized", f"{name}_dequantized"
        return [
            helper.make_node("QuantizeLinear", [name, *constants], [quantized]),
            helper.make_node("DequantizeLinear", [quantized, *constants], [dequantized]),
        ]

    def _quantize_constants(
        self, node: onnx.NodeProto, input_scale: np.float32, means: Floats
    ) -> None:
        """Quantize weights and bias with one scale per output channel.

        The unit of the bias is the product of the input scale and the weight scale. If the weights
        of a channel are tiny, the bias determines the scale so that it does not overflow.
        """
        weights = numpy_helper.to_array(self._constants[node.input[1]])
        bias = self._bias(node, len(weights))
        scales = np.abs(weights).max(axis=(1, 2, 3)) / self._max_weight
        scales = np.maximum(scales, np.abs(bias) / (input_scale * MAX_BIAS))
        scales = np.where(scales > 0, scales, 1).astype(np.float32)
        per_channel = scales[:, None, None, None]
        quantized = np.rint(weights / per_channel).astype(np.int8)
        # Correct the mean: errors of one sign at every point would bias the score of the board.
        bias = bias - (quantized * per_channel - weights).sum(axis=(2, 3)) @ means
        node.input[1] = self._replace_constant(node.input[1], quantized, scales)
        quantized_bias = np.rint(bias / (input_scale * scales)).astype(np.int32)
        node.input[2] = self._replace_constant(node.input[2], quantized_bias, input_scale * scales)

    def _quantize_matrix(self, node: onnx.NodeProto, means: Floats) -> onnx.NodeProto:
        """Quantize the weights of a dense layer with one scale per output channel.

        Return a node that corrects the mean error of the outputs.
        """
        weights = numpy_helper.to_array(self._constants[node.input[1]])
        scales = np.abs(weights).max(axis=0) / self._max_weight
        scales = np.where(scales > 0, scales, 1).astype(np.float32)
        quantized = np.rint(weights / scales).astype(np.int8)
        correction = means @ (weights - quantized * scales)
        node.input[1] = self._replace_constant(node.input[1], quantized, scales, axis=1)
        output, name = str(node.output[0]), f"{node.output[0]}_uncorrected"
        node.output[0] = name
        constant = self._add_constant(f"{output}_correction", correction.astype(np.float32))
        return helper.make_node("Add", [name, constant], [output])

    def _bias(self, node: onnx.NodeProto, channels: int) -> Floats:
        """Return the bias of a convolution, adding a zero bias if it has none."""
        if len(node.input) == 2:
            name = f"{node.output[0]}_bias"
            node.input.append(self._add_constant(name, np.zeros(channels, dtype=np.float32)))
            self._constants[name] = self._graph.initializer[-1]
        bias: Floats = numpy_helper.to_array(self._constants[node.input[2]])
        return bias

    def _replace_constant(
        self, name: str, quantized: npt.NDArray[np.generic], scales: Floats, axis: int = 0
    ) -> str:
        """Replace a constant by its quantized version; return the name of the dequantized value."""
        self._graph.initializer.remove(self._constants[name])
        inputs = [
            self._add_constant(f"{name}_quantized", quantized),
            self._add_constant(f"{name}_scale", scales),
        ]
        self._dequantized_constants.append(
            helper.make_node("DequantizeLinear", inputs, [f"{name}_dequantized"], axis=axis)
        )
        return f"{name}_dequantized"

    def _add_constant(self, name: str, array: npt.ArrayLike) -> str:
        self._graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        return name
