"""What a search says of the score: who is ahead by how much, and how sure that is.

The search counts wins. The lead at the root is that of its playouts (or what the net says, where
a net takes their place); the lead after a move is what its win rate says beside the root's, if
scores are spread normally: a win rate of 50% is no lead, one of 84% a lead of one deviation.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from tengen.board.colour import Colour
from tengen.board.position import Position
from tengen.network.evaluation import Evaluation
from tengen.search.report import SearchReport

Grid = npt.NDArray[np.float64]

PLAYOUT_SPREAD = 4.8
"""The deviation of playout scores, beside the one they had if every point fell by itself.

Measured on 80 positions of real games, 9x9 and 19x19, all stages; most lie from 3.7 to 5.7."""
NET_SPREAD = 1.2
"""The same for nets, from how their win rates move with komi: 0.85 on 9x9 and 1.5 on 19x19."""
SUREST = 0.01
"""Win rates nearer to 0 or 1 say no more about the score."""


@dataclass(frozen=True)
class Outlook:
    """The score to expect, all from Black's side."""

    lead: float
    """Points, komi and compensation counted."""
    stdev: float
    """Of the final score, in points."""
    ownership: Grid
    """Rows by columns, -1 White's to 1 Black's."""
    value: float
    """The win rate."""

    def lead_at(self, value: float) -> float:
        """Return Black's lead where Black's win rate is `value`."""
        return self.lead + self.stdev * (_deviations(value) - _deviations(self.value))


def outlook(report: SearchReport, position: Position, said: Evaluation | None = None) -> Outlook:
    """Return what a report of this position says; `said` is what a net says of it."""
    value = for_black(report.value, position.to_play)
    ownership = report.ownership
    if said is not None:
        sign = 1 if position.to_play is Colour.BLACK else -1
        ownership = sign * said.ownership_to_play.astype(np.float64)
    spread = PLAYOUT_SPREAD if said is None else NET_SPREAD
    stdev = spread * float(np.sqrt(np.sum(1 - np.minimum(ownership**2, 1.0))))
    if said is not None:
        lead = sign * said.lead_to_play
    elif ownership.any():
        lead = float(ownership.sum()) - position.rules.white_bonus(position.handicap)
    else:
        lead = stdev * _deviations(value)  # a search without playouts that were counted
    return Outlook(lead, stdev, ownership, value)


def for_black(value: float, to_play: Colour) -> float:
    """Return Black's win rate, given that of the side to move; or the other way round."""
    return value if to_play is Colour.BLACK else 1 - value


def _deviations(value: float) -> float:
    return NormalDist().inv_cdf(min(max(value, SUREST), 1 - SUREST))
