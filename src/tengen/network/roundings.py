"""Writing roundings into a graph, so that ONNX Runtime computes convolutions with bytes.

Around each convolution stand QuantizeLinear and DequantizeLinear; ONNX Runtime makes one
convolution of bytes of them.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper

from tengen.network.evaluation import Floats

LEAST_CHANNELS = 16
"""Convolutions of fewer channels are cheap and stay as they are, so do those of one point."""
LARGEST_BYTE = 255
LARGEST_BIAS = 2.0**30


class Steps(NamedTuple):
    """How a tensor is rounded: value = scale * (byte - zero)."""

    scale: np.float32
    zero: np.uint8


class Roundings:
    """The roundings of a graph, which it changes in place.

    Eight bits a weight want a processor with instructions for bytes (VNNI). Without them ONNX
    Runtime adds pairs of products in sixteen bits; those of seven bits always fit.
    """

    def __init__(self, graph: onnx.GraphProto, weight_bits: int) -> None:
        self._graph = graph
        self._largest_weight = 2 ** (weight_bits - 1) - 1
        self._constants = {tensor.name: tensor for tensor in graph.initializer}
        self._uses = Counter(name for node in graph.node for name in node.input)
        self._user = {name: node for node in graph.node for name in node.input}
        self._maker = {name: node for node in graph.node for name in node.output}
        self._convolutions = [node for node in graph.node if self._is_large(node)]
        self._unpacking: list[onnx.NodeProto] = []

    def tensors(self) -> list[str]:
        """Return the tensors that are to be rounded: before and behind large convolutions."""
        found: list[str] = []
        for node in self._convolutions:
            found += [node.input[0], self._result(node), *self._block_end(node)]
        return list(dict.fromkeys(found))

    def rewrite(self, steps: Mapping[str, Steps], means: Mapping[str, Floats]) -> None:
        """Round tensors as told, and the weights of the convolutions.

        `means` are of the channels of what goes into the convolutions: biases make up for what
        rounded weights add to their sums.
        """
        for node in self._convolutions:
            self._round_constants(node, steps[node.input[0]].scale, means[node.input[0]])
        nodes = list(self._graph.node)
        for node in nodes:
            if node.op_type == "Sum" and node.output[0] in steps:
                node.op_type = "Add"  # the same, but known for bytes
            for place, name in enumerate(node.input):
                if name in steps:
                    node.input[place] = f"{name}_rounded"
        del self._graph.node[:]
        self._graph.node.extend(self._unpacking)
        for given in self._graph.input:
            if given.name in steps:
                self._graph.node.extend(self._rounding(given.name, steps[given.name]))
        for node in nodes:
            self._graph.node.append(node)
            for name in node.output:
                if name in steps:
                    self._graph.node.extend(self._rounding(name, steps[name]))

    def _is_large(self, node: onnx.NodeProto) -> bool:
        """Tell whether a node is a convolution worth rounding."""
        if node.op_type != "Conv" or node.input[1] not in self._constants:
            return False
        _, channels, height, _ = self._constants[node.input[1]].dims
        return bool(height >= 3 and channels >= LEAST_CHANNELS)

    def _result(self, node: onnx.NodeProto) -> str:
        """Return the tensor to round behind a convolution; a ReLU of its own is part of it."""
        user = self._only_user(node.output[0])
        if user is not None and user.op_type == "Relu":
            return str(user.output[0])
        return str(node.output[0])

    def _only_user(self, name: str) -> onnx.NodeProto | None:
        return self._user[name] if self._uses[name] == 1 else None

    def _block_end(self, node: onnx.NodeProto) -> list[str]:
        """Return the tensors at the end of a block of our nets: its sum, bent, and what it adds.

        With these in bytes no floats come between two convolutions. The sums of KataGo's nets go
        on from block to block unbent, and stay as they are: roundings would add up.
        """
        total = self._only_user(node.output[0])
        bent = self._only_user(total.output[0]) if total is not None else None
        if total is None or bent is None or (total.op_type, bent.op_type) != ("Add", "LeakyRelu"):
            return []
        kept = self._maker.get(total.input[1])
        told = [kept.output[0], kept.input[1]] if kept is not None and kept.op_type == "Sum" else []
        return [total.output[0], bent.output[0], *told]

    def _rounding(self, name: str, steps: Steps) -> list[onnx.NodeProto]:
        how = [self._add(f"{name}_scale", steps.scale), self._add(f"{name}_zero", steps.zero)]
        return [
            helper.make_node("QuantizeLinear", [name, *how], [f"{name}_bytes"]),
            helper.make_node("DequantizeLinear", [f"{name}_bytes", *how], [f"{name}_rounded"]),
        ]

    def _round_constants(self, node: onnx.NodeProto, given: np.float32, means: Floats) -> None:
        """Round weights and bias, with a scale for each channel that comes out.

        `given` is the scale of what goes in; the bias is in steps of both scales. Where weights
        are next to nothing those would be too small for it, so that the bias sets the scale.
        """
        weights = numpy_helper.to_array(self._constants[node.input[1]])
        bias = self._bias(node, len(weights))
        scales = np.abs(weights).max(axis=(1, 2, 3)) / self._largest_weight
        scales = np.maximum(scales, np.abs(bias) / (given * LARGEST_BIAS))
        scales = np.where(scales > 0, scales, 1).astype(np.float32)
        across = scales[:, None, None, None]
        whole = np.rint(weights / across).astype(np.int8)
        # Errors of the same sign at every point would add up to a wrong score of the board.
        bias = bias - (whole * across - weights).sum(axis=(2, 3)) @ means
        node.input[1] = self._replace(node.input[1], whole, scales)
        whole_bias = np.rint(bias / (given * scales)).astype(np.int32)
        node.input[2] = self._replace(node.input[2], whole_bias, given * scales)

    def _bias(self, node: onnx.NodeProto, channels: int) -> Floats:
        """Return the bias of a convolution; one that has none gets zeros."""
        if len(node.input) == 2:
            name = f"{node.output[0]}_bias"
            node.input.append(self._add(name, np.zeros(channels, dtype=np.float32)))
            self._constants[name] = self._graph.initializer[-1]
        bias: Floats = numpy_helper.to_array(self._constants[node.input[2]])
        return bias

    def _replace(self, name: str, whole: npt.NDArray[np.generic], scales: Floats) -> str:
        """Put whole numbers in the place of a constant; return the name of their values."""
        self._graph.initializer.remove(self._constants[name])
        ends = [self._add(f"{name}_whole", whole), self._add(f"{name}_scale", scales)]
        self._unpacking.append(
            helper.make_node("DequantizeLinear", ends, [f"{name}_value"], axis=0)
        )
        return f"{name}_value"

    def _add(self, name: str, array: npt.ArrayLike) -> str:
        self._graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        return name
