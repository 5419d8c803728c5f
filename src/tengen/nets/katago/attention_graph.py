"""Graphs of transformer blocks.

Rotation and attention are operators of ONNX Runtime (domain `com.microsoft`): one pass over queries
and keys, and an attention that computes its scores in tiles.
"""

import numpy as np

from tengen.board import MAX_SIZE
from tengen.nets.evaluation import Floats
from tengen.nets.katago.board_layers import BoardLayers, BoardTensor
from tengen.nets.katago.layers import Activation
from tengen.nets.katago.transformer import Attention, FeedForward
from tengen.nets.onnx_graph import RUNTIME_DOMAIN


class TransformerLayers:
    """Adds transformer blocks to a graph."""

    def __init__(self, layers: BoardLayers) -> None:
        self._layers = layers
        self._graph = layers.graph
        self._positions: str | None = None
        self._tables: dict[bytes, tuple[str, str]] = {}

    def attend(self, value: BoardTensor, block: Attention) -> BoardTensor:
        """Add a block of self-attention."""
        layers = self._layers
        value = layers.to_tokens(value)
        given = layers.normalize_rms(value, block.norm)
        query = layers.project(given, block.query.weights)
        key = layers.project(given, block.key.weights)
        content = layers.project(given, block.value.weights)
        if block.frequencies is not None:
            query = self._rotate(query, block.frequencies)
            key = self._rotate(key, block.frequencies)
        mixed = self._graph.add(
            "MultiHeadAttention",
            query.name,
            key.name,
            content.name,
            domain=RUNTIME_DOMAIN,
            num_heads=block.heads,
        )
        return layers.add(layers.project(content._replace(name=mixed), block.output.weights), value)

    def feed_forward(self, value: BoardTensor, block: FeedForward) -> BoardTensor:
        """Add a feed-forward block."""
        layers = self._layers
        value = layers.to_tokens(value)
        given = layers.normalize_rms(value, block.norm)
        hidden = layers.activate(layers.project(given, block.hidden.weights), Activation.SILU)
        gate = layers.project(given, block.gate.weights)
        product = hidden._replace(name=self._graph.add("Mul", hidden.name, gate.name))
        return layers.add(layers.project(product, block.output.weights), value)

    def _rotate(self, value: BoardTensor, frequencies: Floats) -> BoardTensor:
        """Rotate each pair of adjacent channels by an angle that depends on the point.

        The channels of all heads are one vector, so that heads may have different frequencies.
        """
        name = self._graph.add(
            "RotaryEmbedding",
            value.name,
            self._point_numbers(),
            *self._rotations(frequencies),
            domain=RUNTIME_DOMAIN,
            interleaved=1,
            num_heads=1,
        )
        return value._replace(name=name)

    def _rotations(self, frequencies: Floats) -> tuple[str, str]:
        """Return constants with the cosines and sines for all points of the largest board."""
        key = frequencies.tobytes()
        if key not in self._tables:
            rows, columns = np.divmod(np.arange(MAX_SIZE * MAX_SIZE), MAX_SIZE)
            by_column, by_row = frequencies.reshape(-1, 2).astype(np.float64).T
            angles = columns[:, None] * by_column + rows[:, None] * by_row
            constant = self._graph.constant
            self._tables[key] = constant(np.cos(angles)), constant(np.sin(angles))
        return self._tables[key]

    def _point_numbers(self) -> str:
        """Return the number of each point on the largest board: (n, points)."""
        if self._positions is None:
            graph, constant = self._graph, self._graph.constant
            largest = np.arange(MAX_SIZE * MAX_SIZE).reshape(1, MAX_SIZE, MAX_SIZE)
            corner, axes = constant([0, 0], np.int64), constant([1, 2], np.int64)
            board = graph.add("Slice", constant(largest, np.int64), corner, self._layers.size, axes)
            flat = graph.add("Flatten", board)
            count = graph.add("Shape", "planes", start=0, end=1)
            shape = graph.add("Concat", count, constant([1], np.int64), axis=0)
            self._positions = graph.add("Expand", flat, shape)
        return self._positions
