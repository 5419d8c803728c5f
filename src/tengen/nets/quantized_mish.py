"""Mish on int8 tensors.

ONNX Runtime computes Mish in float and slowly, but has fast int8 versions of the sigmoid (a table
of 256 values) and of the product. Both read the same integers with zero points and scales of their
own, so that the sigmoid of a linear function, shifted products and shifted results cost nothing:
mish(x) is approximated by k (x + c) sigmoid(a x + b) + d. The constants are fitted to the values of
each tensor; the error is about as large as that of rounding.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.nets.evaluation import Floats
from tengen.nets.quantization_parameters import (
    MAX_UINT8,
    QuantizationParameters,
    choose_parameters,
    parameters_for_range,
)

LOW_ENDS = -np.array([2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0])
"""Least inputs that are tried; Mish is close to 0 below."""
HIGH_SHARES = np.linspace(0.4, 1.0, 16)
"""Shares of the largest input that are tried."""
SLOPES = np.linspace(1.0, 1.6, 13)
"""Values of a that are tried; b and c are multiples of the steps of the integers."""
OFFSETS = 0.2, 0.8
"""Range of b."""
SHIFTS = -0.1, 0.2
"""Range of c."""
GATE_SCALE = np.float32(1 / MAX_UINT8)

Doubles = npt.NDArray[np.float64]


class QuantizedMish(NamedTuple):
    """Parameters of the tensors of an approximated Mish."""

    given: QuantizationParameters
    """The input as it is stored."""
    exponent: QuantizationParameters
    """The stored input read as a x + b."""
    factor: QuantizationParameters
    """The stored input read as x + c."""
    product: QuantizationParameters
    """The result as it is stored."""
    result: QuantizationParameters
    """The stored result read as the approximation of Mish."""


def fit_mish(values: Floats) -> QuantizedMish:
    """Return the parameters with the least squared error of Mish on these inputs."""
    given = _choose_input(values)
    scale, zero = float(given.scale), int(given.zero_point)
    result = choose_parameters(mish(values))
    steps = np.arange(MAX_UINT8 + 1) - zero
    weights = np.bincount(_integers(values, given), minlength=MAX_UINT8 + 1) / values.size
    wanted = mish(steps * scale)
    best, chosen = np.inf, (1.0, 0, 0, 1.0, 0)
    for slope in SLOPES:
        for offset in _multiples(OFFSETS, slope * scale):
            gate = np.rint(MAX_UINT8 / (1 + np.exp(-slope * scale * (steps + offset))))
            for shift in _multiples(SHIFTS, scale):
                product = scale * (steps + shift) * gate / MAX_UINT8
                factor, rest = _line(product, wanted, weights)
                moved = round(rest / float(result.scale))
                errors = factor * product + moved * float(result.scale) - wanted
                error = float(weights @ np.square(errors))
                allowed = min(zero - offset, zero - shift, int(result.zero_point) + moved) >= 0
                if error < best and allowed and factor > 0:
                    best, chosen = error, (float(slope), offset, shift, factor, moved)
    slope, offset, shift, factor, moved = chosen
    return QuantizedMish(
        given,
        QuantizationParameters(np.float32(slope * scale), np.uint8(zero - offset)),
        QuantizationParameters(given.scale, np.uint8(zero - shift)),
        QuantizationParameters(
            np.float32(float(result.scale) / factor), np.uint8(int(result.zero_point) + moved)
        ),
        result,
    )


def mish(values: npt.NDArray[np.floating]) -> Floats:
    """Return x tanh(log(1 + exp(x)))."""
    return np.asarray(values * np.tanh(np.logaddexp(0, values)), dtype=np.float32)


def _choose_input(values: Floats) -> QuantizationParameters:
    """Return the input parameters with the least squared error of the exact Mish."""
    top = max(float(values.max()), 0.5)
    tried = [parameters_for_range(low, top * share) for low in LOW_ENDS for share in HIGH_SHARES]
    exact = mish(values)

    def error(parameters: QuantizationParameters) -> float:
        steps = _integers(values, parameters).astype(np.float32) - parameters.zero_point
        return float(np.square(mish(steps * parameters.scale) - exact).sum())

    return min(tried, key=error)


def _integers(values: Floats, parameters: QuantizationParameters) -> npt.NDArray[np.intp]:
    steps = np.rint(values / parameters.scale) + parameters.zero_point
    return np.asarray(np.clip(steps, 0, MAX_UINT8), dtype=np.intp)


def _multiples(ends: tuple[float, float], step: float) -> range:
    """Return the whole multiples of a step between two numbers."""
    return range(int(np.ceil(ends[0] / step)), int(np.floor(ends[1] / step)) + 1)


def _line(given: Doubles, wanted: Floats, weights: Doubles) -> tuple[float, float]:
    """Return slope and intercept of the weighted regression line."""
    mean, target = weights @ given, weights @ wanted
    spread = weights @ np.square(given - mean)
    if spread <= 0:
        return 1.0, float(target - mean)
    slope = float((weights * (given - mean)) @ (wanted - target) / spread)
    return slope, float(target - slope * mean)
