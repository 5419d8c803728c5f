"""Export of a trained network as an ONNX model (see `tengen.nets.onnx_model`)."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from torch import Tensor, nn

from tengen.nets.evaluation import Floats
from tengen.nets.kernels.features import KOMI, KOMI_UNIT, NUMBERS
from tengen.nets.onnx_graph import GraphBuilder, save_model
from tengen.nets.tengen_net import TengenFeatures
from tengen.nets.training.model import CLOSE_POINTS, LEAD_UNIT, SLOPE, ResidualBlock, TengenModel

ACTIVATED = "activated"
"""Metadata: number of blocks that pass on their activated input."""
OUTPUTS: dict[str, list[int | str]] = {
    "policy": ["n", "moves"],
    "win": ["n"],
    "lead": ["n"],
    "ownership": ["n", "rows", "columns"],
}


def export(model: TengenModel, path: Path, name: str, notes: Mapping[str, str]) -> None:
    """Write a network with `notes` as informative metadata (`tengen net info`)."""
    about = {
        "features": TengenFeatures(model.playouts).kind,
        "name": name,
        "size": f"{model.blocks} blocks of {model.channels} channels",
        ACTIVATED: str(model.activated),
        **notes,
    }
    save_model(to_onnx(model, {f"tengen.{key}": text for key, text in about.items()}), path)


def to_onnx(model: TengenModel, metadata: Mapping[str, str]) -> onnx.ModelProto:
    """Return the network as an ONNX model."""
    writer = _ModelWriter()
    writer.write(model)
    inputs: dict[str, list[int | str]] = {
        "planes": ["n", model.planes, "rows", "columns"],
        "numbers": ["n", NUMBERS],
    }
    return writer.graph.model(inputs, OUTPUTS, metadata)


def _numbers(weights: Tensor) -> Floats:
    numbers: Floats = weights.detach().numpy().astype(np.float32)
    return np.ascontiguousarray(numbers)


class _ModelWriter:
    """Writes a `TengenModel` into a graph."""

    def __init__(self) -> None:
        self.graph = GraphBuilder()

    def write(self, model: TengenModel) -> None:
        """Write the whole network."""
        graph = self.graph
        entry = self._convolve("planes", model.entry)
        value = graph.everywhere(entry, self._multiply("numbers", model.entry_numbers))
        for block in model.tower:
            assert isinstance(block, ResidualBlock)
            value = self._block(value, block)
        value = self._leaky_relu(value)
        whole = self._pool(value)
        known = graph.add("Concat", whole, "numbers", axis=1)
        self._policy(model, value, whole, known)
        self._value(model, value, known)

    def _convolve(self, value: str, layer: nn.Conv2d) -> str:
        assert layer.bias is not None
        return self.graph.convolve(value, _numbers(layer.weight), _numbers(layer.bias))

    def _multiply(self, value: str, layer: nn.Linear) -> str:
        # PyTorch's type of `bias` does not allow None.
        bias: Tensor | None = layer.bias
        matrix = np.ascontiguousarray(_numbers(layer.weight).T)
        return self.graph.multiply(value, matrix, None if bias is None else _numbers(bias))

    def _leaky_relu(self, value: str) -> str:
        return self.graph.add("LeakyRelu", value, alpha=SLOPE)

    def _pool(self, value: str) -> str:
        return self.graph.add("Concat", self.graph.mean(value), self.graph.largest(value), axis=1)

    def _block(self, value: str, block: ResidualBlock) -> str:
        active = self._leaky_relu(value)
        inner = self._leaky_relu(self._convolve(active, block.first))
        kept = active if block.activates_skip else value
        if block.whole is not None:
            # Added to the skip connection, so that the last convolution is fused with its sum.
            kept = self.graph.everywhere(kept, self._multiply(self._pool(inner), block.whole))
        return self.graph.add("Add", self._convolve(inner, block.second), kept)

    def _policy(self, model: TengenModel, trunk: str, whole: str, known: str) -> None:
        graph = self.graph
        head = graph.everywhere(
            self._convolve(trunk, model.policy), self._multiply(whole, model.policy_whole)
        )
        moves = graph.add("Flatten", self._convolve(self._leaky_relu(head), model.policy_out))
        graph.add("Concat", moves, self._multiply(known, model.passing), name="policy", axis=1)

    def _value(self, model: TengenModel, trunk: str, known: str) -> None:
        graph = self.graph
        one = graph.constant([1], np.int64)
        owners = graph.add("Tanh", self._convolve(trunk, model.ownership))
        graph.add("Squeeze", owners, one, name="ownership")
        score = self._score(owners)
        scores = [
            graph.add("Div", score, graph.constant(LEAD_UNIT)),
            graph.add("Tanh", graph.add("Div", score, graph.constant(CLOSE_POINTS))),
        ]
        inputs = graph.add("Concat", known, *scores, axis=1)
        out = self._multiply(self._leaky_relu(self._multiply(inputs, model.value)), model.value_out)
        win, change = (self._column(out, index) for index in range(2))
        graph.add("Sigmoid", graph.add("Squeeze", win, one), name="win")
        lead = graph.add("Add", score, graph.add("Mul", change, graph.constant(LEAD_UNIT)))
        graph.add("Squeeze", lead, one, name="lead")

    def _score(self, owners: str) -> str:
        """Add the score of the ownership including komi: (n, 1)."""
        graph = self.graph
        last_two = graph.constant([2, 3], np.int64)
        points = graph.add("ReduceSum", owners, last_two, keepdims=0)
        komi = graph.add("Mul", self._column("numbers", int(KOMI)), graph.constant(KOMI_UNIT))
        return graph.add("Add", points, komi)

    def _column(self, value: str, index: int) -> str:
        """Add one column of a matrix: (n, 1)."""
        begin, end, axis = (self.graph.constant([n], np.int64) for n in (index, index + 1, 1))
        return self.graph.add("Slice", value, begin, end, axis)
