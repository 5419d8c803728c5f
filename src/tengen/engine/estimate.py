"""Score estimates from a search: lead, standard deviation and ownership.

In analysis with a network, leads are averages of the network's leads in the tree. Otherwise, win
rates are converted to scores by assuming that final scores are normally distributed: 50% is a lead
of 0, 84% a lead of one standard deviation. Without a network, the lead at the root combines its win
rate with the scores of its playouts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from tengen.board import Color, Position, column_of, row_of
from tengen.engine.engine import Engine, Progress
from tengen.engine.nets import evaluate_with_net
from tengen.engine.settings import PlaySettings
from tengen.nets import Evaluation
from tengen.playout import ownership
from tengen.search import Candidate, SearchLimit, SearchReport
from tengen.search.kernels.worker import OWNERSHIP_INTERVAL

Grid = npt.NDArray[np.float64]

PLAYOUT_STDEV_FACTOR = 4.8
"""Standard deviation of playout scores, relative to that of independent points."""
NET_STDEV_FACTOR = 1.2
"""The same for networks, from the change of their win rates with komi."""
NET_SLOPE_FACTOR = 0.5
"""Change of a network's lead per standard deviation of the win rate, relative to independent
points."""
SCORE_WEIGHT = 1 / int(OWNERSHIP_INTERVAL)
"""Share of simulations whose score is recorded."""
MIN_WIN_RATE = 0.01
"""Win rates closer to 0 or 1 are clipped."""
MAX_OWNERSHIP_MOVES = 10
"""`ownership_after` evaluates at most this many moves, some milliseconds each."""
OWNERSHIP_PLAYOUTS = 48

ESTIMATE_VISITS = 200
"""Visits of `estimate_territory`, including those of a reused subtree."""
DEAD_OWNERSHIP = 0.9
"""A chain counts as dead if the opponent owns all its points at least to this degree."""

_NORMAL = NormalDist()


@dataclass(frozen=True)
class ScoreEstimate:
    """Estimate of the final score, from Black's point of view."""

    lead: float
    """Points, including komi."""
    stdev: float
    """Standard deviation of the final score, in points."""
    ownership: Grid
    """Rows x columns, -1 (White) to 1 (Black)."""
    value: float
    """Win rate that corresponds to the lead."""
    slope: float
    """Change of the lead per standard deviation of the win rate, in points."""
    bounds: tuple[float, float]
    """Leads if White or Black owns the whole board."""

    def lead_at(self, value: float) -> float:
        """Return the lead at another win rate."""
        lead = self.lead + self.slope * (_quantile(value) - _quantile(self.value))
        return min(max(lead, self.bounds[0]), self.bounds[1])


@dataclass(frozen=True)
class TerritoryEstimate:
    """Estimate of an unfinished game."""

    lead: float
    """Black's lead in points, including komi."""
    error: float
    """Standard deviation of the final score, in points."""
    ownership: Grid
    """Rows x columns, -1 (White) to 1 (Black)."""
    dead: list[int]
    """Stones of dead chains."""
    visits: int

    @property
    def text(self) -> str:
        """The estimate in words: `Black leads by 3.5 ± 6.0 points (200 visits)`."""
        visits = f"({self.visits:,} visits)"
        if round(self.lead, 1) == 0:
            return f"even ± {self.error:.1f} points {visits}"
        leader = "Black" if self.lead > 0 else "White"
        return f"{leader} leads by {abs(self.lead):.1f} ± {self.error:.1f} points {visits}"


def estimate_territory(
    engine: Engine, position: Position, progress: Progress | None = None
) -> TerritoryEstimate:
    """Estimate the score and the territory of an unfinished game by a short search."""
    report = engine.analyze(position, SearchLimit(visits=ESTIMATE_VISITS), progress)
    return territory_from_report(report, position, engine.settings.play)


def territory_from_report(
    report: SearchReport, position: Position, play: PlaySettings
) -> TerritoryEstimate:
    """Return the estimate that corresponds to a search report."""
    score = estimate_score(report, position, play)
    owned = score.ownership
    return TerritoryEstimate(
        score.lead, score.stdev, owned, _dead_stones(position, owned), report.visits
    )


def _dead_stones(position: Position, owned: Grid) -> list[int]:
    """Return the stones of all chains that the opponent owns almost surely."""

    def is_lost(stone: int) -> bool:
        sign = Color(position.color(stone)).sign
        return bool(sign * owned[row_of(stone), column_of(stone)] < -DEAD_OWNERSHIP)

    stones = (point for point in position.points() if position.color(point))
    return [stone for stone in stones if all(map(is_lost, position.chain(stone)))]


def estimate_score(report: SearchReport, position: Position, play: PlaySettings) -> ScoreEstimate:
    """Estimate the score from a search report of an engine with these settings."""
    return estimate_from(report, position, evaluate_with_net(play.net, position))


def estimate_from(
    report: SearchReport, position: Position, evaluation: Evaluation | None
) -> ScoreEstimate:
    """Estimate the score as `estimate_score`, given the network's evaluation of the position."""
    value = for_black(report.value, position.to_play)
    komi = position.area_komi
    bounds = (-position.area - komi, position.area - komi)
    if evaluation is None:
        stdev = PLAYOUT_STDEV_FACTOR * _independent_stdev(report.ownership)
        lead = _playout_lead(value, stdev, report, komi)
        estimate = ScoreEstimate(lead, stdev, report.ownership, value, stdev, bounds)
    else:
        sign = position.to_play.sign
        owned = sign * evaluation.ownership_to_play.astype(np.float64)
        # Dynamic komi changes the win rate of the search but not the lead.
        net_value = for_black(evaluation.win_to_play, position.to_play)
        base_value = value if report.extra_komi else net_value
        unit = _independent_stdev(owned)
        lead, stdev = sign * evaluation.lead_to_play, NET_STDEV_FACTOR * unit
        slope = NET_SLOPE_FACTOR * unit
        estimate = ScoreEstimate(lead, stdev, owned, base_value, slope, bounds)
    lead = estimate.lead_at(value)
    if report.estimate is not None:
        lead = position.to_play.sign * report.estimate.lead
    return replace(estimate, lead=lead, value=value)


def candidate_lead(candidate: Candidate, score: ScoreEstimate, to_play: Color) -> float:
    """Return the lead of the side to move after a candidate move."""
    if candidate.estimate is not None:
        return candidate.estimate.lead
    return to_play.sign * score.lead_at(for_black(candidate.value, to_play))


def _independent_stdev(owned: Grid) -> float:
    """Return the standard deviation of the score if points were independent."""
    return float(np.sqrt(np.sum(1 - np.minimum(owned**2, 1.0))))


def _playout_lead(value: float, stdev: float, report: SearchReport, komi: float) -> float:
    """Return Black's lead from win rate and playout scores, weighted by their precision.

    All simulations contribute to the win rate, one in `OWNERSHIP_INTERVAL` to the scores. Near 0
    and 1, the win rate is only a bound of the score.
    """
    by_value = stdev * _quantile(value) + report.extra_komi
    if not report.ownership.any():
        return by_value
    clipped = min(max(value, MIN_WIN_RATE), 1 - MIN_WIN_RATE)
    value_weight = _NORMAL.pdf(_quantile(value)) ** 2 / (clipped * (1 - clipped))
    by_score = float(report.ownership.sum()) - komi
    if (by_score - by_value) * (value - clipped) > 0:
        return by_score
    total = value_weight + SCORE_WEIGHT
    return (value_weight * by_value + SCORE_WEIGHT * by_score) / total


def for_black(value: float, to_play: Color) -> float:
    """Convert a win rate of the side to move to Black's, or the other way round."""
    return value if to_play is Color.BLACK else 1 - value


def _quantile(value: float) -> float:
    return _NORMAL.inv_cdf(min(max(value, MIN_WIN_RATE), 1 - MIN_WIN_RATE))


def ownership_after(position: Position, moves: Sequence[int], net: str) -> dict[int, Grid]:
    """Return the ownership after each of the first moves, -1 (White) to 1 (Black).

    By the network, or by a few playouts without one.
    """
    ownerships: dict[int, Grid] = {}
    for move in moves[:MAX_OWNERSHIP_MOVES]:
        after = position.copy()
        after.play(move)
        ownerships[move] = _ownership(after, net)
    return ownerships


def _ownership(position: Position, net: str) -> Grid:
    evaluation = evaluate_with_net(net, position)
    if evaluation is None:
        owned, _ = ownership(position, position.to_play, OWNERSHIP_PLAYOUTS)
        return np.array(position.on_grid(owned))
    return position.to_play.sign * evaluation.ownership_to_play.astype(np.float64)
