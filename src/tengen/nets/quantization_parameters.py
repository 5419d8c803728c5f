"""Affine quantization of a tensor to uint8, with the range of least squared error."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.nets.evaluation import Floats

RANGE_SHARES = np.linspace(0.3, 1.0, 36)
"""Shares of the full range that are tried."""
MAX_UINT8 = 255


class QuantizationParameters(NamedTuple):
    """Affine quantization of a tensor: value = scale * (uint8 - zero_point)."""

    scale: np.float32
    zero_point: np.uint8


def choose_parameters(values: Floats) -> QuantizationParameters:
    """Return the parameters with the least squared quantization error on these values."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 1e-6)
    tried = [parameters_for_range(low * share, high * share) for share in RANGE_SHARES]
    return min(tried, key=lambda parameters: _squared_error(values, parameters))


def parameters_for_range(low: float, high: float) -> QuantizationParameters:
    """Return the parameters for a range around zero; zero is represented exactly."""
    scale = np.float32((high - low) / MAX_UINT8)
    return QuantizationParameters(scale, np.uint8(round(-low / float(scale))))


def _squared_error(values: Floats, parameters: QuantizationParameters) -> float:
    scale, zero_point = parameters
    quantized = np.clip(np.rint(values / scale) + zero_point, 0, MAX_UINT8)
    restored: npt.NDArray[np.float32] = (quantized - zero_point) * scale
    return float(np.square(restored - values).sum())
