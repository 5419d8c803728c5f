"""Beginning a training with what a net knows already: its weights, read back from its file."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from tengen.core.errors import TengenError
from tengen.network.evaluation import Floats
from tengen.network.training.model import Block, OwnModel

Layer = nn.Conv2d | nn.Linear


def layers_of(model: OwnModel) -> Iterator[Layer]:
    """Yield the layers in the order in which `export` writes them."""
    yield from (model.entry, model.entry_numbers)
    for block in model.tower:
        assert isinstance(block, Block)
        yield block.first
        if block.whole is not None:
            yield block.whole
        yield block.second
    yield from (model.policy, model.policy_whole, model.policy_out, model.passing)
    yield from (model.ownership, model.value, model.value_out)


def begin_with(model: OwnModel, path: Path) -> None:
    """Give a model the weights of an own net, in floats or in eight bits.

    Raise TengenError if the file is none, or of another size.
    """
    known = list(_weights(path))
    layers = list(layers_of(model))
    shapes = [[tuple(part.shape) for part in _parts(layer)] for layer in layers]
    if [[part.shape for part in parts] for parts in known] != shapes:
        wanted = f"{model.blocks} blocks of {model.channels} channels"
        raise TengenError(f"{path} cannot be begun with: it is not one of our nets of {wanted}")
    with torch.no_grad():
        for layer, parts in zip(layers, known, strict=True):
            for own, read in zip(_parts(layer), parts, strict=True):
                own.copy_(torch.from_numpy(read))


def _parts(layer: Layer) -> list[torch.Tensor]:
    """Return the weight and, where there is one, the bias."""
    # PyTorch says that a linear layer has a bias even where it has none.
    bias: torch.Tensor | None = layer.bias
    return [layer.weight] if bias is None else [layer.weight, bias]


def _weights(path: Path) -> Iterator[list[Floats]]:
    """Yield weight and bias of every layer, shaped as PyTorch has them."""
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
            weight, *bias = (constants[name] for name in node.input[1:])
            if node.op_type == "Gemm":
                weight = np.ascontiguousarray(weight.T)
            yield [weight.copy(), *(part.copy() for part in bias)]
