"""Rewriting of a graph so that its large layers run in int8."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from tengen.nets.evaluation import Floats
from tengen.nets.quantization_parameters import QuantizationParameters
from tengen.nets.quantized_mish import GATE_SCALE, QuantizedMish

MIN_CHANNELS = 16
"""Convolutions with fewer input channels are not quantized."""
MIN_MATRIX = 64
"""Dense layers and 1x1 convolutions with fewer inputs or outputs are not quantized."""
MAX_BIAS = 2.0**30

Activations = Mapping[str, QuantizedMish]
"""Parameters of the quantized Mish functions by their input."""


class GraphQuantizer:
    """Rewrites a graph in place so that ONNX Runtime runs its large layers in int8.

    QuantizeLinear and DequantizeLinear nodes are placed around each convolution and before each
    dense layer, whose output stays in float; ONNX Runtime fuses them with it. Mish between two
    convolutions is approximated on int8 tensors (`quantized_mish`). In a network with
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
        quantized = {node.output[0] for node in self._convolutions}
        self._mish = {
            node.input[0]: node
            for node in graph.node
            if node.op_type == "Mish" and self._is_between(node, quantized)
        }
        self._dequantized_constants: list[onnx.NodeProto] = []

    @property
    def mish_inputs(self) -> frozenset[str]:
        """Inputs of the Mish functions that run in int8."""
        return frozenset(self._mish)

    def tensors(self) -> list[str]:
        """Return the tensors to quantize.

        These are inputs and outputs of large convolutions, inputs of large dense layers, and
        inputs of Mish between convolutions.
        """
        found = [str(node.input[0]) for node in self._dense]
        for node in self._convolutions:
            found += [node.input[0], self._result(node), *self._block_end(node)]
        return list(dict.fromkeys([*found, *self._mish]))

    def rewrite(
        self,
        parameters: Mapping[str, QuantizationParameters],
        activations: Activations,
        means: Mapping[str, Floats],
    ) -> None:
        """Quantize the tensors and the weights of the layers.

        `activations` has an entry for each of `mish_inputs`, whose tensors are not in
        `parameters`. `means` are the channel means of the layer inputs, used to correct the biases
        for the quantization error of the weights.
        """
        parameters = {
            **parameters,
            **{name: found.given for name, found in activations.items()},
            **{self._mish[name].output[0]: found.result for name, found in activations.items()},
        }
        for node in self._convolutions:
            name = node.input[0]
            self._quantize_constants(node, parameters[name].scale, means[name])
        nodes = list(self._graph.node)
        for node in self._dense:
            correction = self._quantize_matrix(node, means[node.input[0]])
            nodes.insert(nodes.index(node) + 1, correction)
        replaced = {self._mish[name].output[0]: name for name in activations}
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
            if node.output[0] in replaced:
                name = replaced[node.output[0]]
                self._graph.node.extend(self._quantized_mish(node, name, activations[name]))
                continue
            self._graph.node.append(node)
            for name in node.output:
                if name in parameters:
                    self._graph.node.extend(self._quantize(name, parameters[name]))

    def _is_large(self, node: onnx.NodeProto) -> bool:
        """Return whether a node is a convolution worth quantizing."""
        if node.op_type != "Conv" or node.input[1] not in self._constants:
            return False
        outputs, channels, height, _ = self._constants[node.input[1]].dims
        if height == 1:
            return bool(min(outputs, channels) >= MIN_MATRIX)
        return bool(channels >= MIN_CHANNELS)

    def _is_between(self, node: onnx.NodeProto, convolutions: set[str]) -> bool:
        """Return whether a node alone reads its input and only some convolutions its output."""
        users = self._users.get(node.output[0], [])
        is_only = self._only_user(node.input[0]) is not None
        return is_only and bool(users) and all(user.output[0] in convolutions for user in users)

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

    def _quantize(
        self,
        name: str,
        stored: QuantizationParameters,
        dequantized: str | None = None,
        read: QuantizationParameters | None = None,
    ) -> list[onnx.NodeProto]:
        """Store a tensor in int8 and read it with the same parameters, or with others."""
        kept = f"{name}_quantized"
        constants = self._parameter_constants(name, stored)
        return [
            helper.make_node("QuantizeLinear", [name, *constants], [kept]),
            self._dequantize(kept, dequantized or f"{name}_dequantized", read or stored),
        ]

    def _dequantize(
        self, kept: str, name: str, parameters: QuantizationParameters
    ) -> onnx.NodeProto:
        constants = self._parameter_constants(name, parameters)
        return helper.make_node("DequantizeLinear", [kept, *constants], [name])

    def _parameter_constants(self, name: str, parameters: QuantizationParameters) -> list[str]:
        return [
            self._add_constant(f"{name}_scale", parameters.scale),
            self._add_constant(f"{name}_zero_point", parameters.zero_point),
        ]

    def _quantized_mish(
        self, node: onnx.NodeProto, name: str, parameters: QuantizedMish
    ) -> list[onnx.NodeProto]:
        """Return the nodes that approximate Mish of the stored tensor `name`."""
        kept, output = f"{name}_quantized", str(node.output[0])
        exponent, factor, gate = (f"{output}_{part}" for part in ("exponent", "factor", "gate"))
        product, result = f"{output}_product", f"{output}_dequantized"
        gate_parameters = QuantizationParameters(GATE_SCALE, np.uint8(0))
        return [
            self._dequantize(kept, exponent, parameters.exponent),
            helper.make_node("Sigmoid", [exponent], [gate]),
            *self._quantize(gate, gate_parameters),
            self._dequantize(kept, factor, parameters.factor),
            helper.make_node("Mul", [factor, f"{gate}_dequantized"], [product]),
            *self._quantize(product, parameters.product, result, parameters.result),
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
