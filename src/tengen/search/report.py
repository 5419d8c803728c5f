"""What a search found: the candidate moves and what is known of each."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

LCB_Z = 1.96
"""Standard deviations below the mean of the lower confidence bound."""


@dataclass(frozen=True)
class Candidate:
    """A move at the root. Values are for the side to move, 0 lost to 1 won."""

    move: int
    visits: int
    value: float
    """The mean reward of its simulations; what the sources said is not in it."""
    prior_visits: float
    prior_value: float
    rave_visits: int
    rave_value: float
    policy: float
    line: list[int]
    """The principal variation, this move first."""
    line_visits: list[int] = field(default_factory=list)
    """The visits of each move of the line, where a tree knows them."""
    utility: float | None = None
    """What the search went by, where that was not the value alone."""

    @property
    def lcb(self) -> float:
        """The lower confidence bound of the value."""
        return max(0.0, self.value - self._radius) if self.visits else 0.0

    @property
    def cautious(self) -> float:
        """The lower confidence bound of what the search went by."""
        return (self.value if self.utility is None else self.utility) - self._radius

    @property
    def _radius(self) -> float:
        """Half of the width of the value's confidence interval."""
        variance = max(self.value * (1 - self.value), 0.01)
        return LCB_Z * float(np.sqrt(variance / max(self.visits, 1)))


@dataclass(frozen=True)
class SearchReport:
    """The state of a search at one moment."""

    candidates: list[Candidate]
    """Best first, by the final choice."""
    simulations: int
    """In this search; visits may be more, from a tree that was kept."""
    visits: int
    value: float
    """The win rate of the root, for the side to move."""
    ownership: npt.NDArray[np.float64]
    """Rows by columns, -1 White's to 1 Black's."""
    nodes: int
    depth: float
    """The mean length of the paths."""
    extra_komi: float = 0.0
    """Points that White had in the search beside those of the rules: a dynamic komi."""
