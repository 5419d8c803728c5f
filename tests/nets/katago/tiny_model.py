"""Small random networks in KataGo's file format, and an oracle that computes them."""

import gzip

import numpy as np

from tengen.nets.katago.layers import RmsNorm
from tengen.nets.katago.transformer import Attention, FeedForward

TRUNK, MID, POOL, HEAD = 8, 6, 4, 5
METADATA = 192
ROTATIONS = {"learned": (4, 2, 6, 3), "fixed": (2, 2, 6, 4), "none": (3, 1, 5, 5)}
"""Attention blocks by kind of rotation: heads, heads of keys, channels of keys and of values."""


class Writer:
    """Writes the words and arrays of a model file."""

    def __init__(self, version, seed=1, is_transformer=False, has_metadata=False):
        self.version = version
        self.has_metadata = has_metadata
        self.is_transformer = is_transformer
        self.random = np.random.default_rng(seed)
        self.parts = []

    def words(self, *words):
        self.parts.append(" ".join(str(word) for word in words).encode() + b"\n")

    def array(self, *shape, scale=0.4):
        numbers = self.random.normal(0, scale, shape).astype("<f4")
        self.parts.append(b"@BIN@" + numbers.tobytes() + b"\n")

    def positive(self, count):
        numbers = self.random.uniform(0.5, 2, count).astype("<f4")
        self.parts.append(b"@BIN@" + numbers.tobytes() + b"\n")

    def convolution(self, size, inputs, outputs):
        self.words("conv", size, size, inputs, outputs, 1, 1)
        self.array(size, size, inputs, outputs, scale=0.3 / size)

    def norm(self, channels):
        self.words("bn", channels, 0.001, 1, 1)
        self.array(channels)
        self.positive(channels)
        self.array(channels, scale=1)
        self.array(channels)
        self.activation()

    def activation(self):
        kind = ["ACTIVATION_MISH", "ACTIVATION_SILU", "ACTIVATION_RELU"][self.random.integers(3)]
        self.words("act", *([kind] if self.version >= 11 else []))

    def matrix(self, inputs, outputs):
        self.words("mul", inputs, outputs)
        self.array(inputs, outputs)

    def bias(self, channels):
        self.words("bias", channels)
        self.array(channels)

    def pooling(self, inputs, outputs):
        self.convolution(1, inputs, POOL)
        self.norm(POOL)
        self.matrix(3 * POOL, outputs)

    def rms_norm(self, channels, *words):
        self.words("rms", channels, 0.01, *words)
        self.positive(channels)

    def attention(self, channels, heads, key_heads, key_size, value_size, rotation):
        self.words("transformer_attention_block", "attention", heads, key_heads)
        self.words(key_size, value_size, int(rotation != "none"), int(rotation == "learned"))
        self.rms_norm(channels)
        self.matrix(channels, heads * key_size)
        self.matrix(channels, key_heads * key_size)
        self.matrix(channels, key_heads * value_size)
        self.matrix(heads * value_size, channels)
        if rotation == "fixed":
            self.words("theta", 100.0)
        if rotation == "learned":
            self.words("freqs", key_heads, key_size // 2, 2)
            self.array(key_heads, key_size // 2, 2)

    def feed_forward(self, channels, hidden):
        self.words("transformer_ffn_block", "ffn", channels, hidden, 1)
        self.rms_norm(channels)
        self.matrix(channels, hidden)
        self.matrix(channels, hidden)
        self.matrix(hidden, channels)

    def block(self, kind, channels):
        if kind in ROTATIONS:
            self.attention(channels, *ROTATIONS[kind], kind)
            return
        if kind == "ffn":
            self.feed_forward(channels, 10)
            return
        self.words(kind, "block", *([2] if kind.startswith("nested") else []))
        self.norm(channels)
        self.convolution(1 if kind.startswith("nested") else 3, channels, MID)
        if kind == "gpool_block":
            self.pooling(channels, MID)
        if kind.startswith("nested"):
            is_transformer = self.is_transformer
            self.block("learned" if is_transformer else "ordinary_block", MID)
            self.block("ffn" if is_transformer else "gpool_block", MID)
        self.norm(MID)
        self.convolution(1 if self.is_transformer else 3, MID, channels)

    def model(self):
        self.words("tiny", self.version, 22, 19)
        if self.version >= 13:
            self.words(20, 20, 20, 30, 40, 0.25, 30)
        if self.version >= 15:
            self.words(int(self.has_metadata), 0, 0, 0, 0, 0, 0, 0)
        kinds = ["ordinary_block", "gpool_block"]
        if self.version >= 11:
            kinds.append("nested_bottleneck_block")
        if self.is_transformer:
            kinds += ["fixed", "ffn", "none", "ordinary_block"]
        self.words("trunk", len(kinds), TRUNK, MID, MID, MID, POOL)
        if self.version >= 15:
            self.words(int(self.is_transformer), 0, 0, 0, 0, 0)
        self.convolution(3, 22, TRUNK)
        self.matrix(19, TRUNK)
        if self.has_metadata:
            self.words("metadata", METADATA)
            for inputs, outputs in ((METADATA, HEAD), (HEAD, MID)):
                self.matrix(inputs, outputs)
                self.bias(outputs)
                self.activation()
            self.matrix(MID, TRUNK)
        for kind in kinds:
            self.block(kind, TRUNK)
        if self.is_transformer:
            self.rms_norm(TRUNK, self.version % 2, 0)
            self.array(TRUNK)
            self.activation()
        else:
            self.norm(TRUNK)
        self.policy()
        self.value()
        return b"".join(self.parts)

    def policy(self):
        outputs = {16: 4}.get(self.version, 2 if self.version >= 12 else 1)
        self.words("policy", *([outputs, 0, 0, 0] if self.version >= 17 else []))
        self.convolution(1, TRUNK, HEAD)
        self.pooling(TRUNK, HEAD)
        self.norm(HEAD)
        self.convolution(1, HEAD, outputs)
        if self.version >= 15:
            self.matrix(3 * POOL, HEAD)
            self.bias(HEAD)
            self.activation()
            self.matrix(HEAD, outputs)
        else:
            self.matrix(3 * POOL, outputs)

    def value(self):
        self.words("value", *([0, 0, 0] if self.version >= 17 else []))
        self.convolution(1, TRUNK, HEAD)
        self.norm(HEAD)
        self.matrix(3 * HEAD, MID)
        self.bias(MID)
        self.activation()
        for outputs in (3, 6 if self.version >= 9 else 4):
            self.matrix(MID, outputs)
            self.bias(outputs)
        self.convolution(1, HEAD, 1)


def write_tiny(path, version, seed=1, is_transformer=False, has_metadata=False):
    content = Writer(version, seed, is_transformer, has_metadata).model()
    path.write_bytes(gzip.compress(content, mtime=0))
    return path


# Oracle


def activate(value, kind):
    name = kind.value.removeprefix("ACTIVATION_")
    if name == "RELU":
        return np.maximum(value, 0)
    if name == "MISH":
        return value * np.tanh(np.log1p(np.exp(value)))
    return value / (1 + np.exp(-value))


def convolve(value, layer):
    """Compute a convolution point by point."""
    out, _, height, width = layer.weights.shape
    rows, columns = value.shape[1:]
    pad = ((0, 0), (height // 2,) * 2, (width // 2,) * 2)
    padded = np.pad(value, pad)
    result = np.zeros((out, rows, columns))
    for row in range(rows):
        for column in range(columns):
            window = padded[:, row : row + height, column : column + width]
            result[:, row, column] = (layer.weights * window).sum(axis=(1, 2, 3))
    return result


def normalize(value, norm):
    return activate(value * norm.scale[:, None, None] + norm.bias[:, None, None], norm.activation)


def pooled(value, pooling):
    branch = normalize(convolve(value, pooling.convolution), pooling.norm)
    mean = branch.mean(axis=(1, 2))
    width = (np.sqrt(branch[0].size) - 14) * 0.1
    return np.concatenate([mean, mean * width, branch.max(axis=(1, 2))])


def normalize_rms(value, norm):
    axes = (0, 1, 2) if norm.over_board else 0
    value = value / np.sqrt((value**2).mean(axis=axes, keepdims=True) + norm.epsilon)
    bias = 0 if norm.bias is None else norm.bias[:, None, None]
    value = value * norm.scale[:, None, None] + bias
    return value if norm.activation == "ACTIVATION_IDENTITY" else activate(value, norm.activation)


def rotate(vectors, frequencies, row, column):
    """Rotate one query or key (channels,) of a point, pair by pair."""
    result = vectors.copy()
    for pair, (by_column, by_row) in enumerate(frequencies):
        angle = column * by_column + row * by_row
        one, other = vectors[2 * pair], vectors[2 * pair + 1]
        result[2 * pair] = one * np.cos(angle) - other * np.sin(angle)
        result[2 * pair + 1] = one * np.sin(angle) + other * np.cos(angle)
    return result


def attend(value, part):
    """Compute self-attention head by head and point by point."""
    channels, rows, columns = value.shape
    tokens = normalize_rms(value, part.norm).reshape(channels, -1).T
    outputs = []
    size = part.query.weights.shape[1] // part.heads
    content_size = part.value.weights.shape[1] // part.heads
    for head in range(part.heads):
        mine = slice(head * size, (head + 1) * size)
        query, key = tokens @ part.query.weights[:, mine], tokens @ part.key.weights[:, mine]
        if part.frequencies is not None:
            for point in range(rows * columns):
                where = divmod(point, columns)
                query[point] = rotate(query[point], part.frequencies[head], *where)
                key[point] = rotate(key[point], part.frequencies[head], *where)
        weights = np.exp(query @ key.T / np.sqrt(size))
        weights /= weights.sum(axis=1, keepdims=True)
        own = slice(head * content_size, (head + 1) * content_size)
        outputs.append(weights @ (tokens @ part.value.weights[:, own]))
    mixed = np.concatenate(outputs, axis=1) @ part.output.weights
    return value + mixed.T.reshape(value.shape)


def feed_forward(value, part):
    tokens = normalize_rms(value, part.norm).reshape(len(value), -1).T
    hidden = tokens @ part.hidden.weights
    mixed = (hidden / (1 + np.exp(-hidden))) * (tokens @ part.gate.weights) @ part.output.weights
    return value + mixed.T.reshape(value.shape)


def block(value, part):
    if isinstance(part, Attention):
        return attend(value, part)
    if isinstance(part, FeedForward):
        return feed_forward(value, part)
    given = normalize(value, part.before)
    inside = convolve(given, part.first)
    if part.pooling:
        inside += (pooled(given, part.pooling) @ part.pooling.to_bias.weights)[:, None, None]
    for inner in part.inner:
        inside = block(inside, inner)
    return value + convolve(normalize(inside, part.middle), part.last)


def compute(model, planes, numbers):
    """Return policy logits, win probability, lead and ownership of one position."""
    value = convolve(planes, model.trunk.first)
    value += (numbers @ model.trunk.from_numbers.weights)[:, None, None]
    for part in model.trunk.blocks:
        value = block(value, part)
    tip = model.trunk.tip
    trunk = (normalize_rms if isinstance(tip, RmsNorm) else normalize)(value, tip)
    return (policy(model.policy, trunk), *values(model.value, trunk, model.lead_points))


def policy(head, trunk):
    pool = pooled(trunk, head.pooling)
    points = convolve(trunk, head.first)
    points += (pool @ head.pooling.to_bias.weights)[:, None, None]
    moves = convolve(normalize(points, head.middle), head.last)[0].reshape(-1)
    passing = pool @ head.to_pass.weights
    if head.pass_hidden:
        hidden = activate(passing + head.pass_hidden.bias, head.pass_hidden.activation)
        passing = hidden @ head.pass_hidden.last.weights
    return np.append(moves, passing[0])


def values(head, trunk, lead_points):
    points = normalize(convolve(trunk, head.first), head.norm)
    mean, side = points.mean(axis=(1, 2)), np.sqrt(points[0].size) - 14
    pool = np.concatenate([mean, mean * side * 0.1, mean * (side**2 * 0.01 - 0.1)])
    hidden = activate(pool @ head.hidden.matrix.weights + head.hidden.bias, head.activation)
    logits = hidden @ head.value.matrix.weights + head.value.bias
    score = hidden @ head.score.matrix.weights + head.score.bias
    win = 1 / (1 + np.exp(logits[1] - logits[0]))
    return win, score[2] * lead_points, np.tanh(convolve(points, head.ownership)[0])
