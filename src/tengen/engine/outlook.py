"""What a search says of the score: who is ahead by how much, and how sure that is.

The search counts wins, and a win rate says something of the score if scores are spread normally:
50% is no lead, 84% a lead of one deviation. The lead at the root comes from its win rate and from
the points that its playouts ended with. With a net it is what the net says of the root, moved by
what the search found of the win rate since. The lead after a move is what its win rate says beside
the root's.
"""

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from tengen.board.colour import Colour
from tengen.board.position import Position
from tengen.engine.opinion import net_opinion
from tengen.engine.settings import PlaySettings
from tengen.search.kernels.simulation import EVERY
from tengen.search.report import SearchReport

NORMAL = NormalDist()
Grid = npt.NDArray[np.float64]

PLAYOUT_SPREAD = 4.8
"""The deviation of playout scores, beside the one they had if every point fell by itself.

Measured on 80 positions of real games, 9x9 and 19x19, all stages; most lie from 3.7 to 5.7."""
NET_SPREAD = 1.2
"""The same for nets, from how their win rates move with komi: 0.85 on 9x9 and 1.5 on 19x19."""
NET_SLOPE = 0.5
"""How far a lead by a net moves with a deviation of the win rate, in the same measure.

Measured against the leads of KataGo's 15 blocks, 299 positions of 9x9 and 119 of 19x19: with a
search of 200 and 100 simulations the mean error is least from 0.4 to 0.6 (2.6 and 4.6 points; 3.0
and 5.5 where the search moves nothing, 3.4 and 6.1 at 1.2), and the lead is seldom on another side
than the win rate."""
POINTS_WEIGHT = 1 / int(EVERY)
"""The share of simulations in which the search counts the points."""
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
    """The win rate that goes with the lead."""
    slope: float
    """How far the lead moves with one deviation of the win rate, in points."""
    bounds: tuple[float, float]
    """The leads of White and of Black who own the whole board."""

    def lead_at(self, value: float) -> float:
        """Return Black's lead where Black's win rate is `value`."""
        moved = self.lead + self.slope * (_deviations(value) - _deviations(self.value))
        return min(max(moved, self.bounds[0]), self.bounds[1])


def outlook(report: SearchReport, position: Position, play: PlaySettings) -> Outlook:
    """Return what a report of this position says, found by an engine with these settings."""
    value = for_black(report.value, position.to_play)
    bonus = position.area_bonus
    bounds = (-position.area - bonus, position.area - bonus)
    said = net_opinion(play.net, position)
    if said is None:
        stdev = PLAYOUT_SPREAD * _alone(report.ownership)
        lead = _lead(value, stdev, report, bonus)
        found = Outlook(lead, stdev, report.ownership, value, stdev, bounds)
    else:
        sign = position.to_play.sign
        ownership = sign * said.ownership_to_play.astype(np.float64)
        # A led komi moves the win rate of a search, not the lead: then the net's word stands.
        before = value if report.extra_komi else for_black(said.win_to_play, position.to_play)
        lead, alone = sign * said.lead_to_play, _alone(ownership)
        stdev, slope = NET_SPREAD * alone, NET_SLOPE * alone
        found = Outlook(lead, stdev, ownership, before, slope, bounds)
    return replace(found, lead=found.lead_at(value), value=value)


def _alone(ownership: Grid) -> float:
    """Return the deviation of the score if every point fell by itself."""
    return float(np.sqrt(np.sum(1 - np.minimum(ownership**2, 1.0))))


def _lead(value: float, stdev: float, report: SearchReport, bonus: float) -> float:
    """Return Black's lead by the win rate and by the points, each by how little it errs.

    Every simulation counts for the win rate, one of eight for the points; but near 0 and 1 the
    win rate says little about the score, and where all is won only that it is at least so much.
    """
    by_value = stdev * _deviations(value) + report.extra_komi
    if not report.ownership.any():
        return by_value
    sure = min(max(value, SUREST), 1 - SUREST)
    value_weight = NORMAL.pdf(_deviations(value)) ** 2 / (sure * (1 - sure))
    by_points = float(report.ownership.sum()) - bonus
    if (by_points - by_value) * (value - sure) > 0:
        return by_points
    total = value_weight + POINTS_WEIGHT
    return (value_weight * by_value + POINTS_WEIGHT * by_points) / total


def for_black(value: float, to_play: Colour) -> float:
    """Return Black's win rate, given that of the side to move; or the other way round."""
    return value if to_play is Colour.BLACK else 1 - value


def _deviations(value: float) -> float:
    return NORMAL.inv_cdf(min(max(value, SUREST), 1 - SUREST))
