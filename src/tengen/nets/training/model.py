"""The network in PyTorch.

A tower of residual blocks without normalization: a batch holds boards of one size, whose statistics
would be wrong for other sizes. Instead the last layer of every block is initialized to zero (Zhang
et al. 2019, "Fixup initialization"), so that a block leaves its input unchanged at first and a
trained tower can be deepened. Blocks are pre-activation blocks (He et al. 2016, "Identity mappings
in deep residual networks"); the first `activated` ones pass on the activated input instead. Every
second block pools its channels over the board and adds
the result to all points (Wu 2019, "Accelerating self-play learning in Go"), which connects distant
parts of the board and lets one network serve all sizes.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.nets.kernels.features import KOMI, KOMI_UNIT, NUMBERS
from tengen.nets.tengen_net import plane_count

HEAD_CHANNELS = 16
HIDDEN = 32
LEAD_UNIT = 20.0
SCORE_NUMBERS = 2
"""Inputs of the value head from the ownership score: scaled linearly, and by tanh."""
CLOSE_POINTS = 4.0
SLOPE = 0.1
"""Negative slope of the leaky ReLU."""


class ModelOutput(NamedTuple):
    """Outputs for a batch, for the side to move."""

    policy: Tensor
    """(n, rows * columns + 1): logits, the pass last."""
    win: Tensor
    """(n,): logits."""
    lead: Tensor
    """(n,): points."""
    ownership: Tensor
    """(n, rows, columns): -1 to 1."""


def leaky_relu(values: Tensor) -> Tensor:
    """Apply the leaky ReLU; a plain ReLU can die."""
    return functional.leaky_relu(values, SLOPE)


def pool(planes: Tensor) -> Tensor:
    """Return the mean and maximum of every channel over the board."""
    return torch.cat([planes.mean((2, 3)), planes.amax((2, 3))], dim=1)


def spread(numbers: Tensor) -> Tensor:
    """Return values (n, channels) as planes that broadcast over all points."""
    return numbers[:, :, None, None]


class ResidualBlock(nn.Module):
    """A residual block, optionally with global pooling.

    The residual is added to the input, or to the activated input if `activates_skip`.
    """

    def __init__(self, channels: int, pools: bool, activates_skip: bool = False) -> None:
        super().__init__()
        self.activates_skip = activates_skip
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.whole = nn.Linear(2 * channels, channels) if pools else None
        for name, weights in self.named_parameters():
            if not name.startswith("first"):
                nn.init.zeros_(weights)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the planes plus the residual."""
        active = leaky_relu(planes)
        inner = leaky_relu(self.first(active))
        change: Tensor = self.second(inner)
        if self.whole is not None:
            change = change + spread(self.whole(pool(inner)))
        return (active if self.activates_skip else planes) + change


class TengenModel(nn.Module):
    """Planes and numbers in; policy, win, lead and ownership out.

    With `uses_bfloat16` the tower computes in bfloat16.
    """

    def __init__(self, blocks: int, channels: int, playouts: int = 0, activated: int = 0) -> None:
        super().__init__()
        self.blocks, self.channels, self.playouts = blocks, channels, playouts
        self.activated = activated
        self.uses_bfloat16 = False
        self.planes = plane_count(playouts)
        self.entry = nn.Conv2d(self.planes, channels, 3, padding=1)
        self.entry_numbers = nn.Linear(NUMBERS, channels, bias=False)
        self.tower = nn.ModuleList(
            ResidualBlock(channels, index % 2 == 1, index < activated) for index in range(blocks)
        )
        self.policy = nn.Conv2d(channels, HEAD_CHANNELS, 1)
        self.policy_whole = nn.Linear(2 * channels, HEAD_CHANNELS, bias=False)
        self.policy_out = nn.Conv2d(HEAD_CHANNELS, 1, 1)
        self.passing = nn.Linear(2 * channels + NUMBERS, 1)
        self.ownership = nn.Conv2d(channels, 1, 1)
        self.value = nn.Linear(2 * channels + NUMBERS + SCORE_NUMBERS, HIDDEN)
        self.value_out = nn.Linear(HIDDEN, 2)

    def forward(self, planes: Tensor, numbers: Tensor) -> ModelOutput:
        """Compute a batch: planes (n, planes, rows, columns), numbers (n, NUMBERS)."""
        trunk = self._trunk(planes, numbers)
        whole = pool(trunk)
        known = torch.cat([whole, numbers], dim=1)
        ownership = torch.tanh(self.ownership(trunk))[:, 0]
        score = ownership.sum((1, 2)) + numbers[:, int(KOMI)] * KOMI_UNIT
        win, lead = self._value(known, score)
        return ModelOutput(self._policy(trunk, whole, known), win, lead, ownership)

    def _trunk(self, planes: Tensor, numbers: Tensor) -> Tensor:
        """Return the output of the tower as float32, which the heads need."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.uses_bfloat16):
            trunk = self.entry(planes) + spread(self.entry_numbers(numbers))
            for block in self.tower:
                trunk = block(trunk)
            trunk = leaky_relu(trunk)
        return trunk.float()

    def _policy(self, trunk: Tensor, whole: Tensor, known: Tensor) -> Tensor:
        head = leaky_relu(self.policy(trunk) + spread(self.policy_whole(whole)))
        return torch.cat([self.policy_out(head).flatten(1), self.passing(known)], dim=1)

    def _value(self, known: Tensor, score: Tensor) -> tuple[Tensor, Tensor]:
        """Return win (a logit) and lead from global features and the score of the ownership."""
        scores = torch.stack([score / LEAD_UNIT, torch.tanh(score / CLOSE_POINTS)], dim=1)
        hidden = leaky_relu(self.value(torch.cat([known, scores], dim=1)))
        out = self.value_out(hidden)
        return out[:, 0], score + LEAD_UNIT * out[:, 1]
