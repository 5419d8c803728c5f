"""Simultaneous perturbation stochastic approximation (paper 001, eq. 3.2; Spall 1992).

Iteration k compares theta + c_k D with theta - c_k D, where the entries of D are -1 or 1 at random,
and moves theta by

    a_k (f(theta + c_k D) - f(theta - c_k D)) / (2 c_k) * 1/D

The score f is maximized, hence the plus sign; a duel yields the difference of the two scores at
once. Iterations may run in parallel: each perturbs the current theta, and its step is added when
the result arrives.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.match.tuning.tuner import Duel, DuelResult, Parameter, check_parameters

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SpsaSettings:
    """Schedule of an SPSA run. The exponents are Spall's."""

    iterations: int = 1000
    step: float = 0.3
    """Change of a parameter at the end for a score difference of 1, in units of half its spread.
    Larger values learn faster and fluctuate more; Fishtest uses 0.002 for very long runs."""
    alpha: float = 0.602
    gamma: float = 0.101
    stability: float = 0.1
    """The constant A as a fraction of all iterations: limits the first steps."""


class Spsa:
    """An SPSA run. The gains follow from the final spread and step."""

    def __init__(self, parameters: Sequence[Parameter], settings: SpsaSettings, seed: int):
        """Start at the initial parameter values."""
        check_parameters(parameters)
        self.parameters = tuple(parameters)
        self.settings = settings
        self.theta: Vector = np.array([parameter.first for parameter in parameters])
        self.history: list[Vector] = [self.theta]
        """Theta at the start and after every result."""
        self._seed = seed
        self._spread = np.array([parameter.final_spread for parameter in parameters])
        self._next = 0
        self._taken: set[int] = set()

    @property
    def done(self) -> bool:
        """Whether all iterations have results."""
        return len(self._taken) >= self.settings.iterations

    @property
    def progress(self) -> tuple[int, int]:
        """Finished and planned iterations."""
        return len(self._taken), self.settings.iterations

    def next_duel(self) -> Duel | None:
        """Return theta perturbed in both directions by this iteration's c_k."""
        while self._next in self._taken:
            self._next += 1
        if self._next >= self.settings.iterations:
            return None
        number = self._next
        self._next += 1
        signs, rounding = self._draw(number)
        offset = self.spread_at(number) * signs
        return Duel(
            number,
            self._values(self.theta + offset, rounding),
            self._values(self.theta - offset, rounding),
        )

    def take(self, number: int, result: DuelResult) -> None:
        """Move theta towards the better side."""
        if number in self._taken:
            return
        signs, _ = self._draw(number)
        difference = 2 * result.score - 1
        slope = difference / (2 * self.spread_at(number)) / signs
        moved = self.theta + self.gain_at(number) * slope
        self.theta = np.array([p.clip(v) for p, v in zip(self.parameters, moved, strict=True)])
        self.history.append(self.theta)
        self._taken.add(number)

    def recommend(self) -> dict[str, float]:
        """Return the mean of theta over the second half of the run."""
        late = self.history[len(self.history) // 2 :]
        mean = np.mean(late, axis=0)
        return {p.name: p.settle(float(v)) for p, v in zip(self.parameters, mean, strict=True)}

    def spread_at(self, number: int) -> Vector:
        """Return c_k = c / k^gamma of an iteration (from 0), where c = c_end N^gamma."""
        shrink = (self.settings.iterations / (number + 1)) ** self.settings.gamma
        return np.asarray(self._spread * shrink)

    def gain_at(self, number: int) -> Vector:
        """Return a_k = a / (A + k)^alpha, where a = step c_end^2 (A + N)^alpha."""
        total = self.settings.iterations
        stability = self.settings.stability * total
        shrink = ((stability + total) / (stability + number + 1)) ** self.settings.alpha
        return np.asarray(self.settings.step * self._spread**2 * shrink)

    def _draw(self, number: int) -> tuple[Vector, Vector]:
        """Return the signs of an iteration and the offsets for stochastic rounding."""
        rng = np.random.default_rng([self._seed, number])
        count = len(self.parameters)
        return rng.choice([-1.0, 1.0], count), rng.random(count)

    def _values(self, point: Vector, rounding: Vector) -> dict[str, float]:
        """Return parameter values; both sides round integers with the same offsets."""
        return {
            parameter.name: parameter.clip(math.floor(value + up) if parameter.whole else value)
            for parameter, value, up in zip(
                self.parameters, point.tolist(), rounding.tolist(), strict=True
            )
        }
