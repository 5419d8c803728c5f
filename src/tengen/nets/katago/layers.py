"""Layers of KataGo's networks.

Each class has a `read` method; arrays are in the axis order of ONNX.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tengen.nets.evaluation import Floats
from tengen.nets.katago.stream import ModelStream


class Activation(StrEnum):
    """Activation functions, by KataGo's names."""

    IDENTITY = "ACTIVATION_IDENTITY"
    RELU = "ACTIVATION_RELU"
    MISH = "ACTIVATION_MISH"
    SILU = "ACTIVATION_SILU"


@dataclass(frozen=True)
class Convolution:
    """A same-size convolution."""

    weights: Floats
    """(out, in, height, width)."""
    dilation: tuple[int, int] = (1, 1)

    @classmethod
    def read(cls, stream: ModelStream) -> "Convolution":
        """Read it from a stream."""
        stream.word()
        height, width, inputs, outputs, *dilation = (stream.integer(1) for _ in range(6))
        if height % 2 == 0 or width % 2 == 0:
            raise stream.error("damaged KataGo model: convolution of even size")
        weights = stream.array(height, width, inputs, outputs).transpose(3, 2, 0, 1)
        return cls(np.ascontiguousarray(weights), (dilation[0], dilation[1]))

    @property
    def outputs(self) -> int:
        """Number of output channels."""
        return int(self.weights.shape[0])


@dataclass(frozen=True)
class Norm:
    """Batch norm and activation: activation(scale * x + bias) per channel."""

    scale: Floats
    bias: Floats
    activation: Activation

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "Norm":
        """Read it from a stream."""
        stream.word()
        channels, epsilon = stream.integer(1), stream.floating()
        has_scale, has_bias = stream.integer(0, 1), stream.integer(0, 1)
        mean, variance = stream.array(channels), stream.array(channels)
        scale = stream.array(channels) if has_scale else np.ones(channels, dtype=np.float32)
        bias = stream.array(channels) if has_bias else np.zeros(channels, dtype=np.float32)
        spread = variance + np.float32(epsilon)
        if not (spread > 0).all():
            raise stream.error("damaged KataGo model: negative variance")
        scale = scale / np.sqrt(spread)
        return cls(scale, bias - scale * mean, read_activation(stream, version))


@dataclass(frozen=True)
class Matrix:
    """Weights of a dense layer."""

    weights: Floats
    """(in, out)."""

    @classmethod
    def read(cls, stream: ModelStream) -> "Matrix":
        """Read it from a stream."""
        stream.word()
        return cls(stream.array(stream.integer(1), stream.integer(1)))

    @classmethod
    def read_sized(cls, stream: ModelStream, inputs: int, outputs: int) -> "Matrix":
        """Read it from a stream; raise TengenError if it has another shape."""
        matrix = cls.read(stream)
        if matrix.weights.shape != (inputs, outputs):
            raise stream.error(
                f"damaged KataGo model: a matrix is {matrix.weights.shape}, not {inputs, outputs}"
            )
        return matrix


def read_bias(stream: ModelStream) -> Floats:
    """Read the bias of a layer."""
    stream.word()
    return stream.array(stream.integer(1))


def read_activation(stream: ModelStream, version: int) -> Activation:
    """Read an activation; before version 11 it was always ReLU."""
    stream.word()
    if version < 11:
        return Activation.RELU
    kind = stream.word()
    try:
        return Activation(kind)
    except ValueError:
        raise stream.error(f"unsupported activation {kind[:40]!r}") from None


@dataclass(frozen=True)
class RmsNorm:
    """Division by the root mean square, scale * x + bias per channel, and activation."""

    epsilon: float
    scale: Floats
    bias: Floats | None = None
    over_board: bool = False
    """Whether the mean is over all points and channels, rather than the channels of a point."""
    activation: Activation = Activation.IDENTITY

    @classmethod
    def read(cls, stream: ModelStream) -> "RmsNorm":
        """Read the norm of a transformer block from a stream."""
        stream.word()
        channels = stream.integer(1)
        return cls(_read_epsilon(stream), stream.array(channels))

    @classmethod
    def read_tip(cls, stream: ModelStream, version: int) -> "RmsNorm":
        """Read the norm and activation at the end of a trunk from a stream."""
        name, channels = stream.word(), stream.integer(1)
        epsilon, over_board, group = _read_epsilon(stream), stream.integer(), stream.integer()
        if group != 0:
            raise stream.error(f"unsupported norm {name[:40]!r}: channels in groups")
        scale, bias = stream.array(channels), stream.array(channels)
        return cls(epsilon, scale, bias, over_board != 0, read_activation(stream, version))


def _read_epsilon(stream: ModelStream) -> float:
    epsilon = stream.floating()
    if not 0 < epsilon <= 1:
        raise stream.error(f"damaged KataGo model: epsilon is {epsilon}")
    return epsilon
