"""Nets in eight bits: the convolutions of the trunk compute with whole numbers.

A processor multiplies four times as many bytes as floats in the same time. What is lost is
accuracy: each value is rounded to one of 256 steps. The steps are fitted to the values in real
positions (*calibration*): each range is cut where the squared error is least.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

from tengen.core.errors import TengenError
from tengen.network.evaluation import Floats
from tengen.network.onnx import make_session
from tengen.network.roundings import LARGEST_BYTE, Roundings, Steps

KEPT_VALUES = 20_000
"""Values of one tensor that are kept of each batch, drawn evenly."""
CUTS = np.linspace(0.3, 1.0, 36)
"""Shares of the whole range that are tried."""

Inputs = Mapping[str, Floats]


class Seen(NamedTuple):
    """What a tensor was seen to hold."""

    values: Floats
    """Some of its values, the least and the largest among them."""
    means: Floats
    """Of each channel, over all boards alike."""


def quantise(
    model: onnx.ModelProto, calibration: Sequence[Inputs], weight_bits: int = 7
) -> onnx.ModelProto:
    """Return the model with its large convolutions in eight bits, fitted to batches of inputs.

    Weights keep seven bits, unless told otherwise (see `Roundings`). Raise TengenError if there is
    nothing to round.
    """
    check_in_floats(model)
    rounded = onnx.ModelProto()
    rounded.CopyFrom(model)
    writer = Roundings(rounded.graph, weight_bits)
    found = collect(model, writer.tensors(), calibration)
    writer.rewrite(
        {name: fit(seen.values) for name, seen in found.items()},
        {name: seen.means for name, seen in found.items()},
    )
    metadata = {entry.key: entry.value for entry in rounded.metadata_props}
    metadata["tengen.numbers"] = f"8 bits in the trunk, weights {weight_bits}"
    helper.set_model_props(rounded, metadata)
    onnx.checker.check_model(rounded)
    return rounded


def check_in_floats(model: onnx.ModelProto) -> None:
    """Raise TengenError if a model has bytes already, or no large convolution."""
    if any(node.op_type == "QuantizeLinear" for node in model.graph.node):
        raise TengenError("the net is in eight bits already")
    if not Roundings(model.graph, weight_bits=7).tensors():
        raise TengenError("the net has no large convolution to round")


def collect(
    model: onnx.ModelProto, tensors: Sequence[str], calibration: Sequence[Inputs]
) -> dict[str, Seen]:
    """Return what the tensors inside a model hold."""
    open_model = onnx.ModelProto()
    open_model.CopyFrom(model)
    given = {entry.name for entry in model.graph.input}
    inner = [name for name in tensors if name not in given]
    for name in inner:
        open_model.graph.output.append(helper.make_empty_tensor_value_info(name))
    session = make_session(open_model.SerializeToString(), threads=1)
    values: dict[str, list[Floats]] = {name: [] for name in tensors}
    means: dict[str, list[Floats]] = {name: [] for name in tensors}
    for inputs in calibration:
        held = {**inputs, **dict(zip(inner, session.run(inner, inputs), strict=True))}
        for name in tensors:
            values[name].append(_spread(held[name]))
            means[name].append(held[name].mean(axis=(2, 3)))
    return {
        name: Seen(np.concatenate(values[name]), np.concatenate(means[name]).mean(axis=0))
        for name in tensors
    }


def _spread(held: Floats) -> Floats:
    """Return some values, evenly from the least to the largest."""
    ordered = np.sort(held, axis=None)
    places = np.linspace(0, ordered.size - 1, min(KEPT_VALUES, ordered.size))
    return ordered[places.astype(np.intp)]


def fit(values: Floats) -> Steps:
    """Return the steps with the least squared error for these values."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 1e-6)
    tried = [make_steps(low * cut, high * cut) for cut in CUTS]
    return min(tried, key=lambda steps: _error(values, steps))


def make_steps(low: float, high: float) -> Steps:
    """Return the steps for a range that holds zero, and that zero is one of."""
    scale = np.float32((high - low) / LARGEST_BYTE)
    return Steps(scale, np.uint8(round(-low / float(scale))))


def _error(values: Floats, steps: Steps) -> float:
    whole = np.clip(np.rint(values / steps.scale) + steps.zero, 0, LARGEST_BYTE)
    back: npt.NDArray[np.float32] = (whole - steps.zero) * steps.scale
    return float(np.square(back - values).sum())
