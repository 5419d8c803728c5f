"""Nets in eight bits: the convolutions of the trunk compute with whole numbers.

A processor multiplies four times as many bytes as floats in the same time. What is lost is
accuracy: each value is rounded to one of 256 steps. The steps are fitted to the values in real
positions (*calibration*): each range is cut where the squared error is least.
"""

from collections.abc import Mapping, Sequence

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
    values = collect(model, writer.tensors(), calibration)
    writer.rewrite({name: fit(found) for name, found in values.items()})
    metadata = {entry.key: entry.value for entry in rounded.metadata_props}
    metadata["tengen.numbers"] = f"8 bits in the trunk, weights {weight_bits}"
    helper.set_model_props(rounded, metadata)
    onnx.checker.check_model(rounded)
    return rounded


def check_in_floats(model: onnx.ModelProto) -> None:
    """Raise TengenError if a model has no large convolution in floats."""
    if not Roundings(model.graph, weight_bits=7).tensors():
        raise TengenError(
            "the net has no large convolution in floats: is it in eight bits already?"
        )


def collect(
    model: onnx.ModelProto, tensors: Sequence[str], calibration: Sequence[Inputs]
) -> dict[str, Floats]:
    """Return values that the tensors inside a model have, the least and the largest among them."""
    open_model = onnx.ModelProto()
    open_model.CopyFrom(model)
    for name in tensors:
        open_model.graph.output.append(helper.make_empty_tensor_value_info(name))
    session = make_session(open_model.SerializeToString(), threads=1)
    kept: dict[str, list[Floats]] = {name: [] for name in tensors}
    for inputs in calibration:
        for name, found in zip(tensors, session.run(list(tensors), inputs), strict=True):
            ordered = np.sort(found, axis=None)
            places = np.linspace(0, ordered.size - 1, min(KEPT_VALUES, ordered.size))
            kept[name].append(ordered[places.astype(np.intp)])
    return {name: np.concatenate(parts) for name, parts in kept.items()}


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
