"""KataGo's networks as read from a model file: blocks, trunk and heads.

Each class has a `read` method; arrays are in the axis order of ONNX.
"""

from dataclasses import dataclass

from tengen.nets.evaluation import Floats
from tengen.nets.katago.layers import (
    Activation,
    Convolution,
    Matrix,
    Norm,
    RmsNorm,
    read_activation,
    read_bias,
)
from tengen.nets.katago.player_profile import METADATA
from tengen.nets.katago.stream import ModelStream
from tengen.nets.katago.transformer import Attention, FeedForward

MIN_VERSION, MAX_VERSION = 8, 17
"""Supported versions of the format."""
PLANES, NUMBERS = 22, 19
"""Inputs of a network: version 7 of KataGo's features."""


@dataclass(frozen=True)
class Pooling:
    """A branch pooled over the board that is added to every point of another branch."""

    convolution: Convolution
    norm: Norm
    to_bias: Matrix

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "Pooling":
        """Read it from a stream."""
        return cls(Convolution.read(stream), Norm.read(stream, version), Matrix.read(stream))


@dataclass(frozen=True)
class ConvolutionBlock:
    """A residual block of convolutions.

    Norm, convolution, then either a norm (with the output of `pooling` added before it) or nested
    blocks (`inner`, a nested bottleneck) and a norm, then a convolution.
    """

    before: Norm
    first: Convolution
    pooling: Pooling | None
    inner: "tuple[Block, ...]"
    middle: Norm
    last: Convolution

    @classmethod
    def read(cls, stream: ModelStream, version: int, kind: str, depth: int) -> "ConvolutionBlock":
        """Read a block from a stream, after the word that names its kind."""
        stream.word()
        if depth > MAX_DEPTH:
            raise stream.error(f"damaged KataGo model: {NESTED} nested {depth} times")
        count = stream.integer(1, 1000) if kind == NESTED else 0
        return cls(
            before=Norm.read(stream, version),
            first=Convolution.read(stream),
            pooling=Pooling.read(stream, version) if kind == POOLING else None,
            inner=tuple(read_block(stream, version, depth + 1) for _ in range(count)),
            middle=Norm.read(stream, version),
            last=Convolution.read(stream),
        )

    @property
    def has_transformer(self) -> bool:
        """Whether transformer blocks are directly inside."""
        return any(not isinstance(block, ConvolutionBlock) for block in self.inner)


Block = ConvolutionBlock | Attention | FeedForward
ORDINARY, POOLING, NESTED = "ordinary_block", "gpool_block", "nested_bottleneck_block"
ATTENTION, FEED_FORWARD = "transformer_attention_block", "transformer_ffn_block"
MAX_DEPTH = 8
"""Maximum number of blocks around a block."""


def read_block(stream: ModelStream, version: int, depth: int = 0) -> Block:
    """Read a block of any kind, inside `depth` others, from a stream."""
    kind = stream.word()
    if kind in (ORDINARY, POOLING, NESTED):
        return ConvolutionBlock.read(stream, version, kind, depth)
    if kind == ATTENTION:
        return Attention.read(stream)
    if kind == FEED_FORWARD:
        return FeedForward.read(stream)
    raise stream.error(f"unsupported block {kind[:40]!r}")


@dataclass(frozen=True)
class MetadataEncoder:
    """Dense layers on the metadata of players, added to every point like the global features."""

    hidden: "tuple[DenseLayer, DenseLayer]"
    activations: tuple[Activation, Activation]
    last: Matrix

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "MetadataEncoder":
        """Read it from a stream."""
        stream.word()
        if stream.integer() != METADATA:
            raise stream.error(f"unsupported KataGo model: player metadata is not {METADATA} long")
        layers = [(DenseLayer.read(stream), read_activation(stream, version)) for _ in range(2)]
        (first, activation), (second, other) = layers
        return cls((first, second), (activation, other), Matrix.read(stream))


@dataclass(frozen=True)
class Trunk:
    """The trunk of a network."""

    first: Convolution
    from_numbers: Matrix
    from_metadata: MetadataEncoder | None
    blocks: tuple[Block, ...]
    tip: Norm | RmsNorm

    @classmethod
    def read(cls, stream: ModelStream, version: int, has_metadata: bool) -> "Trunk":
        """Read it from a stream."""
        stream.word()
        count = stream.integer(1, 1000)
        for _ in range(5):
            stream.integer()  # channel counts, repeated in each layer
        has_rms_norm = False
        if version >= 15:
            has_rms_norm = stream.integer(0, 1) == 1
            stream.zeros(5)
        return cls(
            first=Convolution.read(stream),
            from_numbers=Matrix.read(stream),
            from_metadata=MetadataEncoder.read(stream, version) if has_metadata else None,
            blocks=tuple(read_block(stream, version) for _ in range(count)),
            tip=(RmsNorm.read_tip if has_rms_norm else Norm.read)(stream, version),
        )


@dataclass(frozen=True)
class PassHidden:
    """Hidden layer of the pass output, from version 15 on."""

    bias: Floats
    activation: Activation
    last: Matrix

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "PassHidden":
        """Read it from a stream."""
        return cls(read_bias(stream), read_activation(stream, version), Matrix.read(stream))


@dataclass(frozen=True)
class PolicyHead:
    """The policy head."""

    first: Convolution
    pooling: Pooling
    middle: Norm
    last: Convolution
    """The first channel is the policy; the others, from version 12 on, are not used."""
    to_pass: Matrix
    pass_hidden: PassHidden | None

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "PolicyHead":
        """Read it from a stream."""
        stream.word()
        if version >= 17:
            stream.integer(1, 4)  # number of outputs per point
            stream.zeros(3)
        return cls(
            first=Convolution.read(stream),
            pooling=Pooling.read(stream, version),
            middle=Norm.read(stream, version),
            last=Convolution.read(stream),
            to_pass=Matrix.read(stream),
            pass_hidden=PassHidden.read(stream, version) if version >= 15 else None,
        )


@dataclass(frozen=True)
class DenseLayer:
    """A matrix and a bias."""

    matrix: Matrix
    bias: Floats

    @classmethod
    def read(cls, stream: ModelStream) -> "DenseLayer":
        """Read it from a stream."""
        return cls(Matrix.read(stream), read_bias(stream))


@dataclass(frozen=True)
class ValueHead:
    """The value head: winner, score and ownership."""

    first: Convolution
    norm: Norm
    hidden: DenseLayer
    activation: Activation
    value: DenseLayer
    """Logits of win, loss and no result."""
    score: DenseLayer
    """Mean, deviation, lead and others."""
    ownership: Convolution

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "ValueHead":
        """Read it from a stream."""
        stream.word()
        if version >= 17:
            stream.zeros(3)
        return cls(
            first=Convolution.read(stream),
            norm=Norm.read(stream, version),
            hidden=DenseLayer.read(stream),
            activation=read_activation(stream, version),
            value=DenseLayer.read(stream),
            score=DenseLayer.read(stream),
            ownership=Convolution.read(stream),
        )


@dataclass(frozen=True)
class KataGoModel:
    """A complete network."""

    name: str
    version: int
    lead_points: float
    """Scale of the lead output, in points."""
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead

    @classmethod
    def read(cls, stream: ModelStream) -> "KataGoModel":
        """Read a network; raise TengenError if it is not supported."""
        name, version = stream.word(), stream.integer()
        if not MIN_VERSION <= version <= MAX_VERSION:
            raise stream.error(
                f"unsupported KataGo model version {version}; Tengen reads {MIN_VERSION} to"
                f" {MAX_VERSION}"
            )
        if (stream.integer(), stream.integer()) != (PLANES, NUMBERS):
            raise stream.error("unsupported KataGo model: inputs are not version 7 features")
        lead_points = _read_lead_points(stream) if version >= 13 else 20.0
        has_metadata = False
        if version >= 15:
            kind = stream.integer()
            if kind > 1:
                raise stream.error(f"unsupported KataGo model: metadata of players of kind {kind}")
            has_metadata = kind == 1
            stream.integer(0, 1)  # pass-alive computation, which matters only with legal suicide
            stream.zeros(6)
        model = cls(
            name=name,
            version=version,
            lead_points=lead_points,
            trunk=Trunk.read(stream, version, has_metadata),
            policy=PolicyHead.read(stream, version),
            value=ValueHead.read(stream, version),
        )
        stream.finish()
        return model

    @property
    def numbers(self) -> int:
        """Number of global features, including the metadata of players."""
        return NUMBERS + (METADATA if self.trunk.from_metadata else 0)

    @property
    def channels(self) -> int:
        """Width of the trunk."""
        return self.trunk.first.outputs


def _read_lead_points(stream: ModelStream) -> float:
    """Read the seven output scales; return that of the lead."""
    return [stream.floating() for _ in range(7)][3]
