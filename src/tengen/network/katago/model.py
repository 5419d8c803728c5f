"""The parts of a KataGo net, as they stand in its file.

Each part has a `read` that takes it from a stream. Arrays are in the order ONNX wants.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tengen.network.evaluation import Floats
from tengen.network.katago.stream import ModelStream

OLDEST, NEWEST = 8, 15
"""The versions of the format that are read; 16 and later may hold transformers."""
PLANES, NUMBERS = 22, 19
"""What a net takes in: KataGo's features of version 7."""


class Activation(StrEnum):
    """What stands between two layers; the names are KataGo's."""

    IDENTITY = "ACTIVATION_IDENTITY"
    RELU = "ACTIVATION_RELU"
    MISH = "ACTIVATION_MISH"
    SILU = "ACTIVATION_SILU"


@dataclass(frozen=True)
class Convolution:
    """A convolution that keeps the size of the board."""

    weights: Floats
    """(out, in, height, width)."""
    dilation: tuple[int, int] = (1, 1)

    @classmethod
    def read(cls, stream: ModelStream) -> "Convolution":
        """Take it from a stream."""
        stream.word()
        height, width, inputs, outputs, *dilation = (stream.whole(1) for _ in range(6))
        if height % 2 == 0 or width % 2 == 0:
            raise stream.error("a damaged KataGo model: a convolution of even size")
        weights = stream.array(height, width, inputs, outputs).transpose(3, 2, 0, 1)
        return cls(np.ascontiguousarray(weights), (dilation[0], dilation[1]))

    @property
    def outputs(self) -> int:
        """How many channels come out."""
        return int(self.weights.shape[0])


@dataclass(frozen=True)
class Norm:
    """A batch norm with the activation after it: activation(scale * x + bias) a channel."""

    scale: Floats
    bias: Floats
    activation: Activation

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "Norm":
        """Take it from a stream."""
        stream.word()
        channels, epsilon = stream.whole(1), stream.real()
        has_scale, has_bias = stream.whole(0, 1), stream.whole(0, 1)
        mean, variance = stream.array(channels), stream.array(channels)
        scale = stream.array(channels) if has_scale else np.ones(channels, dtype=np.float32)
        bias = stream.array(channels) if has_bias else np.zeros(channels, dtype=np.float32)
        spread = variance + np.float32(epsilon)
        if not (spread > 0).all():
            raise stream.error("a damaged KataGo model: a variance below zero")
        scale = scale / np.sqrt(spread)
        return cls(scale, bias - scale * mean, read_activation(stream, version))


@dataclass(frozen=True)
class Matrix:
    """A layer without a place on the board."""

    weights: Floats
    """(in, out)."""

    @classmethod
    def read(cls, stream: ModelStream) -> "Matrix":
        """Take it from a stream."""
        stream.word()
        return cls(stream.array(stream.whole(1), stream.whole(1)))


def read_bias(stream: ModelStream) -> Floats:
    """Take the numbers that are added to a layer from a stream."""
    stream.word()
    return stream.array(stream.whole(1))


def read_activation(stream: ModelStream, version: int) -> Activation:
    """Take an activation from a stream; before version 11 it was always ReLU."""
    stream.word()
    if version < 11:
        return Activation.RELU
    kind = stream.word()
    try:
        return Activation(kind)
    except ValueError:
        raise stream.error(f"unknown activation {kind[:40]!r}; Tengen is too old for it") from None


@dataclass(frozen=True)
class Pooling:
    """A branch pooled over the whole board, that adds to every point of another branch."""

    convolution: Convolution
    norm: Norm
    to_bias: Matrix

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "Pooling":
        """Take it from a stream."""
        return cls(Convolution.read(stream), Norm.read(stream, version), Matrix.read(stream))


@dataclass(frozen=True)
class Block:
    """A residual block: what it computes is added to what it was given.

    Norm, convolution, then either a norm (with what `pooling` adds before it) or whole blocks
    (`inner`, a nested bottleneck) and a norm, and a convolution.
    """

    before: Norm
    first: Convolution
    pooling: Pooling | None
    inner: "tuple[Block, ...]"
    middle: Norm
    last: Convolution

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "Block":
        """Take one of any kind from a stream."""
        kind = stream.word()
        if kind not in ("ordinary_block", "gpool_block", "nested_bottleneck_block"):
            raise stream.error(f"a net with {kind[:40]!r}, which Tengen does not know")
        stream.word()
        count = stream.whole(1, 1000) if kind == "nested_bottleneck_block" else 0
        return cls(
            before=Norm.read(stream, version),
            first=Convolution.read(stream),
            pooling=Pooling.read(stream, version) if kind == "gpool_block" else None,
            inner=tuple(cls.read(stream, version) for _ in range(count)),
            middle=Norm.read(stream, version),
            last=Convolution.read(stream),
        )


@dataclass(frozen=True)
class Trunk:
    """The body of a net."""

    first: Convolution
    from_numbers: Matrix
    blocks: tuple[Block, ...]
    tip: Norm

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "Trunk":
        """Take it from a stream."""
        stream.word()
        count = stream.whole(1, 1000)
        for _ in range(5):
            stream.whole()  # channels of the kinds of layers: each layer tells its own
        if version >= 15:
            stream.zeros(6)
        return cls(
            first=Convolution.read(stream),
            from_numbers=Matrix.read(stream),
            blocks=tuple(Block.read(stream, version) for _ in range(count)),
            tip=Norm.read(stream, version),
        )


@dataclass(frozen=True)
class PassHidden:
    """From version 15 on, the pass has a layer of its own."""

    bias: Floats
    activation: Activation
    last: Matrix

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "PassHidden":
        """Take it from a stream."""
        return cls(read_bias(stream), read_activation(stream, version), Matrix.read(stream))


@dataclass(frozen=True)
class PolicyHead:
    """What says where to play."""

    first: Convolution
    pooling: Pooling
    middle: Norm
    last: Convolution
    """Its first channel is the policy; others, from version 12 on, are not used."""
    to_pass: Matrix
    pass_hidden: PassHidden | None

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "PolicyHead":
        """Take it from a stream."""
        stream.word()
        return cls(
            first=Convolution.read(stream),
            pooling=Pooling.read(stream, version),
            middle=Norm.read(stream, version),
            last=Convolution.read(stream),
            to_pass=Matrix.read(stream),
            pass_hidden=PassHidden.read(stream, version) if version >= 15 else None,
        )


@dataclass(frozen=True)
class Layer:
    """A matrix and what is added to its result."""

    matrix: Matrix
    bias: Floats

    @classmethod
    def read(cls, stream: ModelStream) -> "Layer":
        """Take it from a stream."""
        return cls(Matrix.read(stream), read_bias(stream))


@dataclass(frozen=True)
class ValueHead:
    """What says who wins, by how much, and who owns which point."""

    first: Convolution
    norm: Norm
    hidden: Layer
    activation: Activation
    value: Layer
    """Logits of win, loss, no result."""
    score: Layer
    """Mean, deviation, lead, and others."""
    ownership: Convolution

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "ValueHead":
        """Take it from a stream."""
        stream.word()
        return cls(
            first=Convolution.read(stream),
            norm=Norm.read(stream, version),
            hidden=Layer.read(stream),
            activation=read_activation(stream, version),
            value=Layer.read(stream),
            score=Layer.read(stream),
            ownership=Convolution.read(stream),
        )


@dataclass(frozen=True)
class KataGoModel:
    """A whole net."""

    name: str
    version: int
    lead_points: float
    """What the net's number for the lead is multiplied with."""
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead

    @classmethod
    def read(cls, stream: ModelStream) -> "KataGoModel":
        """Take it from a stream; raise TengenError if it is not a net that Tengen knows."""
        name, version = stream.word(), stream.whole()
        if not OLDEST <= version <= NEWEST:
            raise stream.error(
                f"a KataGo model of version {version}; Tengen reads {OLDEST} to {NEWEST}"
            )
        if (stream.whole(), stream.whole()) != (PLANES, NUMBERS):
            raise stream.error("a KataGo model with other inputs than those of version 7")
        lead_points = _read_lead_points(stream) if version >= 13 else 20.0
        if version >= 15:
            if stream.whole() != 0:
                raise stream.error("a net that wants to know the players; Tengen has no such input")
            stream.whole(0, 1)  # pass-alive as if suicide were legal: only for rules with it
            stream.zeros(6)
        model = cls(
            name=name,
            version=version,
            lead_points=lead_points,
            trunk=Trunk.read(stream, version),
            policy=PolicyHead.read(stream, version),
            value=ValueHead.read(stream, version),
        )
        stream.finish()
        return model

    @property
    def channels(self) -> int:
        """The width of the trunk."""
        return self.trunk.first.outputs


def _read_lead_points(stream: ModelStream) -> float:
    """Read the seven multipliers of outputs; return that of the lead."""
    return [stream.real() for _ in range(7)][3]
