"""Muon: gradient descent whose steps have no preferred direction (Jordan et al. 2024).

The momentum of each matrix of weights is replaced by the nearest matrix with orthonormal rows or
columns, found by a few Newton-Schulz steps; convolutions count as matrices of (out, the rest).
In a first trial (300 steps on 9x9, docs/nets.md) small nets learned faster with it than with Adam.
The step has the size that Adam's would have (Liu et al. 2025, "Muon is scalable").

Such steps know no small gradients, so that weights would grow without end, until whole layers of
rectifiers are silent (seen here). So their root mean square is kept below that of He et al. 2015,
at which a layer neither swells nor shrinks what goes through it.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
"""The coefficients of Jordan's quintic: they lift small singular values fastest."""
ROUNDS = 5
MOMENTUM = 0.95
LIKE_ADAM = 0.2


def orthogonal(matrix: Tensor) -> Tensor:
    """Return about the nearest matrix whose singular values are all 1."""
    wide: Tensor = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    wide = wide / (wide.norm() + 1e-7)
    first, third, fifth = NEWTON_SCHULZ
    for _ in range(ROUNDS):
        square = wide @ wide.T
        wide = first * wide + (third * square + fifth * square @ square) @ wide
    return wide if matrix.shape[0] <= matrix.shape[1] else wide.T


class Muon(torch.optim.Optimizer):
    """For weights that are matrices or convolutions; give the rest to another optimizer."""

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        super().__init__(parameters, {"lr": 0.0, "momentum": MOMENTUM})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Make one step along the gradients."""
        for group in self.param_groups:
            for weights in group["params"]:
                if weights.grad is not None:
                    self._step(weights, group)

    def _step(self, weights: Tensor, group: dict[str, float]) -> None:
        state = self.state[weights]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(weights)
        momentum: Tensor = state["momentum"]
        assert weights.grad is not None
        momentum.lerp_(weights.grad, 1 - group["momentum"])
        ahead = weights.grad.lerp(momentum, group["momentum"])  # Nesterov's
        change = orthogonal(ahead.reshape(len(ahead), -1))
        scale = LIKE_ADAM * max(change.shape) ** 0.5
        weights.add_(change.reshape(weights.shape), alpha=-group["lr"] * scale)
        most = (2 * len(change)) ** 0.5  # the norm of weights with a mean square of 2 / inputs
        weights.mul_((most / weights.norm().clamp(min=1e-9)).clamp(max=1.0))
