"""The tuner interface (parameters, duels between two settings, their results), and SPSA."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.util import TengenError

Values = Mapping[str, float]
"""Parameter values by name."""


@dataclass(frozen=True)
class Parameter:
    """A parameter to tune."""

    name: str
    low: float
    high: float
    start: float | None = None
    """Initial value; None for the middle of the range."""
    spread: float | None = None
    """SPSA: perturbation at the end of the run; None for a twentieth of the range."""
    whole: bool = False
    """Whether only integers are allowed."""
    least: float | None = None
    """Population: lower limit when the interval is doubled; None for `low`."""
    most: float | None = None
    """Population: upper limit when the interval is doubled; None for `high`."""

    def __post_init__(self) -> None:
        """Raise TengenError for an invalid range."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise TengenError(f"parameter {self.name}: low must be below high")
        if self.start is not None and not self.low <= self.start <= self.high:
            raise TengenError(f"parameter {self.name}: start is outside the range")
        if self.spread is not None and not 0 < self.spread <= self.high - self.low:
            raise TengenError(
                f"parameter {self.name}: spread must be positive and at most the range"
            )

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and largest allowed values."""
        least = self.low if self.least is None else min(self.least, self.low)
        return least, self.high if self.most is None else max(self.most, self.high)

    @property
    def first(self) -> float:
        """The initial value."""
        return (self.low + self.high) / 2 if self.start is None else self.start

    @property
    def final_spread(self) -> float:
        """The perturbation at the end; at least 1/2 for integers, so that the sides differ."""
        spread = (self.high - self.low) / 20 if self.spread is None else self.spread
        return max(spread, 0.5) if self.whole else spread

    def clip(self, value: float) -> float:
        """Return the nearest value in the range."""
        return min(max(value, self.low), self.high)

    def settle(self, value: float) -> float:
        """Return the nearest allowed value."""
        least, most = self.limits
        return min(max(float(round(value)) if self.whole else value, least), most)


def check_parameters(parameters: Sequence[Parameter]) -> None:
    """Raise TengenError if there are no parameters or names repeat."""
    names = [parameter.name for parameter in parameters]
    if not names:
        raise TengenError("no parameters to tune")
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise TengenError(f"parameter {min(repeated)!r} is defined twice")


def number_text(value: float) -> str:
    """Format a value with six significant digits, integers in full."""
    return str(int(value)) if value == int(value) else format(value, ".6g")


def fill_template(template: str, values: Values) -> str:
    """Return a player specification with parameter values.

    `{name}` is replaced by a value. Tengen's own specifications (`tengen playouts=500`) need no
    placeholders: values are appended as `name=value`. Raise TengenError for a missing placeholder.
    """
    text, added = template, ""
    for name, value in values.items():
        number = number_text(value)
        if f"{{{name}}}" in text:
            text = text.replace(f"{{{name}}}", number)
        elif template.split()[:1] == ["tengen"]:
            added += f" {name}={number}"
        else:
            raise TengenError(f"no {{{name}}} in the player {template!r}")
    return text + added


class Duel(NamedTuple):
    """Two settings to compare."""

    number: int
    """Determines the duel's place in the tuner's schedule."""
    first: Values
    second: Values


class DuelResult(NamedTuple):
    """Result of a duel."""

    score: float
    """Score of the first setting, 0 to 1."""
    margin: float = 0.0
    """Mean margin in points over the scored games, from the first setting's point of view."""
    games: int = 2
    problem: str = ""
    """Why the duel counts as even, all its games were aborted, or a component failed."""


class Tuner(Protocol):
    """Issues duels and takes their results, in any order.

    Tuners are deterministic: the same results in the same order lead to the same state, so that a
    log of results is enough to resume.
    """

    @property
    def done(self) -> bool:
        """Whether the run is finished."""

    @property
    def progress(self) -> tuple[int, int]:
        """Number of finished duels, and the planned total as far as known."""

    def next_duel(self) -> Duel | None:
        """Return the next duel; None if more results are needed first."""

    def take(self, number: int, result: DuelResult) -> None:
        """Process the result of a duel, new or from a log."""

    def recommend(self) -> dict[str, float]:
        """Return the recommended values: the mean of the model, not the best sample."""


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
    """Simultaneous perturbation stochastic approximation (paper 001, eq. 3.2; Spall 1992).

    Iteration k compares theta + c_k D with theta - c_k D, where the entries of D are -1 or 1 at
    random, and moves theta by

        a_k (f(theta + c_k D) - f(theta - c_k D)) / (2 c_k) * 1/D

    The score f is maximized, hence the plus sign; a duel yields the difference of the two scores at
    once. Iterations may run in parallel: each perturbs the current theta, and its step is added
    when the result arrives. The gains follow from the final spread and step.
    """

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
        """Move theta toward the better side."""
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
