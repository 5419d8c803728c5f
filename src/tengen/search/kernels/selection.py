"""Which child to try next: the formulas of the tree.

Everything is from the side of the player to move. `n` and `Q` of a child hold its visits and
what the sources said of it, as equivalent visits.
"""

from typing import NamedTuple

import numpy as np

from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.random import next_random, random_below

RANDOM_NUMBERS = 2.0**32
"""That `next_random` may return."""
UCT, RAVE, PUCT = np.int64(0), np.int64(1), np.int64(2)


class Formula(NamedTuple):
    """The numbers of the selection formulas; `SearchSettings` explains them."""

    kind: int
    exploration: float
    equivalent_rave: float
    first_play: float
    prior_in_rave: bool
    lead_weight: float = 0.0  # of the margin beside winning, with puct and a net
    wide_root: float = 0.0  # how much better than they are moves at the root may look


@inline_kernel
def _mean(wins, visits, otherwise):
    if visits > 0:
        return wins / visits
    return otherwise


@inline_kernel
def experience(tree, node):
    """Return (n, Q * n) of a node: visits and wins, priors included."""
    n = tree.visits[node] + tree.prior_visits[node]
    return n, tree.wins[node] + tree.prior_wins[node]


@inline_kernel
def rave_mix(n, wins, n_rave, rave_wins, per_equivalent):
    """Return (1 - beta) Q + beta Q_RAVE (paper 000, section 5.1) with a single division.

    With b = 1 / equivalent_rave, beta = n_rave / (n_rave + n + b n_rave n), so that the mix is
    (wins (1 + b n_rave) + rave_wins) / (n_rave + n + b n_rave n). Exact at n = 0 and n_rave = 0.
    """
    scaled = per_equivalent * n_rave
    return (wins + wins * scaled + rave_wins) / (n_rave + n + n * scaled)


@inline_kernel
def uct_value(tree, node, log_parent, formula):
    """Return Z = W / N + C sqrt(log N(s) / N(s, a)) (paper 001, eq. 2.1 and 2.2)."""
    n, wins = experience(tree, node)
    if n <= 0:
        return np.float32(formula.first_play)
    return np.float32(wins / n + formula.exploration * np.sqrt(log_parent / n))


@inline_kernel
def rave_value(tree, node, log_parent, formula):
    """Return the mix of Q and Q_RAVE, and the UCT term if its constant is not 0."""
    n, wins = experience(tree, node)
    n_rave = tree.rave_visits[node]
    rave_wins = tree.rave_wins[node]
    if formula.prior_in_rave:
        n_rave += tree.prior_visits[node]
        rave_wins += tree.prior_wins[node]
    value = np.float32(formula.first_play)
    if n + n_rave > 0:
        per_equivalent = np.float32(1.0 / formula.equivalent_rave)
        value = rave_mix(n, wins, n_rave, rave_wins, per_equivalent)
    if formula.exploration > 0:
        value += np.float32(formula.exploration) * np.sqrt(log_parent / (n + np.float32(1.0)))
    return value


@inline_kernel
def utility_sum(tree, node, wins, formula):
    """Return wins with the margins at their weight: what puct goes by."""
    if formula.lead_weight > 0:
        return (1 - formula.lead_weight) * wins + formula.lead_weight * tree.margins[node]
    return wins


@inline_kernel
def puct_value(tree, node, root_parent, unseen, formula):
    """Return Q + C P sqrt(N) / (1 + n): the net's policy P decides where to look first."""
    n, wins = experience(tree, node)
    q = _mean(utility_sum(tree, node, wins, formula), n, unseen)
    return np.float32(q + formula.exploration * tree.policy[node] * root_parent / (1 + n))


@inline_kernel
def lucky_bonus(random):
    """Return 0 for half of all draws, and the size of a normal number for the others."""
    if random_below(random, np.uintp(2)) == 0:
        return 0.0
    size = np.sqrt(-2 * np.log((next_random(random) + 1.0) / RANDOM_NUMBERS))
    return size * abs(np.cos(2 * np.pi * next_random(random) / RANDOM_NUMBERS))


@kernel
def select_child(tree, node, formula, start, random, is_root):
    """Return the child with the best value; ties go to the first after `start`, in a ring.

    At the root, where `wide_root` is not 0, half of the moves look better by chance, drawn anew
    each time, so that all that are nearly as good as the best are tried.
    """
    luck = np.float32(formula.wide_root if is_root else 0.0)
    first = np.uintp(tree.first_child[node])
    count = np.uintp(tree.children[node])
    parent_visits = max(tree.visits[node], np.float32(1.0))
    log_parent = np.log(parent_visits)
    root_parent = np.sqrt(parent_visits)
    # The visit under way is counted and not yet won, so at young nodes `unseen` is a little high.
    utility = utility_sum(tree, node, tree.wins[node], formula)
    unseen = 1 - _mean(utility, tree.visits[node], 0.5) - formula.first_play
    best = first
    best_value = np.float32(-1e30)
    for step in range(count):
        place = start + step
        if place >= count:
            place -= count
        child = first + place
        if formula.kind == RAVE:
            value = rave_value(tree, child, log_parent, formula)
        elif formula.kind == UCT:
            value = uct_value(tree, child, log_parent, formula)
        else:
            value = puct_value(tree, child, root_parent, unseen, formula)
        if luck > 0:
            value += luck * np.float32(lucky_bonus(random))
        if value > best_value:
            best_value = value
            best = child
    return best
