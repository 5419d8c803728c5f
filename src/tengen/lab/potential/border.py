"""What the games of a filter say: a verdict on each switching point, and the border between them.

The border of a filter is the lowest switching point at which it still wins more than a plain
player does (paper 002). Finitely many games give it as an interval only.
"""

import math
from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple


class Verdict(IntEnum):
    """How a win rate compares with that of plain against plain."""

    OPEN = 0
    BELOW = 1
    ABOVE = 2


class Cell(NamedTuple):
    """The games of one filter with one switching point."""

    wins: int = 0
    games: int = 0


class RateTest(NamedTuple):
    """A sequential probability ratio test around the win rate of a plain player."""

    reference: float
    margin: float = 0.05
    """The hypotheses are `reference` minus and plus this."""
    risk: float = 0.05
    """Of a wrong verdict if the rate lies at one of the hypotheses."""

    def verdict(self, cell: Cell) -> Verdict:
        """Return what the games of a cell say."""
        low = max(self.reference - self.margin, 0.001)
        high = min(self.reference + self.margin, 0.999)
        losses = cell.games - cell.wins
        ratio = cell.wins * math.log(high / low) + losses * math.log((1 - high) / (1 - low))
        bound = math.log((1 - self.risk) / self.risk)
        return (
            Verdict.ABOVE if ratio >= bound else Verdict.BELOW if ratio <= -bound else Verdict.OPEN
        )


class Border(NamedTuple):
    """The border lies above `low` and is at most `high`; None where nothing is known."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        if self.high is None:
            return "none found" if self.low is None else f"none, or above {self.low}"
        return f"at most {self.high}" if self.low is None else f"{self.low + 1} to {self.high}"


def find_border(verdicts: Mapping[int, Verdict]) -> Border:
    """Return the border's interval from the verdicts by switching point."""
    above = [switch for switch, verdict in verdicts.items() if verdict is Verdict.ABOVE]
    high = min(above, default=None)
    below = [
        switch
        for switch, verdict in verdicts.items()
        if verdict is Verdict.BELOW and (high is None or switch < high)
    ]
    return Border(max(below, default=None), high)


def is_inside(switch: int, border: Border) -> bool:
    """Tell whether games at a switching point could move the border."""
    return (border.low is None or switch > border.low) and (
        border.high is None or switch < border.high
    )


def halfway(border: Border, known: Mapping[int, object]) -> int | None:
    """Return a switching point inside the border's interval where none was tried, or None.

    Every second number is tried, as a player has two legal moves less on each of its turns.
    """
    if border.low is None or border.high is None or border.high - border.low <= 2:
        return None
    if any(border.low < switch < border.high for switch in known):
        return None
    return border.low + 2 * ((border.high - border.low + 2) // 4)
