"""The result of a search: candidate moves, values, principal variations, ownership."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.board.kernels.layout import POINTS
from tengen.search.kernels.worker import Worker
from tengen.search.settings import FinalChoice
from tengen.search.tree import ROOT, SearchTree

LCB_Z = 1.96
"""Width of the lower confidence bound, in standard errors."""
MAX_PV_MOVES = 30
MAX_VARIANCE = 0.25
"""Maximum variance of a reward from 0 to 1."""


@dataclass(frozen=True)
class ValueEstimate:
    """The network's evaluations of a subtree, averaged; for the side to move at the root.

    Positions with Black and with White to move have equal weight, so that a constant error of the
    network in favor of the side to move cancels.
    """

    winrate: float
    lead: float
    """Points, including komi."""
    lead_error: float
    """Standard error of the lead, in points."""


@dataclass(frozen=True)
class Candidate:
    """A move at the root. Values are for the side to move, 0 (loss) to 1 (win).

    Examples
    --------
    >>> from tengen.api import Position, search
    >>> position = Position(5)
    >>> best = search(position, playouts=30, threads=1, memory_mib=8).candidates[0]
    >>> best.line[0] == best.move, 0 <= best.lcb <= best.value <= 1
    (True, True)
    """

    move: int
    visits: int
    value: float
    """Mean reward of the simulations, without the prior."""
    prior_visits: float
    """Equivalent visits of the sources."""
    prior_value: float
    rave_visits: int
    rave_value: float
    policy: float
    line: list[int]
    """Principal variation, starting with this move."""
    line_visits: list[int] = field(default_factory=list)
    """Visits of each move of the principal variation; empty without a tree."""
    utility: float | None = None
    """What selection maximized, if that was not the value alone."""
    estimate: ValueEstimate | None = None
    """Only in analysis with a network."""
    variance: float | None = None
    """Variance of the rewards; by default that of wins and losses."""

    @property
    def lcb(self) -> float:
        """Lower confidence bound of the value."""
        return max(0.0, self.value - LCB_Z * self.standard_error) if self.visits else 0.0

    def utility_lcb(self, stdevs: float = LCB_Z) -> float:
        """Return the lower confidence bound of the utility, or of the value without a utility."""
        utility = self.value if self.utility is None else self.utility
        return utility - stdevs * self.standard_error

    @property
    def standard_error(self) -> float:
        """Standard error of the value."""
        variance = self.variance
        if variance is None:
            variance = max(self.value * (1 - self.value), 0.01)
        return float(np.sqrt(variance / max(self.visits, 1)))


@dataclass(frozen=True)
class SearchReport:
    """The state of a search at one time.

    Examples
    --------
    >>> from tengen.api import Position, search
    >>> report = search(Position(5), playouts=30, threads=1, memory_mib=8)
    >>> report.simulations, sum(candidate.visits for candidate in report.candidates) <= 30
    (30, True)
    """

    candidates: list[Candidate]
    """Best first."""
    simulations: int
    """Simulations of this search; with subtree reuse, there may be more visits."""
    visits: int
    value: float
    """Win rate of the side to move."""
    ownership: npt.NDArray[np.float64]
    """Rows x columns, -1 (White) to 1 (Black)."""
    nodes: int
    depth: float
    """Mean length of the paths."""
    extra_komi: float = 0.0
    """Dynamic komi: points for White in the search beyond those of the rules."""
    estimate: ValueEstimate | None = None
    """Of the root; only in analysis with a network."""


def read_report(
    tree: SearchTree,
    workers: list[Worker],
    position: Position,
    final_choice: FinalChoice,
    lead_weight: float,
) -> SearchReport:
    """Return the state of a search, with candidates ordered by `final_choice`."""
    sample = final_choice.lcb_sample
    candidates = [
        _candidate(tree, child, float(policy), lead_weight, sample)
        for child, policy in zip(tree.children(ROOT), tree.policy_of_children(ROOT), strict=True)
    ]
    min_visits = final_choice.lcb_min_share * max((c.visits for c in candidates), default=0)
    candidates.sort(key=lambda c: _sort_key(c, final_choice, min_visits), reverse=True)
    simulations = sum(int(worker.counters["simulations"][0]) for worker in workers)
    depths = sum(int(worker.counters["depth_sum"][0]) for worker in workers)
    visits, results = float(tree.arrays.visits[ROOT]), float(tree.arrays.results[ROOT])
    return SearchReport(
        candidates=candidates,
        simulations=simulations,
        visits=int(visits),
        # The wins of the root are those of the player who moved last.
        value=1 - _ratio(tree.arrays.wins[ROOT], results) if results else 0.5,
        ownership=_ownership(workers, position),
        nodes=tree.nodes_used(workers),
        depth=depths / max(simulations, 1),
    )


def _sort_key(candidate: Candidate, choice: FinalChoice, min_visits: float) -> tuple[float, float]:
    """Return the sort key of a candidate.

    Unvisited moves come last, ordered by prior and policy. With `lcb`, moves with fewer than
    `min_visits` visits come after the others, ordered by visits.
    """
    if candidate.visits == 0:
        return -2000.0, candidate.prior_visits * candidate.prior_value + candidate.policy
    if choice.criterion == "lcb":
        if candidate.visits < min_visits:
            return -1000.0, candidate.visits
        return candidate.utility_lcb(choice.lcb_stdevs), candidate.value
    key = candidate.visits if choice.criterion == "visits" else candidate.value
    return float(key), candidate.value


def _candidate(
    tree: SearchTree, node: int, policy: float, lead_weight: float, sample: bool
) -> Candidate:
    arrays = tree.arrays
    results = arrays.results[node]
    value = _ratio(arrays.wins[node], results)
    utility = None
    if lead_weight > 0:
        margin = _ratio(arrays.margins[node], results)
        utility = (1 - lead_weight) * value + lead_weight * margin
    line, line_visits = _principal_variation(tree, node)
    return Candidate(
        move=int(arrays.move[node]),
        visits=int(arrays.visits[node]),
        value=value,
        prior_visits=float(arrays.prior_visits[node]),
        prior_value=_ratio(arrays.prior_wins[node], arrays.prior_visits[node]),
        rave_visits=int(arrays.rave_visits[node]),
        rave_value=_ratio(arrays.rave_wins[node], arrays.rave_visits[node]),
        policy=policy,
        line=line,
        line_visits=line_visits,
        utility=utility,
        variance=_variance(value, float(arrays.squares[node]), float(results)) if sample else None,
    )


def _variance(mean: float, squares: float, count: float) -> float | None:
    """Return the variance of rewards; MAX_VARIANCE counts as `count**-2` further ones."""
    if count < 1:
        return None
    variance = max(squares / count - mean * mean, 0.0)
    weight = count**-2
    return (count * variance + weight * MAX_VARIANCE) / (count + weight)


def _ratio(wins: float, visits: float) -> float:
    return float(wins / visits) if visits > 0 else 0.0


def _principal_variation(tree: SearchTree, node: int) -> tuple[list[int], list[int]]:
    """Return the moves of the most visited path from a node, and the visits of each."""
    line, line_visits = [int(tree.arrays.move[node])], [int(tree.arrays.visits[node])]
    children = tree.children(node)
    while len(children) and len(line) < MAX_PV_MOVES:
        visits = tree.arrays.visits[children.start : children.stop]
        best = int(np.argmax(visits))
        if visits[best] == 0:
            break
        line.append(int(tree.arrays.move[children[best]]))
        line_visits.append(int(visits[best]))
        children = tree.children(children[best])
    return line, line_visits


def _ownership(workers: list[Worker], position: Position) -> npt.NDArray[np.float64]:
    total = np.zeros(int(POINTS))
    count = 0
    for worker in workers:
        total += worker.ownership
        count += int(worker.counters["ownerships"][0])
    return np.array(position.on_grid(total)) / max(count, 1)
