"""Simultaneous perturbation stochastic approximation: all parameters at once, two tries a step.

Paper 001, equation 3.2, after Spall. Iteration k tries theta + c_k D against theta - c_k D with
every element of D drawn from -1 and 1, and moves theta by

    a_k (f(theta + c_k D) - f(theta - c_k D)) / (2 c_k) * 1/D

Here f is a score to maximise, so the sign is plus; in a duel the difference of the two scores
is known at once. Iterations may be under way side by side: each is tried around the theta of the
moment, and its step is added when it comes back.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.tune.duel import Duel, DuelResult
from tengen.tune.parameter import Parameter, check_parameters

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SpsaSettings:
    """How fast to learn. The exponents are Spall's."""

    iterations: int = 1000
    step: float = 0.3
    """The move of a parameter at the end, for a whole point of difference, in units of half its
    spread. Larger learns faster and wobbles more: 0.3 finds the top of a noisy hill within 10 Elo
    in 500 pairs of games (tests); Fishtest uses 0.002 for very long runs."""
    alpha: float = 0.602
    gamma: float = 0.101
    stability: float = 0.1
    """The constant A as a part of all iterations: keeps the first steps small."""


class Spsa:
    """A run of SPSA. The gains are chosen by the spread and the step wanted at the end."""

    def __init__(self, parameters: Sequence[Parameter], settings: SpsaSettings, seed: int):
        """Start at the parameters' first values."""
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
        """Whether every iteration has its result."""
        return len(self._taken) >= self.settings.iterations

    @property
    def progress(self) -> tuple[int, int]:
        """Iterations done and planned."""
        return len(self._taken), self.settings.iterations

    def next_duel(self) -> Duel | None:
        """Return theta on both sides, spread by this iteration's c_k."""
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
        """Move theta towards the side that did better."""
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
        """Return the mean of theta over the second half of the run: the wobble cancels out."""
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
        """Return the signs of an iteration, and the numbers by which it rounds."""
        dice = np.random.default_rng([self._seed, number])
        count = len(self.parameters)
        return dice.choice([-1.0, 1.0], count), dice.random(count)

    def _values(self, point: Vector, rounding: Vector) -> dict[str, float]:
        """Return a setting; both sides round a whole number by the same throw."""
        return {
            parameter.name: parameter.clip(math.floor(value + up) if parameter.whole else value)
            for parameter, value, up in zip(
                self.parameters, point.tolist(), rounding.tolist(), strict=True
            )
        }
