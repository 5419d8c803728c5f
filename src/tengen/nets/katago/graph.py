"""Conversion of KataGo networks to ONNX.

KataGo masks its planes because its batches mix board sizes. Tengen's batches hold boards of one
size that fill the planes, so no mask is needed. Batch norms after convolutions are folded into the
weights.
"""

from dataclasses import replace

import numpy as np
import onnx

from tengen.nets.evaluation import Floats
from tengen.nets.katago.attention_graph import TransformerLayers
from tengen.nets.katago.board_layers import BoardLayers, BoardTensor, add_activation
from tengen.nets.katago.layers import Convolution, Matrix, Norm, RmsNorm
from tengen.nets.katago.model import (
    NUMBERS,
    PLANES,
    Block,
    ConvolutionBlock,
    KataGoModel,
    PolicyHead,
    Pooling,
    Trunk,
    ValueHead,
)
from tengen.nets.katago.player_profile import METADATA
from tengen.nets.katago.transformer import Attention, FeedForward
from tengen.nets.onnx_graph import GraphBuilder

FEATURES, HUMAN_FEATURES = "katago-7", "katago-7-human"
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
        self.layers = BoardLayers(self.graph, self.graph.add("Shape", "planes", start=2))
        self.transformer = TransformerLayers(self.layers)
        self.width = self._board_width()

    def write(self, model: KataGoModel) -> onnx.ModelProto:
        trunk = self._trunk(model.trunk)
        self._policy(model.policy, trunk)
        self._value(model.value, trunk, model.lead_points)
        return self.graph.model(
            {"planes": ["n", PLANES, "rows", "columns"], "numbers": ["n", model.numbers]},
            {
                "policy": ["n", "moves"],
                "win": ["n"],
                "lead": ["n"],
                "ownership": ["n", "rows", "columns"],
            },
            {
                "tengen.features": HUMAN_FEATURES if model.trunk.from_metadata else FEATURES,
                "tengen.name": model.name,
                "tengen.origin": f"KataGo, format version {model.version}",
                "tengen.size": f"{len(model.trunk.blocks)} blocks of {model.channels} channels",
            },
        )

    def _board_width(self) -> str:
        """Add (sqrt(area) - 14) / 10, the board-size input of KataGo's pooling layers."""
        graph = self.graph
        area = graph.add("ReduceProd", self.layers.size)
        area = graph.add("Cast", area, to=int(onnx.TensorProto.FLOAT))
        width = graph.add("Sub", graph.add("Sqrt", area), graph.constant(14))
        return graph.add("Mul", width, graph.constant(0.1))

    def _trunk(self, trunk: Trunk) -> BoardTensor:
        planes = BoardTensor("planes", PLANES, is_tokens=False)
        value = self.layers.everywhere(
            self.layers.convolve(planes, trunk.first), self._numbers(trunk)
        )
        for block in trunk.blocks:
            value = self._block(value, block)
        if isinstance(trunk.tip, RmsNorm):
            return self.layers.normalize_rms(value, trunk.tip)
        return self.layers.normalize(value, trunk.tip)

    def _numbers(self, trunk: Trunk) -> str:
        """Add the effect of the global features and the metadata: (n, channels)."""
        graph, encoder = self.graph, trunk.from_metadata
        if encoder is None:
            return graph.multiply("numbers", trunk.from_numbers.weights)
        ends = [graph.constant([end], np.int64) for end in (0, NUMBERS, NUMBERS + METADATA, 1)]
        own = graph.add("Slice", "numbers", ends[0], ends[1], ends[3])
        value = graph.add("Slice", "numbers", ends[1], ends[2], ends[3])
        for layer, activation in zip(encoder.hidden, encoder.activations, strict=True):
            value = graph.multiply(value, layer.matrix.weights, layer.bias)
            value = add_activation(graph, value, activation)
        return graph.add(
            "Add",
            graph.multiply(own, trunk.from_numbers.weights),
            graph.multiply(value, encoder.last.weights),
        )

    def _block(self, value: BoardTensor, block: Block) -> BoardTensor:
        match block:
            case Attention():
                return self.transformer.attend(value, block)
            case FeedForward():
                return self.transformer.feed_forward(value, block)
            case ConvolutionBlock():
                return self._residual_block(value, block)

    def _residual_block(self, value: BoardTensor, block: ConvolutionBlock) -> BoardTensor:
        layers = self.layers
        if block.has_transformer:
            value = layers.to_tokens(value)
        given = layers.normalize(value, block.before)
        if block.inner:
            inside = layers.convolve(given, block.first)
            for inner in block.inner:
                inside = self._block(inside, inner)
            inside = layers.normalize(inside, block.middle)
        else:
            more = self._pool(given, block.pooling, block.middle.scale) if block.pooling else None
            inside = self._convolve_norm(given, block.first, block.middle, more)
        return layers.add(layers.convolve(inside, block.last), value)

    def _convolve_norm(
        self, value: BoardTensor, layer: Convolution, norm: Norm, more: str | None = None
    ) -> BoardTensor:
        """Add a convolution and its norm, with `more` added per channel between them."""
        scaled = replace(layer, weights=layer.weights * norm.scale[:, None, None, None])
        result = self.layers.convolve(value, scaled, norm.bias)
        if more is not None:
            result = self.layers.everywhere(result, more)
        return self.layers.activate(result, norm.activation)

    def _pool(self, value: BoardTensor, pooling: Pooling, scale: Floats) -> str:
        """Add the output of a pooled branch per channel of another, before its norm."""
        pooled = self._pooled(value, pooling)
        return self.graph.multiply(pooled, pooling.to_bias.weights * scale)

    def _pooled(self, value: BoardTensor, pooling: Pooling) -> str:
        """Add mean, mean scaled by board width, and maximum of each channel."""
        branch = self._convolve_norm(value, pooling.convolution, pooling.norm)
        mean = self.layers.mean(branch)
        wide = self.graph.add("Mul", mean, self.width)
        return self.graph.add("Concat", mean, wide, self.layers.largest(branch), axis=1)

    def _policy(self, head: PolicyHead, trunk: BoardTensor) -> None:
        graph = self.graph
        pooled = self._pooled(trunk, head.pooling)
        more = graph.multiply(pooled, head.pooling.to_bias.weights * head.middle.scale)
        points = self._convolve_norm(trunk, head.first, head.middle, more)
        moves = self.layers.convolve(points, replace(head.last, weights=head.last.weights[:1]))
        flat = self.layers.points(moves)
        graph.add("Concat", flat, self._pass(head, pooled), name="policy", axis=1)

    def _pass(self, head: PolicyHead, pooled: str) -> str:
        """Add the logit of the pass: (n, 1)."""
        if head.pass_hidden is None:
            return self.graph.multiply(pooled, head.to_pass.weights[:, :1])
        hidden = self.graph.multiply(pooled, head.to_pass.weights, head.pass_hidden.bias)
        hidden = add_activation(self.graph, hidden, head.pass_hidden.activation)
        return self.graph.multiply(hidden, head.pass_hidden.last.weights[:, :1])

    def _value(self, head: ValueHead, trunk: BoardTensor, lead_points: float) -> None:
        graph = self.graph
        points = self._convolve_norm(trunk, head.first, head.norm)
        pooled = self._value_pooled(points)
        hidden = graph.multiply(pooled, head.hidden.matrix.weights, head.hidden.bias)
        hidden = add_activation(graph, hidden, head.activation)
        self._win(hidden, head.value.matrix, head.value.bias)
        lead = graph.multiply(
            hidden,
            head.score.matrix.weights[:, LEAD : LEAD + 1] * np.float32(lead_points),
            head.score.bias[LEAD : LEAD + 1] * np.float32(lead_points),
        )
        graph.add("Squeeze", lead, graph.constant([1], np.int64), name="lead")
        owners = self.layers.grid(self.layers.convolve(points, head.ownership))
        graph.add("Tanh", owners, name="ownership")

    def _value_pooled(self, points: BoardTensor) -> str:
        """Add mean, mean by width, and mean by width squared minus 0.1, of each channel."""
        graph = self.graph
        mean = self.layers.mean(points)
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
