"""What the solver finds, and what it tells on the way."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum


class Goal(IntEnum):
    """What an iteration is after."""

    VALUE = 0
    AT_LEAST = 1
    AT_MOST = 2


@dataclass(frozen=True)
class Iteration:
    """One search to one depth, from Black's side."""

    goal: Goal
    depth: int
    asked: int
    """The value to prove; for VALUE that of the iteration before."""
    found: int
    is_proved: bool
    nodes: int
    """All nodes so far."""
    seconds: float
    processor_s: float

    def __str__(self) -> str:
        rate = self.nodes / max(self.processor_s, 1e-9) / 1e6
        said = f"{self.found:+d}" if self.goal is Goal.VALUE else self._proof_text()
        return (
            f"depth {self.depth:3d}  {said:24s} {self.nodes:13,d} nodes "
            f"{self.seconds:8.1f} s  {rate:.2f} M/s"
        )

    def _proof_text(self) -> str:
        sign = ">=" if self.goal is Goal.AT_LEAST else "<="
        return f"{sign} {self.asked:+d} {'proved' if self.is_proved else 'open'}"


@dataclass
class Solution:
    """What is known of a position: Black's value lies within `low` and `high`."""

    low: int
    high: int
    line: list[int] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0
    processor_s: float = 0.0
    """Of this process: on a busy machine less than `seconds`."""

    @property
    def is_solved(self) -> bool:
        """Whether the bounds meet."""
        return self.low == self.high


Report = Callable[[Iteration], None]
"""Is told of every iteration when it is done."""
