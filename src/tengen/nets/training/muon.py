"""The Muon optimizer (Jordan et al. 2024).

The momentum of each weight matrix is replaced by the nearest matrix with orthonormal rows or
columns, computed by a few Newton-Schulz iterations; convolutions are matrices of shape (out, rest).
The update is scaled like Adam's (Liu et al. 2025, "Muon is scalable").

Updates do not shrink with the gradients, so weights would grow without bound until layers die.
Their root mean square is therefore clipped to that of He et al. 2015, which preserves the scale of
activations.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
"""Coefficients of Jordan's quintic, which raises small singular values fastest."""
ROUNDS = 5
MOMENTUM = 0.95
LIKE_ADAM = 0.2


def orthogonal(matrix: Tensor) -> Tensor:
    """Return approximately the nearest matrix whose singular values are all 1."""
    wide: Tensor = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    wide = wide / (wide.norm() + 1e-7)
    first, third, fifth = NEWTON_SCHULZ
    for _ in range(ROUNDS):
        square = wide @ wide.T
        wide = first * wide + (third * square + fifth * square @ square) @ wide
    return wide if matrix.shape[0] <= matrix.shape[1] else wide.T


class Muon(torch.optim.Optimizer):
    """Optimizer for matrices and convolutions; use another one for the other parameters."""

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        super().__init__(parameters, {"lr": 0.0, "momentum": MOMENTUM})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Update the weights."""
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
        max_norm = (2 * len(change)) ** 0.5  # of weights with a mean square of 2 / inputs
        weights.mul_((max_norm / weights.norm().clamp(min=1e-9)).clamp(max=1.0))
