"""The tuner interface: parameters, duels between two settings, and their results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

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
