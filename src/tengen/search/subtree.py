"""Win rates and leads of the root moves from the network's evaluations in their subtrees.

The mean of all evaluations depends on how many of them have Black and how many have White to move:
networks tend to favor the side to move. Here both groups have equal weight. The search also makes
the evaluations of a subtree more similar than independent samples, so the standard error of their
mean is multiplied by `CORRELATION`.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, Position
from tengen.search.report import SearchReport, ValueEstimate
from tengen.search.tree import ROOT, SearchTree

CORRELATION = 2.0
"""Standard error of a lead, relative to that of independent evaluations."""
MIN_EVALUATIONS = 8
"""The spread of fewer evaluations is replaced by that of the whole tree."""

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Evaluations(NamedTuple):
    """All evaluated nodes of a tree."""

    branch: Integers
    """0 for the root, i + 1 for the subtree of the root's child number i."""
    parity: Integers
    """0 where the side to move at the root is to move, else 1."""
    values: Floats
    """Win rate and lead for Black, [nodes, 2]."""


class GroupSums(NamedTuple):
    """Sums over the evaluations of a subtree, by parity."""

    counts: Floats
    """[2]."""
    values: Floats
    """Win rate and lead, [2, 2] by parity."""
    lead_squares: Floats
    """[2]."""


def with_estimates(
    report: SearchReport, tree: SearchTree, position: Position, net_share: float
) -> SearchReport:
    """Return a report with estimates of the root and its moves.

    `net_share` is the share of the network in the values of the search.
    """
    if tree.net_values is None:
        return report
    evaluations = _collect(tree, tree.net_values)
    children = tree.children(ROOT)
    by_branch = _sums(evaluations, len(children) + 1)
    total = GroupSums(*(sum(fields) for fields in zip(*by_branch, strict=True)))
    if not total.counts.any():
        return report
    spread = _lead_variance(total)
    is_black = position.to_play is BLACK

    def estimate(sums: GroupSums, value: float) -> ValueEstimate:
        shift, lead, error = _balanced(sums, spread)
        sign = 1 if is_black else -1
        winrate = min(max(value + sign * net_share * shift, 0.0), 1.0)
        return ValueEstimate(winrate, sign * lead, error)

    moves = {int(tree.arrays.move[node]): number for number, node in enumerate(children, 1)}
    candidates = []
    for candidate in report.candidates:
        sums = by_branch[moves[candidate.move]]
        if sums.counts.any():
            candidate = replace(candidate, estimate=estimate(sums, candidate.value))
        candidates.append(candidate)
    return replace(report, candidates=candidates, estimate=estimate(total, report.value))


def _collect(tree: SearchTree, net_values: npt.NDArray[np.float32]) -> Evaluations:
    """Return the evaluated nodes, level by level: those that were expanded."""
    arrays = tree.arrays
    nodes, branch = np.array([ROOT]), np.zeros(1, dtype=np.int64)
    levels: list[Evaluations] = []
    while True:
        is_expanded = arrays.child_count[nodes] > 0
        nodes, branch = nodes[is_expanded], branch[is_expanded]
        if len(nodes) == 0:
            break
        parity = np.full(len(nodes), len(levels) % 2)
        levels.append(Evaluations(branch, parity, net_values[nodes].astype(np.float64)))
        counts = arrays.child_count[nodes].astype(np.int64)
        starts = np.cumsum(counts) - counts
        first = arrays.first_child[nodes].astype(np.int64)
        children = np.arange(counts.sum()) + np.repeat(first - starts, counts)
        below = np.arange(1, counts[0] + 1) if len(levels) == 1 else np.repeat(branch, counts)
        is_visited = arrays.visits[children] > 0
        nodes, branch = children[is_visited], below[is_visited]
    if not levels:
        return Evaluations(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 2)))
    return Evaluations(*(np.concatenate(fields) for fields in zip(*levels, strict=True)))


def _sums(evaluations: Evaluations, branches: int) -> list[GroupSums]:
    """Return the sums of each branch."""
    groups = 2 * evaluations.branch + evaluations.parity
    win, lead = evaluations.values.T

    def total(weights: Floats) -> Floats:
        return np.bincount(groups, weights, 2 * branches).astype(np.float64).reshape(-1, 2)

    sums = total(np.ones(len(win))), np.stack([total(win), total(lead)], axis=-1), total(lead**2)
    return [GroupSums(*fields) for fields in zip(*sums, strict=True)]


def _balanced(sums: GroupSums, spread: float) -> tuple[float, float, float]:
    """Return the balanced minus the plain mean win rate, the balanced lead, and its error."""
    has = sums.counts > 0
    means = sums.values[has] / sums.counts[has, None]
    plain = sums.values.sum(axis=0) / sums.counts.sum()
    winrate, lead = means.mean(axis=0)
    variance = _lead_variance(sums) if sums.counts.sum() >= MIN_EVALUATIONS else spread
    error = np.sqrt(variance * np.sum(1 / sums.counts[has])) / has.sum()
    return float(winrate - plain[0]), float(lead), CORRELATION * float(error)


def _lead_variance(sums: GroupSums) -> float:
    """Return the variance of the leads around the mean of their parity."""
    means = sums.values[:, 1] / np.maximum(sums.counts, 1)
    squares = float(np.sum(sums.lead_squares - sums.counts * means**2))
    return max(squares / max(float(sums.counts.sum()) - 2, 1.0), 0.0)
