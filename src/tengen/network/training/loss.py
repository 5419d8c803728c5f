"""How far the net's answer is from what it should be: for learning, and for people."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from tengen.network.kernels.features import LEGAL
from tengen.network.training.model import Answer
from tengen.network.training.samples import Batch

WIN_WEIGHT = 1.5
OWNERSHIP_WEIGHT = 1.5
LEAD_WEIGHT = 0.05
LEAD_BEND_POINTS = 8.0
"""Errors of the lead beyond this count in proportion, not squared."""
ILLEGAL = 30.0
"""Taken off the logit of an illegal move: the rules say that no net needs to."""


class Targets(NamedTuple):
    """A batch as tensors: what goes in, and what should come out."""

    planes: Tensor
    numbers: Tensor
    policy: Tensor
    win: Tensor
    lead: Tensor
    ownership: Tensor


def to_targets(batch: Batch) -> Targets:
    """Return a batch as tensors, the channels last in memory: that trains faster."""
    planes = torch.from_numpy(batch.planes).contiguous(memory_format=torch.channels_last)
    rest = (batch.numbers, batch.policy, batch.win, batch.lead, batch.ownership)
    return Targets(planes, *(torch.from_numpy(values) for values in rest))


def legal_logits(answer: Answer, targets: Targets) -> Tensor:
    """Return the policy's logits with the illegal moves far down."""
    illegal = 1 - targets.planes[:, int(LEGAL)].flatten(1)
    return answer.policy - ILLEGAL * functional.pad(illegal, (0, 1))


def loss_of(answer: Answer, targets: Targets) -> Tensor:
    """Return what training makes small."""
    policy = functional.cross_entropy(legal_logits(answer, targets), targets.policy)
    win = _where_known(
        functional.binary_cross_entropy_with_logits(
            answer.win, _known(targets.win), reduction="none"
        ),
        targets.win,
    )
    lead = _where_known(
        functional.huber_loss(
            answer.lead, _known(targets.lead), reduction="none", delta=LEAD_BEND_POINTS
        )
        / LEAD_BEND_POINTS,
        targets.lead,
    )
    ownership = _where_known(
        functional.mse_loss(answer.ownership, _known(targets.ownership), reduction="none"),
        targets.ownership,
    )
    return policy + WIN_WEIGHT * win + LEAD_WEIGHT * lead + OWNERSHIP_WEIGHT * ownership


def _known(values: Tensor) -> Tensor:
    return torch.nan_to_num(values)


def _where_known(losses: Tensor, values: Tensor) -> Tensor:
    """Return the mean of the losses where there was a value; 0 if there was none at all."""
    known = ~torch.isnan(values)
    return (losses * known).sum() / known.sum().clamp(min=1)


class Errors(NamedTuple):
    """Sums over positions of what people want to know, and how many there were.

    Win and lead count only where they are known.
    """

    positions: int
    top_1: float
    """The wanted move is the net's first choice."""
    top_5: float
    """It is among the first five."""
    policy: float
    """Log loss against the wanted moves."""
    win: float
    """Distance of the win probabilities."""
    lead: float
    """Distance of the leads, in points."""
    known_wins: int
    known_leads: int


def errors_of(answer: Answer, targets: Targets) -> Errors:
    """Return the errors of a batch."""
    logits = legal_logits(answer, targets)
    best = logits.topk(5, dim=1).indices == targets.policy.argmax(dim=1, keepdim=True)
    log_loss = functional.cross_entropy(logits, targets.policy, reduction="sum")
    return Errors(
        positions=len(logits),
        top_1=float(best[:, 0].sum()),
        top_5=float(best.sum()),
        policy=float(log_loss),
        win=float((torch.sigmoid(answer.win) - targets.win).abs().nansum()),
        lead=float((answer.lead - targets.lead).abs().nansum()),
        known_wins=int((~targets.win.isnan()).sum()),
        known_leads=int((~targets.lead.isnan()).sum()),
    )
