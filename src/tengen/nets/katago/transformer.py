"""Transformer blocks of KataGo's networks: attention and feed-forward.

Both add their output to their input. Points attend to all points of the board. Queries and keys are
rotated by their position on the board (RoPE), so that attention depends on relative positions.
"""

from dataclasses import dataclass

import numpy as np

from tengen.nets.evaluation import Floats
from tengen.nets.katago.layers import Matrix, RmsNorm
from tengen.nets.katago.stream import ModelStream
from tengen.util import TengenError

MAX_HEADS = 1 << 10


@dataclass(frozen=True)
class Attention:
    """A block of self-attention; all heads have their own keys and values."""

    name: str
    heads: int
    norm: RmsNorm
    query: Matrix
    key: Matrix
    value: Matrix
    output: Matrix
    frequencies: Floats | None
    """(heads, pairs, 2): angle per column and per row, by which a pair of channels of queries and
    keys is rotated; None if they are not rotated."""

    @classmethod
    def read(cls, stream: ModelStream) -> "Attention":
        """Read it from a stream.

        Several heads may share keys and values; they are repeated for each of them.
        """
        name = stream.word()
        heads, key_heads = stream.integer(1, MAX_HEADS), stream.integer(1, MAX_HEADS)
        key_size, value_size = stream.integer(1), stream.integer(1)
        is_rotated, is_learned = stream.integer(0, 1) == 1, stream.integer(0, 1) == 1
        if heads % key_heads != 0:
            raise _damaged(stream, name, f"{heads} heads share {key_heads} heads of keys")
        if is_rotated and key_size % 2 != 0:
            raise _damaged(stream, name, f"{key_size} channels cannot be rotated in pairs")
        norm = RmsNorm.read(stream)
        channels = len(norm.scale)
        query = Matrix.read_sized(stream, channels, heads * key_size)
        key = Matrix.read_sized(stream, channels, key_heads * key_size)
        value = Matrix.read_sized(stream, channels, key_heads * value_size)
        output = Matrix.read_sized(stream, heads * value_size, channels)
        frequencies = None
        if is_rotated:
            pairs = key_size // 2
            if is_learned:
                frequencies = _read_frequencies(stream, name, key_heads, pairs)
            else:
                frequencies = np.repeat(_fixed_frequencies(stream, pairs)[None], key_heads, axis=0)
        shared = heads // key_heads
        return cls(
            name=name,
            heads=heads,
            norm=norm,
            query=query,
            key=_repeat_heads(key, key_heads, shared),
            value=_repeat_heads(value, key_heads, shared),
            output=output,
            frequencies=None if frequencies is None else np.repeat(frequencies, shared, axis=0),
        )


def _repeat_heads(matrix: Matrix, heads: int, times: int) -> Matrix:
    """Repeat the output channels of each head."""
    weights = matrix.weights.reshape(len(matrix.weights), heads, -1)
    return Matrix(np.repeat(weights, times, axis=1).reshape(len(weights), -1))


def _read_frequencies(stream: ModelStream, name: str, heads: int, pairs: int) -> Floats:
    """Read learned frequencies (heads, pairs, 2)."""
    stream.word()
    shape = stream.integer(1), stream.integer(1), stream.integer(1)
    if shape != (heads, pairs, 2):
        raise _damaged(stream, name, f"frequencies are {shape}, not {heads, pairs, 2}")
    return stream.array(*shape)


def _fixed_frequencies(stream: ModelStream, pairs: int) -> Floats:
    """Read the base of fixed frequencies and return them: (pairs, 2).

    The first half of the pairs is rotated by row, the second by column; the frequencies of each
    half are a geometric series.
    """
    stream.word()
    base = stream.floating()
    if not (0 < base < np.inf):
        raise stream.error(f"damaged KataGo model: base of rotations is {base}")
    by_row = pairs // 2
    frequencies = np.zeros((pairs, 2), dtype=np.float32)
    exponents = np.arange(pairs) * 2 / max(pairs, 1)
    frequencies[:by_row, 1] = base ** -exponents[:by_row]
    frequencies[by_row:, 0] = base ** -exponents[: pairs - by_row]
    return frequencies


@dataclass(frozen=True)
class FeedForward:
    """A feed-forward block with SwiGLU: output(silu(hidden(x)) * gate(x))."""

    name: str
    norm: RmsNorm
    hidden: Matrix
    gate: Matrix
    output: Matrix

    @classmethod
    def read(cls, stream: ModelStream) -> "FeedForward":
        """Read it from a stream."""
        name = stream.word()
        channels, hidden = stream.integer(1), stream.integer(1)
        if stream.integer(0, 1) == 0:
            raise stream.error(
                f"unsupported block 'transformer_ffn_block' ({name[:40]}) without SwiGLU"
            )
        return cls(
            name=name,
            norm=RmsNorm.read(stream),
            hidden=Matrix.read_sized(stream, channels, hidden),
            gate=Matrix.read_sized(stream, channels, hidden),
            output=Matrix.read_sized(stream, hidden, channels),
        )


def _damaged(stream: ModelStream, name: str, what: str) -> TengenError:
    return stream.error(f"damaged KataGo model: transformer block {name[:40]!r}: {what}")
