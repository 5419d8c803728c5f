"""KataGo's model files: the reader and the layers of a network.

A file is gzip. Inside are ASCII words separated by white space; each array of weights is the mark
`@BIN@` followed by little-endian float32 values. Each layer class has a `read` method; arrays are
in the axis order of ONNX.
"""

import gzip
import zlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from tengen.nets.evaluation import Floats
from tengen.util.errors import TengenError

MIN_VERSION, MAX_VERSION = 8, 15
"""Supported versions of the format; 16 and later may contain transformers."""
PLANES, NUMBERS = 22, 19
"""Inputs of a network: version 7 of KataGo's features."""
MARK = b"@BIN@"
BLANKS = b" \t\r\n"
LONGEST_WORD = 1000
LARGEST_ARRAY = 1 << 28
"""Maximum number of weights in an array; larger ones mean a damaged file."""


class ModelStream:
    """A model file read sequentially; errors are one line that names the file."""

    def __init__(self, path: Path) -> None:
        """Decompress a file; raise TengenError if it is not a KataGo model."""
        self.path = path
        self._content = _unpack(path)
        self._place = 0

    def error(self, what: str) -> TengenError:
        """Return an error about this file."""
        return TengenError(f"{self.path}: {what}")

    def word(self) -> str:
        """Return the next word."""
        content, begin = self._content, self._place
        while begin < len(content) and content[begin] in BLANKS:
            begin += 1
        end = begin
        while end < len(content) and content[end] not in BLANKS and end - begin <= LONGEST_WORD:
            end += 1
        if begin == end:
            raise self.error("file is truncated; download it again")
        self._place = end
        try:
            return content[begin:end].decode("ascii")
        except UnicodeDecodeError:
            raise self.error("not a KataGo model, or damaged") from None

    def integer(self, low: int = 0, high: int = 1 << 20) -> int:
        """Return the next word as an integer within a range."""
        word = self.word()
        try:
            number = int(word)
        except ValueError:
            raise self.error(f"not a KataGo model: expected a number, got {word[:20]!r}") from None
        if not low <= number <= high:
            raise self.error(f"damaged KataGo model: {number} is not within {low} to {high}")
        return number

    def floating(self) -> float:
        """Return the next word as a float."""
        word = self.word()
        try:
            return float(word)
        except ValueError:
            raise self.error(f"not a KataGo model: expected a number, got {word[:20]!r}") from None

    def zeros(self, count: int) -> None:
        """Read words that must be 0: reserved for options that are not supported."""
        for _ in range(count):
            if self.integer(-(1 << 20)) != 0:
                raise self.error("uses an unsupported option of KataGo")

    def array(self, *shape: int) -> Floats:
        """Return the next array."""
        count = int(np.prod(shape, dtype=object))
        begin = self._content.find(MARK, self._place, self._place + 100) + len(MARK)
        if begin < len(MARK):
            raise self.error("no binary weights found; .txt.gz models are not supported")
        end = begin + 4 * count
        if count > LARGEST_ARRAY or end > len(self._content):
            raise self.error("file is truncated; download it again")
        self._place = end
        numbers = np.frombuffer(self._content[begin:end], dtype="<f4").astype(np.float32)
        if not np.isfinite(numbers).all():
            raise self.error(f"damaged KataGo model: non-finite weights before byte {end}")
        return numbers.reshape(shape)

    def finish(self) -> None:
        """Raise TengenError unless the whole file was read."""
        if self._content[self._place :].strip(BLANKS):
            raise self.error("damaged KataGo model: unexpected data at the end")


def _unpack(path: Path) -> bytes:
    if not path.is_file():
        raise TengenError(f"{path}: {'a folder' if path.is_dir() else 'no such file'}")
    try:
        return gzip.decompress(path.read_bytes())
    except EOFError:
        raise TengenError(f"{path}: file is truncated; download it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TengenError(f"{path}: not a KataGo model (.bin.gz), or damaged") from None


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
class KataGoBlock:
    """A residual block.

    Norm, convolution, then either a norm (with the output of `pooling` added before it) or nested
    blocks (`inner`, a nested bottleneck) and a norm, then a convolution.
    """

    before: Norm
    first: Convolution
    pooling: Pooling | None
    inner: "tuple[KataGoBlock, ...]"
    middle: Norm
    last: Convolution

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "KataGoBlock":
        """Read a block of any kind."""
        kind = stream.word()
        if kind not in ("ordinary_block", "gpool_block", "nested_bottleneck_block"):
            raise stream.error(f"unsupported block {kind[:40]!r}")
        stream.word()
        count = stream.integer(1, 1000) if kind == "nested_bottleneck_block" else 0
        return cls(
            before=Norm.read(stream, version),
            first=Convolution.read(stream),
            pooling=Pooling.read(stream, version) if kind == "gpool_block" else None,
            inner=tuple(cls.read(stream, version) for _ in range(count)),
            middle=Norm.read(stream, version),
            last=Convolution.read(stream),
        )


@dataclass(frozen=True)
class KataGoTrunk:
    """The trunk of a network."""

    first: Convolution
    from_numbers: Matrix
    blocks: tuple[KataGoBlock, ...]
    tip: Norm

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "KataGoTrunk":
        """Read it from a stream."""
        stream.word()
        count = stream.integer(1, 1000)
        for _ in range(5):
            stream.integer()  # channel counts, repeated in each layer
        if version >= 15:
            stream.zeros(6)
        return cls(
            first=Convolution.read(stream),
            from_numbers=Matrix.read(stream),
            blocks=tuple(KataGoBlock.read(stream, version) for _ in range(count)),
            tip=Norm.read(stream, version),
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
    """The first channel is the policy; others, from version 12 on, are not used."""
    to_pass: Matrix
    pass_hidden: PassHidden | None

    @classmethod
    def read(cls, stream: ModelStream, version: int) -> "PolicyHead":
        """Read it from a stream."""
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
    trunk: KataGoTrunk
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
        if version >= 15:
            if stream.integer() != 0:
                raise stream.error("unsupported KataGo model: needs metadata of the players")
            stream.integer(0, 1)  # pass-alive computation, which matters only with legal suicide
            stream.zeros(6)
        model = cls(
            name=name,
            version=version,
            lead_points=lead_points,
            trunk=KataGoTrunk.read(stream, version),
            policy=PolicyHead.read(stream, version),
            value=ValueHead.read(stream, version),
        )
        stream.finish()
        return model

    @property
    def channels(self) -> int:
        """Width of the trunk."""
        return self.trunk.first.outputs


def _read_lead_points(stream: ModelStream) -> float:
    """Read the seven output scales; return that of the lead."""
    return [stream.floating() for _ in range(7)][3]
