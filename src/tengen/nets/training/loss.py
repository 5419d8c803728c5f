"""Training loss and held-out metrics."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tengen.nets.kernels.features import LEGAL
from tengen.nets.training.dataset import HeldOutSet
from tengen.nets.training.model import ModelOutput, TengenModel
from tengen.nets.training.samples import TrainingBatch

WIN_WEIGHT = 1.5
OWNERSHIP_WEIGHT = 1.5
LEAD_WEIGHT = 0.05
LEAD_DELTA_POINTS = 8.0
"""Delta of the Huber loss of the lead."""
ILLEGAL = 30.0
"""Subtracted from the logits of illegal moves."""
HELD_OUT_BATCH = 64
MAX_HELD_OUT = 1200
"""Held-out positions evaluated per board size."""


class Targets(NamedTuple):
    """Inputs and targets of a batch as tensors."""

    planes: Tensor
    numbers: Tensor
    policy: Tensor
    win: Tensor
    lead: Tensor
    ownership: Tensor


def to_targets(batch: TrainingBatch) -> Targets:
    """Convert a batch to tensors, with channels last in memory for speed."""
    planes = torch.from_numpy(batch.planes).contiguous(memory_format=torch.channels_last)
    rest = (batch.numbers, batch.policy, batch.win, batch.lead, batch.ownership)
    return Targets(planes, *(torch.from_numpy(values) for values in rest))


def legal_logits(answer: ModelOutput, targets: Targets) -> Tensor:
    """Return the policy logits with those of illegal moves lowered."""
    illegal = 1 - targets.planes[:, int(LEGAL)].flatten(1)
    return answer.policy - ILLEGAL * functional.pad(illegal, (0, 1))


class LossParts(NamedTuple):
    """The mean losses of a batch; 0 where no target is known."""

    policy: Tensor
    win: Tensor
    lead: Tensor
    ownership: Tensor

    @property
    def total(self) -> Tensor:
        """The weighted sum, which training minimizes."""
        return (
            self.policy
            + WIN_WEIGHT * self.win
            + LEAD_WEIGHT * self.lead
            + OWNERSHIP_WEIGHT * self.ownership
        )


def loss_of(answer: ModelOutput, targets: Targets) -> LossParts:
    """Return the training loss by part."""
    win = functional.binary_cross_entropy_with_logits(
        answer.win, _known(targets.win), reduction="none"
    )
    lead = functional.huber_loss(
        answer.lead, _known(targets.lead), reduction="none", delta=LEAD_DELTA_POINTS
    )
    ownership = functional.mse_loss(answer.ownership, _known(targets.ownership), reduction="none")
    return LossParts(
        policy=functional.cross_entropy(legal_logits(answer, targets), targets.policy),
        win=_where_known(win, targets.win),
        lead=_where_known(lead / LEAD_DELTA_POINTS, targets.lead),
        ownership=_where_known(ownership, targets.ownership),
    )


def _known(values: Tensor) -> Tensor:
    return torch.nan_to_num(values)


def _where_known(losses: Tensor, values: Tensor) -> Tensor:
    """Return the mean loss over known targets, 0 if there are none."""
    known = ~torch.isnan(values)
    return (losses * known).sum() / known.sum().clamp(min=1)


class ErrorSums(NamedTuple):
    """Sums of errors over positions; win and lead only where known."""

    positions: int
    top_1: float
    """Positions whose target move is the first choice."""
    top_5: float
    """Positions whose target move is among the first five choices."""
    policy: float
    """Cross-entropy of the policy."""
    win: float
    """Absolute error of the winning probability."""
    lead: float
    """Absolute error of the lead, in points."""
    ownership: float
    """Mean absolute error of the ownership over the board, from 0 to 2."""
    known_wins: int
    known_leads: int
    known_ownerships: int


def errors_of(answer: ModelOutput, targets: Targets) -> ErrorSums:
    """Return the errors of a batch."""
    logits = legal_logits(answer, targets)
    best = logits.topk(5, dim=1).indices == targets.policy.argmax(dim=1, keepdim=True)
    log_loss = functional.cross_entropy(logits, targets.policy, reduction="sum")
    ownership = (answer.ownership - targets.ownership).abs().mean((1, 2))
    return ErrorSums(
        positions=len(logits),
        top_1=float(best[:, 0].sum()),
        top_5=float(best.sum()),
        policy=float(log_loss),
        win=float((torch.sigmoid(answer.win) - targets.win).abs().nansum()),
        lead=float((answer.lead - targets.lead).abs().nansum()),
        ownership=float(ownership.nansum()),
        known_wins=int((~targets.win.isnan()).sum()),
        known_leads=int((~targets.lead.isnan()).sum()),
        known_ownerships=int((~ownership.isnan()).sum()),
    )


class HeldOutMetrics(NamedTuple):
    """Means over the held-out positions of one board size; NaN if unknown."""

    size: str
    top_1: float
    top_5: float
    policy_loss: float
    win_error: float
    lead_error: float
    ownership_error: float
    games: str
    """Name of the games."""


def measure_held_out(model: TengenModel, held_out: Sequence[HeldOutSet]) -> list[HeldOutMetrics]:
    """Return the metrics of each held-out set, from at most MAX_HELD_OUT positions."""
    model.eval()
    with torch.no_grad():
        return [_measure_size(model, held_out_set) for held_out_set in held_out]


def _measure_size(model: TengenModel, held_out_set: HeldOutSet) -> HeldOutMetrics:
    samples = held_out_set.samples
    chosen = np.arange(0, len(samples), max(1, -(-len(samples) // MAX_HELD_OUT)))
    parts = []
    for begin in range(0, len(chosen), HELD_OUT_BATCH):
        targets = to_targets(samples.batch(chosen[begin : begin + HELD_OUT_BATCH]))
        parts.append(errors_of(model(targets.planes, targets.numbers), targets))
    total = ErrorSums(*(sum(values) for values in zip(*parts, strict=True)))
    return HeldOutMetrics(
        size=f"{samples.columns}x{samples.rows}",
        top_1=total.top_1 / total.positions,
        top_5=total.top_5 / total.positions,
        policy_loss=total.policy / total.positions,
        win_error=_mean(total.win, total.known_wins),
        lead_error=_mean(total.lead, total.known_leads),
        ownership_error=_mean(total.ownership, total.known_ownerships),
        games=held_out_set.games,
    )


def _mean(total: float, count: int) -> float:
    return total / count if count else math.nan
