"""Graph layers on board tensors of two layouts.

Convolutions need *planes* (n, channels, rows, columns); attention and dense layers on each point
need *tokens* (n, points, channels). Each layer takes either layout and converts only if it must, so
consecutive layers that work on tokens exchange tokens.
"""

from typing import NamedTuple

import numpy as np

from tengen.nets.evaluation import Floats
from tengen.nets.katago.layers import Activation, Convolution, Norm, RmsNorm
from tengen.nets.onnx_graph import GraphBuilder


class BoardTensor(NamedTuple):
    """A value of the graph with channels for every point of the board."""

    name: str
    channels: int
    is_tokens: bool
    """Whether it is (n, points, channels) instead of (n, channels, rows, columns)."""


class BoardLayers:
    """Adds layers on board tensors to a graph."""

    def __init__(self, graph: GraphBuilder, size: str) -> None:
        """Build on a graph; `size` is the value (rows, columns), int64."""
        self.graph = graph
        self.size = size

    def to_tokens(self, value: BoardTensor) -> BoardTensor:
        """Return the value as (n, points, channels)."""
        if value.is_tokens:
            return value
        flat = self.graph.add("Reshape", value.name, self._integers(0, value.channels, -1))
        name = self.graph.add("Transpose", flat, perm=[0, 2, 1])
        return BoardTensor(name, value.channels, is_tokens=True)

    def to_planes(self, value: BoardTensor) -> BoardTensor:
        """Return the value as (n, channels, rows, columns)."""
        if not value.is_tokens:
            return value
        flat = self.graph.add("Transpose", value.name, perm=[0, 2, 1])
        shape = self.graph.add("Concat", self._integers(0, value.channels), self.size, axis=0)
        name = self.graph.add("Reshape", flat, shape)
        return BoardTensor(name, value.channels, is_tokens=False)

    def project(self, value: BoardTensor, weights: Floats) -> BoardTensor:
        """Multiply the channels of each point by a matrix (in, out)."""
        name = self.graph.add("MatMul", self.to_tokens(value).name, self.graph.constant(weights))
        return BoardTensor(name, weights.shape[1], is_tokens=True)

    def convolve(
        self, value: BoardTensor, layer: Convolution, bias: Floats | None = None
    ) -> BoardTensor:
        """Add a same-size convolution; of one point, it keeps the layout."""
        if value.is_tokens and layer.weights.shape[2:] == (1, 1):
            result = self.project(value, layer.weights[:, :, 0, 0].T)
            return result if bias is None else self._shift(result, bias)
        planes = self.to_planes(value)
        name = self.graph.convolve(planes.name, layer.weights, bias, layer.dilation)
        return BoardTensor(name, layer.outputs, is_tokens=False)

    def normalize(self, value: BoardTensor, norm: Norm) -> BoardTensor:
        """Add a batch norm and its activation."""
        if value.is_tokens:
            scaled = self._scale(value, norm.scale)
            return self.activate(self._shift(scaled, norm.bias), norm.activation)
        name = self.graph.normalize(value.name, norm.scale, norm.bias)
        return self.activate(value._replace(name=name), norm.activation)

    def normalize_rms(self, value: BoardTensor, norm: RmsNorm) -> BoardTensor:
        """Add a division by the root mean square, with scale, bias and activation.

        Per point, ONNX Runtime fuses everything up to the scale into one operation.
        """
        graph = self.graph
        value = self.to_tokens(value)
        square = graph.add("Pow", value.name, graph.constant(2))
        axes = self._integers(1, 2) if norm.over_board else self._integers(-1)
        mean = graph.add("ReduceMean", square, axes, keepdims=1)
        root = graph.add("Sqrt", graph.add("Add", mean, graph.constant(norm.epsilon)))
        divided = value._replace(name=graph.add("Div", value.name, root))
        result = self._scale(divided, norm.scale)
        if norm.bias is not None:
            result = self._shift(result, norm.bias)
        return self.activate(result, norm.activation)

    def activate(self, value: BoardTensor, kind: Activation) -> BoardTensor:
        """Add an activation."""
        return value._replace(name=add_activation(self.graph, value.name, kind))

    def add(self, value: BoardTensor, skip: BoardTensor) -> BoardTensor:
        """Add the input of a block to its output, in the layout of the output."""
        skip = self.to_tokens(skip) if value.is_tokens else self.to_planes(skip)
        return value._replace(name=self.graph.add("Add", value.name, skip.name))

    def everywhere(self, value: BoardTensor, numbers: str) -> BoardTensor:
        """Add values (n, channels) to every point."""
        if not value.is_tokens:
            return value._replace(name=self.graph.everywhere(value.name, numbers))
        column = self.graph.add("Unsqueeze", numbers, self._integers(1))
        return value._replace(name=self.graph.add("Add", value.name, column))

    def mean(self, value: BoardTensor) -> str:
        """Add the mean over the board: (n, channels)."""
        if not value.is_tokens:
            return self.graph.mean(value.name)
        return self.graph.add("ReduceMean", value.name, self._integers(1), keepdims=0)

    def largest(self, value: BoardTensor) -> str:
        """Add the maximum over the board: (n, channels)."""
        if not value.is_tokens:
            return self.graph.largest(value.name)
        return self.graph.add("ReduceMax", value.name, self._integers(1), keepdims=0)

    def points(self, value: BoardTensor) -> str:
        """Flatten a value of one channel: (n, points)."""
        if value.is_tokens:
            return self.graph.add("Squeeze", value.name, self._integers(2))
        return self.graph.add("Flatten", value.name)

    def grid(self, value: BoardTensor) -> str:
        """Remove the only channel of a value: (n, rows, columns)."""
        return self.graph.add("Squeeze", self.to_planes(value).name, self._integers(1))

    def _scale(self, value: BoardTensor, factors: Floats) -> BoardTensor:
        """Multiply tokens by a factor per channel."""
        return value._replace(name=self.graph.add("Mul", value.name, self.graph.constant(factors)))

    def _shift(self, value: BoardTensor, terms: Floats) -> BoardTensor:
        """Add a term per channel to tokens."""
        return value._replace(name=self.graph.add("Add", value.name, self.graph.constant(terms)))

    def _integers(self, *numbers: int) -> str:
        return self.graph.constant(numbers, np.int64)


def add_activation(graph: GraphBuilder, value: str, kind: Activation) -> str:
    """Add an activation to a graph and return the resulting value."""
    match kind:
        case Activation.IDENTITY:
            return value
        case Activation.RELU:
            return graph.add("Relu", value)
        case Activation.MISH:
            return graph.add("Mish", value)
        case Activation.SILU:
            return graph.add("Mul", value, graph.add("Sigmoid", value))
