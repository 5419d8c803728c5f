"""How good a net is on games it has not seen."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from tengen.network.training.loss import Errors, errors_of, to_targets
from tengen.network.training.model import OwnModel
from tengen.network.training.samples import Samples

AT_ONCE = 64
MOST_POSITIONS = 1200
"""Of each board size: enough for one percent, and seconds only."""


class Figures(NamedTuple):
    """Means over the positions of one board size."""

    size: str
    positions: int
    top_1: float
    top_5: float
    policy_loss: float
    win_error: float
    lead_error: float


def measure(
    model: OwnModel, held_out: Sequence[Samples], most: int = MOST_POSITIONS
) -> list[Figures]:
    """Return the figures on each board size, of at most so many positions spread over all."""
    model.eval()
    with torch.no_grad():
        return [_measure_size(model, samples, most) for samples in held_out]


def _measure_size(model: OwnModel, samples: Samples, most: int) -> Figures:
    chosen = np.arange(0, len(samples), max(1, -(-len(samples) // most)))
    parts = []
    for begin in range(0, len(chosen), AT_ONCE):
        targets = to_targets(samples.batch(chosen[begin : begin + AT_ONCE]))
        parts.append(errors_of(model(targets.planes, targets.numbers), targets))
    total = Errors(*(sum(values) for values in zip(*parts, strict=True)))
    means = [value / total.positions for value in total[1:]]
    return Figures(f"{samples.columns}x{samples.rows}", total.positions, *means)
