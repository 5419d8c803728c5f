"""Beginning a training with what a net knows already: its weights, read back from its file.

A net with fewer channels is widened (Chen, Goodfellow and Shlens 2016, "Net2Net"): each new channel
is the copy of an old one, and whoever hears both hears each with a part of the old weight. So the
wide net says at first what the narrow one says. The parts differ, drawn by lot, so that the copies
learn different things.
"""

from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from tengen.core.errors import TengenError
from tengen.network.evaluation import Floats
from tengen.network.training.model import Block, OwnModel

Weights = list[Floats]
"""Of a layer, shaped as PyTorch has them: the weight, and the bias if it has one."""
Places = npt.NDArray[np.intp]
"""For each channel of a wide net, the channel of the narrow one that it copies."""


class Hears(IntEnum):
    """What a layer takes in."""

    OTHER = 0
    """Nothing that grows with the tower: planes, numbers, the inside of a head."""
    TOWER = 1
    """The channels of the tower."""
    POOLED = 2
    """Their means, their maxima, and maybe numbers behind them."""


class Layer(NamedTuple):
    """A layer of a model, and where it stands."""

    module: nn.Conv2d | nn.Linear
    hears: Hears
    speaks_to_tower: bool = False

    @property
    def parts(self) -> list[torch.Tensor]:
        """The weight and, where there is one, the bias."""
        # PyTorch says that a linear layer has a bias even where it has none.
        bias: torch.Tensor | None = self.module.bias
        return [self.module.weight] if bias is None else [self.module.weight, bias]


def layers_of(model: OwnModel) -> Iterator[Layer]:
    """Yield the layers in the order in which `export` writes them."""
    yield Layer(model.entry, Hears.OTHER, True)
    yield Layer(model.entry_numbers, Hears.OTHER, True)
    for block in model.tower:
        assert isinstance(block, Block)
        yield Layer(block.first, Hears.TOWER, True)
        if block.whole is not None:
            yield Layer(block.whole, Hears.POOLED, True)
        yield Layer(block.second, Hears.TOWER, True)
    yield Layer(model.policy, Hears.TOWER)
    yield Layer(model.policy_whole, Hears.POOLED)
    yield Layer(model.policy_out, Hears.OTHER)
    yield Layer(model.passing, Hears.POOLED)
    yield Layer(model.ownership, Hears.TOWER)
    yield Layer(model.value, Hears.POOLED)
    yield Layer(model.value_out, Hears.OTHER)


def begin_with(model: OwnModel, path: Path, seed: int) -> None:
    """Give a model the weights of an own net, in floats or in eight bits, of as many blocks.

    Raise TengenError if the file is none, or if it has other blocks, other inputs or more channels.
    """
    known, layers = list(read_weights(path)), list(layers_of(model))
    channels = len(known[0][0]) if known else 0
    if 0 < channels < model.channels and len(known) == len(layers):
        random = np.random.default_rng(seed)
        known = [
            widened(layer, weights, channels, model.channels, random)
            for layer, weights in zip(layers, known, strict=True)
        ]
    shapes = [[tuple(part.shape) for part in layer.parts] for layer in layers]
    if [[part.shape for part in weights] for weights in known] != shapes:
        seeing = "with" if model.playouts else "without"
        raise TengenError(
            f"{path} cannot be begun with: it is not one of our nets of {model.blocks} blocks"
            f" of at most {model.channels} channels, {seeing} input playouts"
        )
    with torch.no_grad():
        for layer, weights in zip(layers, known, strict=True):
            for own, read in zip(layer.parts, weights, strict=True):
                own.copy_(torch.tensor(read, dtype=torch.float32))


def widened(
    layer: Layer, weights: Weights, narrow: int, wide: int, random: np.random.Generator
) -> Weights:
    """Return the weights of a layer for a tower of `wide` instead of `narrow` channels."""
    weight, *bias = weights
    copies = np.arange(wide) % narrow
    if layer.hears is not Hears.OTHER:
        weight = _heard_in_parts(weight, _heard(layer.hears, copies, narrow, weight), random)
    if layer.speaks_to_tower:
        weight, bias = weight[copies], [part[copies] for part in bias]
    return [weight, *bias]


def _heard(hears: Hears, copies: Places, narrow: int, weight: Floats) -> Places:
    """Return which old input each new one copies."""
    if hears is Hears.TOWER:
        return copies
    rest = np.arange(2 * narrow, weight.shape[1])
    return np.concatenate([copies, copies + narrow, rest])


def _heard_in_parts(weight: Floats, heard: Places, random: np.random.Generator) -> Floats:
    """Return a weight for more inputs; copies of an input share out its weight by lot."""
    parts: npt.NDArray[Any] = random.uniform(0.5, 1.5, size=(len(weight), len(heard)))
    parts /= parts @ (heard[:, None] == heard)
    return np.asarray(weight[:, heard] * parts.reshape(*parts.shape, *[1] * (weight.ndim - 2)))


def read_weights(path: Path) -> Iterator[Weights]:
    """Yield the weights of every layer of a net of ours; raise TengenError if it is no net."""
    try:
        graph = onnx.load(path).graph
    except Exception:  # protobuf raises kinds of its own
        raise TengenError(f"{path}: no such net, or a damaged one") from None
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in constants:
            whole, scales = (constants[name] for name in node.input[:2])
            across = scales.reshape(-1, *[1] * (whole.ndim - 1))
            constants[node.output[0]] = (whole * across).astype(np.float32)
        if node.op_type in ("Conv", "Gemm"):
            if any(name not in constants for name in node.input[1:]):
                return  # not written by us: what is missing tells it from our nets
            weight, *bias = (constants[name] for name in node.input[1:])
            yield [weight.T if node.op_type == "Gemm" else weight, *bias]
