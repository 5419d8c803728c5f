"""How good a net is on games it has not seen."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from tengen.network.training.loss import Errors, errors_of, to_targets
from tengen.network.training.model import OwnModel
from tengen.network.training.pool import HeldOut

AT_ONCE = 64
MOST_POSITIONS = 1200
"""Of each board size: enough for one percent, and seconds only."""


class Figures(NamedTuple):
    """Means over the positions of one board size; NaN for what is not known of any."""

    size: str
    top_1: float
    top_5: float
    policy_loss: float
    win_error: float
    lead_error: float
    games: str
    """Where they are from."""


def measure(model: OwnModel, held_out: Sequence[HeldOut]) -> list[Figures]:
    """Return the figures on each, of at most MOST_POSITIONS positions spread over all."""
    model.eval()
    with torch.no_grad():
        return [_measure_size(model, apart) for apart in held_out]


def _measure_size(model: OwnModel, apart: HeldOut) -> Figures:
    samples = apart.samples
    chosen = np.arange(0, len(samples), max(1, -(-len(samples) // MOST_POSITIONS)))
    parts = []
    for begin in range(0, len(chosen), AT_ONCE):
        targets = to_targets(samples.batch(chosen[begin : begin + AT_ONCE]))
        parts.append(errors_of(model(targets.planes, targets.numbers), targets))
    total = Errors(*(sum(values) for values in zip(*parts, strict=True)))
    return Figures(
        size=f"{samples.columns}x{samples.rows}",
        top_1=total.top_1 / total.positions,
        top_5=total.top_5 / total.positions,
        policy_loss=total.policy / total.positions,
        win_error=_mean(total.win, total.known_wins),
        lead_error=_mean(total.lead, total.known_leads),
        games=apart.games,
    )


def _mean(total: float, count: int) -> float:
    return total / count if count else math.nan
