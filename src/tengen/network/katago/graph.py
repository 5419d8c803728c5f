"""A KataGo net as an ONNX model that keeps to Tengen's contract (`tengen.network.onnx`).

KataGo masks its planes because it computes boards of several sizes at once. Our batches hold
boards of one size that fill the planes, where every mask is 1: there are none here. The norm
after a convolution is multiplied into its weights.
"""

from collections.abc import Callable

import numpy as np
import onnx

from tengen.network.evaluation import Floats
from tengen.network.graph import Graph
from tengen.network.katago.model import (
    NUMBERS,
    PLANES,
    Activation,
    Block,
    Convolution,
    KataGoModel,
    Matrix,
    Norm,
    PolicyHead,
    Pooling,
    Trunk,
    ValueHead,
)

FEATURES = "katago-7"
WIN, LOSS = 0, 1
LEAD = 2
"""Where in the outputs of the value head they stand."""


def to_onnx(model: KataGoModel) -> onnx.ModelProto:
    """Return the net as an ONNX model."""
    return _Writer().write(model)


class _Writer:
    """Writes the parts of a net into a graph."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.width = self._board_width()

    def write(self, model: KataGoModel) -> onnx.ModelProto:
        trunk = self._trunk(model.trunk)
        self._policy(model.policy, trunk)
        self._value(model.value, trunk, model.lead_points)
        return self.graph.model(
            {"planes": ["n", PLANES, "rows", "columns"], "numbers": ["n", NUMBERS]},
            {
                "policy": ["n", "moves"],
                "win": ["n"],
                "lead": ["n"],
                "ownership": ["n", "rows", "columns"],
            },
            {
                "tengen.features": FEATURES,
                "tengen.name": model.name,
                "tengen.origin": f"KataGo, format version {model.version}",
                "tengen.size": f"{len(model.trunk.blocks)} blocks of {model.channels} channels",
            },
        )

    def _board_width(self) -> str:
        """Add (sqrt(area) - 14) / 10: how KataGo's pools know the size of the board."""
        graph = self.graph
        size = graph.add("Shape", "planes", start=2)
        area = graph.add("Cast", graph.add("ReduceProd", size), to=int(onnx.TensorProto.FLOAT))
        width = graph.add("Sub", graph.add("Sqrt", area), graph.constant(14))
        return graph.add("Mul", width, graph.constant(0.1))

    def _activate(self, value: str, kind: Activation) -> str:
        return _ACTIVATIONS[kind](self.graph, value)

    def _norm(self, value: str, norm: Norm) -> str:
        return self._activate(self.graph.normalise(value, norm.scale, norm.bias), norm.activation)

    def _convolve(self, value: str, layer: Convolution) -> str:
        return self.graph.convolve(value, layer.weights, dilation=layer.dilation)

    def _convolve_norm(
        self, value: str, layer: Convolution, norm: Norm, more: str | None = None
    ) -> str:
        """Add a convolution and the norm after it, and `more` numbers a channel between them."""
        weights = layer.weights * norm.scale[:, None, None, None]
        result = self.graph.convolve(value, weights, norm.bias, layer.dilation)
        if more is not None:
            result = self.graph.everywhere(result, more)
        return self._activate(result, norm.activation)

    def _trunk(self, trunk: Trunk) -> str:
        numbers = self.graph.multiply("numbers", trunk.from_numbers.weights)
        value = self.graph.everywhere(self._convolve("planes", trunk.first), numbers)
        for block in trunk.blocks:
            value = self._block(value, block)
        return self._norm(value, trunk.tip)

    def _block(self, value: str, block: Block) -> str:
        given = self._norm(value, block.before)
        if block.inner:
            inside = self._convolve(given, block.first)
            for inner in block.inner:
                inside = self._block(inside, inner)
            inside = self._norm(inside, block.middle)
        else:
            more = self._pool(given, block.pooling, block.middle.scale) if block.pooling else None
            inside = self._convolve_norm(given, block.first, block.middle, more)
        return self.graph.add("Add", self._convolve(inside, block.last), value)

    def _pool(self, value: str, pooling: Pooling, scale: Floats) -> str:
        """Add what a pooled branch gives to each channel of another, before its norm."""
        pooled = self._pooled(value, pooling)
        return self.graph.multiply(pooled, pooling.to_bias.weights * scale)

    def _pooled(self, value: str, pooling: Pooling) -> str:
        """Add mean, mean by width of the board, and maximum, of each channel."""
        branch = self._convolve_norm(value, pooling.convolution, pooling.norm)
        mean = self.graph.mean(branch)
        wide = self.graph.add("Mul", mean, self.width)
        return self.graph.add("Concat", mean, wide, self.graph.largest(branch), axis=1)

    def _policy(self, head: PolicyHead, trunk: str) -> None:
        graph = self.graph
        pooled = self._pooled(trunk, head.pooling)
        more = graph.multiply(pooled, head.pooling.to_bias.weights * head.middle.scale)
        points = self._convolve_norm(trunk, head.first, head.middle, more)
        moves = graph.convolve(points, head.last.weights[:1], dilation=head.last.dilation)
        graph.add(
            "Concat", graph.add("Flatten", moves), self._pass(head, pooled), name="policy", axis=1
        )

    def _pass(self, head: PolicyHead, pooled: str) -> str:
        """Add the logit of the pass: (n, 1)."""
        if head.pass_hidden is None:
            return self.graph.multiply(pooled, head.to_pass.weights[:, :1])
        hidden = self.graph.multiply(pooled, head.to_pass.weights, head.pass_hidden.bias)
        hidden = self._activate(hidden, head.pass_hidden.activation)
        return self.graph.multiply(hidden, head.pass_hidden.last.weights[:, :1])

    def _value(self, head: ValueHead, trunk: str, lead_points: float) -> None:
        graph = self.graph
        points = self._convolve_norm(trunk, head.first, head.norm)
        pooled = self._value_pooled(points)
        hidden = graph.multiply(pooled, head.hidden.matrix.weights, head.hidden.bias)
        hidden = self._activate(hidden, head.activation)
        self._win(hidden, head.value.matrix, head.value.bias)
        lead = graph.multiply(
            hidden,
            head.score.matrix.weights[:, LEAD : LEAD + 1] * np.float32(lead_points),
            head.score.bias[LEAD : LEAD + 1] * np.float32(lead_points),
        )
        one = graph.constant([1], np.int64)
        graph.add("Squeeze", lead, one, name="lead")
        owners = graph.add("Tanh", self._convolve(points, head.ownership))
        graph.add("Squeeze", owners, one, name="ownership")

    def _value_pooled(self, points: str) -> str:
        """Add mean, mean by width, and mean by width squared less a tenth, of each channel."""
        graph = self.graph
        mean = graph.mean(points)
        square = graph.add("Sub", graph.add("Mul", self.width, self.width), graph.constant(0.1))
        wide, wider = graph.add("Mul", mean, self.width), graph.add("Mul", mean, square)
        return graph.add("Concat", mean, wide, wider, axis=1)

    def _win(self, hidden: str, matrix: Matrix, bias: Floats) -> None:
        """Add the probability of a win, if there is a result at all.

        Like KataGo, which rules out games without a result where a superko rule does.
        """
        logit = self.graph.multiply(
            hidden,
            matrix.weights[:, WIN : WIN + 1] - matrix.weights[:, LOSS : LOSS + 1],
            bias[WIN : WIN + 1] - bias[LOSS : LOSS + 1],
        )
        flat = self.graph.add("Squeeze", logit, self.graph.constant([1], np.int64))
        self.graph.add("Sigmoid", flat, name="win")


def _mish(graph: Graph, value: str) -> str:
    return graph.add("Mish", value)


def _silu(graph: Graph, value: str) -> str:
    return graph.add("Mul", value, graph.add("Sigmoid", value))


def _relu(graph: Graph, value: str) -> str:
    return graph.add("Relu", value)


def _identity(_graph: Graph, value: str) -> str:
    return value


_ACTIVATIONS: dict[Activation, Callable[[Graph, str], str]] = {
    Activation.IDENTITY: _identity,
    Activation.RELU: _relu,
    Activation.MISH: _mish,
    Activation.SILU: _silu,
}
