"""Import of KataGo networks: conversion to ONNX and a trial evaluation.

KataGo masks its planes because its batches mix board sizes. Tengen's batches hold boards of one
size that fill the planes, so no mask is needed. Batch norms after convolutions are folded into the
weights.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx

from tengen.nets.evaluation import Floats
from tengen.nets.katago.model import (
    NUMBERS,
    PLANES,
    Activation,
    Convolution,
    KataGoBlock,
    KataGoModel,
    KataGoTrunk,
    Matrix,
    ModelStream,
    Norm,
    PolicyHead,
    Pooling,
    ValueHead,
)
from tengen.nets.onnx_graph import GraphBuilder, save_model
from tengen.nets.onnx_model import OnnxModel
from tengen.util.errors import TengenError

FEATURES = "katago-7"
WIN, LOSS = 0, 1
LEAD = 2
"""Indices in the outputs of the value head."""


def to_onnx(model: KataGoModel) -> onnx.ModelProto:
    """Return the network as an ONNX model with Tengen's interface (`tengen.nets.onnx_model`)."""
    return _KataGoWriter().write(model)


class _KataGoWriter:
    """Writes the parts of a network into a graph."""

    def __init__(self) -> None:
        self.graph = GraphBuilder()
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
        """Add (sqrt(area) - 14) / 10, the board-size input of KataGo's pooling layers."""
        graph = self.graph
        size = graph.add("Shape", "planes", start=2)
        area = graph.add("Cast", graph.add("ReduceProd", size), to=int(onnx.TensorProto.FLOAT))
        width = graph.add("Sub", graph.add("Sqrt", area), graph.constant(14))
        return graph.add("Mul", width, graph.constant(0.1))

    def _activate(self, value: str, kind: Activation) -> str:
        return _ACTIVATIONS[kind](self.graph, value)

    def _norm(self, value: str, norm: Norm) -> str:
        return self._activate(self.graph.normalize(value, norm.scale, norm.bias), norm.activation)

    def _convolve(self, value: str, layer: Convolution) -> str:
        return self.graph.convolve(value, layer.weights, dilation=layer.dilation)

    def _convolve_norm(
        self, value: str, layer: Convolution, norm: Norm, more: str | None = None
    ) -> str:
        """Add a convolution and its norm, with `more` added per channel between them."""
        weights = layer.weights * norm.scale[:, None, None, None]
        result = self.graph.convolve(value, weights, norm.bias, layer.dilation)
        if more is not None:
            result = self.graph.everywhere(result, more)
        return self._activate(result, norm.activation)

    def _trunk(self, trunk: KataGoTrunk) -> str:
        numbers = self.graph.multiply("numbers", trunk.from_numbers.weights)
        value = self.graph.everywhere(self._convolve("planes", trunk.first), numbers)
        for block in trunk.blocks:
            value = self._block(value, block)
        return self._norm(value, trunk.tip)

    def _block(self, value: str, block: KataGoBlock) -> str:
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
        """Add the output of a pooled branch per channel of another, before its norm."""
        pooled = self._pooled(value, pooling)
        return self.graph.multiply(pooled, pooling.to_bias.weights * scale)

    def _pooled(self, value: str, pooling: Pooling) -> str:
        """Add mean, mean scaled by board width, and maximum of each channel."""
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
        """Add mean, mean by width, and mean by width squared minus 0.1, of each channel."""
        graph = self.graph
        mean = graph.mean(points)
        square = graph.add("Sub", graph.add("Mul", self.width, self.width), graph.constant(0.1))
        wide, wider = graph.add("Mul", mean, self.width), graph.add("Mul", mean, square)
        return graph.add("Concat", mean, wide, wider, axis=1)

    def _win(self, hidden: str, matrix: Matrix, bias: Floats) -> None:
        """Add the winning probability given that there is a result.

        KataGo likewise excludes games without a result under superko rules.
        """
        logit = self.graph.multiply(
            hidden,
            matrix.weights[:, WIN : WIN + 1] - matrix.weights[:, LOSS : LOSS + 1],
            bias[WIN : WIN + 1] - bias[LOSS : LOSS + 1],
        )
        flat = self.graph.add("Squeeze", logit, self.graph.constant([1], np.int64))
        self.graph.add("Sigmoid", flat, name="win")


def _mish(graph: GraphBuilder, value: str) -> str:
    return graph.add("Mish", value)


def _silu(graph: GraphBuilder, value: str) -> str:
    return graph.add("Mul", value, graph.add("Sigmoid", value))


def _relu(graph: GraphBuilder, value: str) -> str:
    return graph.add("Relu", value)


def _identity(_graph: GraphBuilder, value: str) -> str:
    return value


_ACTIVATIONS: dict[Activation, Callable[[GraphBuilder, str], str]] = {
    Activation.IDENTITY: _identity,
    Activation.RELU: _relu,
    Activation.MISH: _mish,
    Activation.SILU: _silu,
}


def import_net(source: Path, target: Path) -> KataGoModel:
    """Write a KataGo model file as an ONNX model and return the model that was read.

    Raise TengenError, and leave no file behind, if it is invalid or does not work.
    """
    model = KataGoModel.read(ModelStream(source))
    trial = target.with_name(target.name + ".trial")
    try:
        save_model(to_onnx(model), trial)
        _check_outputs(trial)
        trial.replace(target)
    except OSError:
        raise
    except Exception as error:  # inconsistent layers fail in many ways
        message = f"{source}: damaged KataGo model (inconsistent layers or non-finite outputs)"
        raise TengenError(message) from error
    finally:
        trial.unlink(missing_ok=True)
    return model


def _check_outputs(path: Path) -> None:
    """Evaluate an empty board, without feature kernels, which may not be compiled yet."""
    planes = np.zeros((1, PLANES, 9, 9), dtype=np.float32)
    planes[:, 0] = 1
    outputs = OnnxModel(path).run(planes, np.zeros((1, NUMBERS), dtype=np.float32))
    if not all(np.isfinite(part).all() for part in outputs):
        raise ValueError("non-finite outputs")
