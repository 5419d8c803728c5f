"""A number to tune: its name, its range, and how it gets into a player's text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tengen.core.errors import TengenError

Values = Mapping[str, float]
"""A setting: the value of each parameter by name."""


@dataclass(frozen=True)
class Parameter:
    """A parameter to tune, by the name that the player knows it by."""

    name: str
    low: float
    high: float
    start: float | None = None
    """Where a search starts; the middle of the range if not given."""
    spread: float | None = None
    """For SPSA: how far to both sides it still tries at the end; a twentieth of the range."""
    whole: bool = False
    """Whether only whole numbers make sense."""
    least: float | None = None
    """For a population: how far its interval may be doubled downwards; `low` if not given."""
    most: float | None = None
    """The same upwards; `high` if not given."""

    def __post_init__(self) -> None:
        """Raise TengenError if the numbers make no sense."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise TengenError(f"parameter {self.name}: low must be below high")
        if self.start is not None and not self.low <= self.start <= self.high:
            raise TengenError(f"parameter {self.name}: start is outside the range")
        if self.spread is not None and not 0 < self.spread <= self.high - self.low:
            raise TengenError(f"parameter {self.name}: spread must be positive and in the range")

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value that a player takes."""
        least = self.low if self.least is None else min(self.least, self.low)
        return least, self.high if self.most is None else max(self.most, self.high)

    @property
    def first(self) -> float:
        """The value to start from."""
        return (self.low + self.high) / 2 if self.start is None else self.start

    @property
    def final_spread(self) -> float:
        """The spread at the end; at least a half for whole numbers, or both sides were the same."""
        spread = (self.high - self.low) / 20 if self.spread is None else self.spread
        return max(spread, 0.5) if self.whole else spread

    def clip(self, value: float) -> float:
        """Return the nearest value in the range."""
        return min(max(value, self.low), self.high)

    def settle(self, value: float) -> float:
        """Return the value that a player would be given: within limits, whole if need be."""
        least, most = self.limits
        return min(max(float(round(value)) if self.whole else value, least), most)


def check_parameters(parameters: Sequence[Parameter]) -> None:
    """Raise TengenError unless there are parameters, with different names."""
    names = [parameter.name for parameter in parameters]
    if not names:
        raise TengenError("no parameters to tune")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise TengenError(f"parameter {min(twice)!r} is there twice")


def number_text(value: float) -> str:
    """Return a value as a player reads it: six digits, whole numbers in full and without an `e`."""
    return str(int(value)) if value == int(value) else format(value, ".6g")


def fill(template: str, values: Values) -> str:
    """Return the text of the player with these values.

    `{name}` stands for a value. A text of Tengen itself (`tengen playouts=500`) may leave them
    out: they are added as `name=value`. Raise TengenError for one that has no place.
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
