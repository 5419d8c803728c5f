"""Initialization of a network with the weights of another, optionally wider or deeper (Net2Net).

Widening follows Chen, Goodfellow and Shlens 2016, "Net2Net": each new channel copies an old one,
and the weights of layers that read both are divided between them, so the wide network computes the
same function at first. The division is random, so that the copies diverge in training. Deepening
appends blocks that leave their input unchanged at first.
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

from tengen.nets.evaluation import Floats
from tengen.nets.onnx_model import PREFIX
from tengen.nets.training.model import ResidualBlock, TengenModel
from tengen.nets.training.onnx_export import ACTIVATED
from tengen.util import TengenError

Weights = list[Floats]
"""Weight and optional bias of a layer, in PyTorch's layout."""
Places = npt.NDArray[np.intp]
"""For each channel of the wide network, the channel of the narrow one it copies."""


class LayerInput(IntEnum):
    """Kinds of layer inputs."""

    OTHER = 0
    """Independent of the width of the tower: planes, numbers, hidden layers of heads."""
    TOWER = 1
    """Channels of the tower."""
    POOLED = 2
    """Means and maxima of the channels, possibly followed by numbers."""


class ModelLayer(NamedTuple):
    """A layer and its place in the model."""

    module: nn.Conv2d | nn.Linear
    kind: LayerInput
    feeds_tower: bool = False

    @property
    def parts(self) -> list[torch.Tensor]:
        """The weight and, if present, the bias."""
        # PyTorch's type of `bias` does not allow None.
        bias: torch.Tensor | None = self.module.bias
        return [self.module.weight] if bias is None else [self.module.weight, bias]


def layers_of(model: TengenModel) -> Iterator[ModelLayer]:
    """Yield the layers in the order of `onnx_export`."""
    yield ModelLayer(model.entry, LayerInput.OTHER, True)
    yield ModelLayer(model.entry_numbers, LayerInput.OTHER, True)
    for block in model.tower:
        assert isinstance(block, ResidualBlock)
        yield ModelLayer(block.first, LayerInput.TOWER, True)
        if block.whole is not None:
            yield ModelLayer(block.whole, LayerInput.POOLED, True)
        yield ModelLayer(block.second, LayerInput.TOWER, True)
    yield ModelLayer(model.policy, LayerInput.TOWER)
    yield ModelLayer(model.policy_whole, LayerInput.POOLED)
    yield ModelLayer(model.policy_out, LayerInput.OTHER)
    yield ModelLayer(model.passing, LayerInput.POOLED)
    yield ModelLayer(model.ownership, LayerInput.TOWER)
    yield ModelLayer(model.value, LayerInput.POOLED)
    yield ModelLayer(model.value_out, LayerInput.OTHER)


def layers_to_load(model: TengenModel, count: int) -> list[ModelLayer]:
    """Return the layers that a network of `count` layers and as many or fewer blocks provides."""
    tower = list(model.tower)
    for blocks in range(len(tower), 0, -1):
        left_out = {id(module) for block in tower[blocks:] for module in block.modules()}
        layers = [layer for layer in layers_of(model) if id(layer.module) not in left_out]
        if len(layers) == count:
            return layers
    return []


def activated_blocks(path: Path) -> int:
    """Return the number of blocks of a network that pass on their activated input.

    Networks that do not record it do so in all blocks.
    """
    model = _read_model(path)
    metadata = {entry.key.removeprefix(PREFIX): entry.value for entry in model.metadata_props}
    number = metadata.get(ACTIVATED, metadata.get("size", "").partition(" ")[0])
    return int(number) if number.isdecimal() else 0


def load_initial_weights(model: TengenModel, path: Path, seed: int) -> None:
    """Copy the weights of one of Tengen's networks, float or int8, into a model.

    Raise TengenError if its inputs differ or it has more blocks or channels.
    """
    known = list(read_weights(path))
    layers = layers_to_load(model, len(known))
    channels = len(known[0][0]) if known else 0
    if 0 < channels < model.channels and layers:
        random = np.random.default_rng(seed)
        known = [
            widened(layer, weights, channels, model.channels, random)
            for layer, weights in zip(layers, known, strict=True)
        ]
    shapes = [[tuple(part.shape) for part in layer.parts] for layer in layers]
    if not layers or [[part.shape for part in weights] for weights in known] != shapes:
        seeing = "with" if model.playouts else "without"
        raise TengenError(
            f"{path} cannot be used as the initial network: it must be a Tengen network of"
            f" at most {model.blocks} blocks of at most {model.channels} channels, {seeing} input"
            " playouts"
        )
    with torch.no_grad():
        for layer, weights in zip(layers, known, strict=True):
            for own, read in zip(layer.parts, weights, strict=True):
                own.copy_(torch.tensor(read, dtype=torch.float32))


def widened(
    layer: ModelLayer, weights: Weights, narrow: int, wide: int, random: np.random.Generator
) -> Weights:
    """Return the weights of a layer for a tower of `wide` instead of `narrow` channels."""
    weight, *bias = weights
    copies = np.arange(wide) % narrow
    if layer.kind is not LayerInput.OTHER:
        weight = _divided(weight, _copied_inputs(layer.kind, copies, narrow, weight), random)
    if layer.feeds_tower:
        weight, bias = weight[copies], [part[copies] for part in bias]
    return [weight, *bias]


def _copied_inputs(kind: LayerInput, copies: Places, narrow: int, weight: Floats) -> Places:
    """Return which old input each new one copies."""
    if kind is LayerInput.TOWER:
        return copies
    rest = np.arange(2 * narrow, weight.shape[1])
    return np.concatenate([copies, copies + narrow, rest])


def _divided(weight: Floats, copied: Places, random: np.random.Generator) -> Floats:
    """Return a weight for more inputs, divided randomly between the copies of an input."""
    parts: npt.NDArray[Any] = random.uniform(0.5, 1.5, size=(len(weight), len(copied)))
    parts /= parts @ (copied[:, None] == copied)
    return np.asarray(weight[:, copied] * parts.reshape(*parts.shape, *[1] * (weight.ndim - 2)))


def read_weights(path: Path) -> Iterator[Weights]:
    """Yield the weights of every layer of a Tengen network; raise TengenError."""
    graph = _read_model(path).graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in constants:
            constants[node.output[0]] = constants[node.input[0]].astype(np.float32)
        if node.op_type == "DequantizeLinear" and node.input[0] in constants:
            whole, scales = (constants[name] for name in node.input[:2])
            across = scales.reshape(-1, *[1] * (whole.ndim - 1))
            constants[node.output[0]] = (whole * across).astype(np.float32)
        if node.op_type in ("Conv", "Gemm"):
            if any(name not in constants for name in node.input[1:]):
                return  # not one of Tengen's networks; the caller notices the missing layers
            weight, *bias = (constants[name] for name in node.input[1:])
            yield [weight.T if node.op_type == "Gemm" else weight, *bias]


def _read_model(path: Path) -> onnx.ModelProto:
    try:
        return onnx.load(path)
    except Exception:  # protobuf raises various exceptions
        raise TengenError(f"{path}: no such network, or damaged") from None
