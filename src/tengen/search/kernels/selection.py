"""Selection: UCT, RAVE, PUCT and sequential halving at the root, and the descent of the tree.

Values are from the point of view of the player to move. `n` and `Q` of a child include the prior
of the sources as equivalent visits.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import PASSES
from tengen.board.kernels.stones import play
from tengen.playout.kernels.random import next_random, random_below
from tengen.search.kernels.tree import MAX_DEPTH
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
RANDOM_RANGE = 2.0**32
"""`next_random` returns integers below this."""
UCT, RAVE, PUCT = np.int64(0), np.int64(1), np.int64(2)
MIN_KNOWN_VISITS = np.float32(0.25)
"""Visits assigned to an unvisited move in addition to its unfinished ones."""
PRIOR_STDEV, PRIOR_STDEV_VISITS = 0.2, 2.0
NOT_PLANNED = np.uintp(0)
"""Node 0 is never a child."""


class SelectionParameters(NamedTuple):
    """Parameters of the selection formulas; `SearchSettings` has the descriptions."""

    algorithm: int
    exploration: float
    rave_equivalence: float
    fpu: float  # first-play urgency: a value, or for PUCT the reduction below the parent
    prior_in_rave: bool
    lead_weight: float = 0.0  # share of the score margin in the utility, for PUCT with a network
    wide_root_noise: float = 0.0
    exploration_growth: float = 0.0  # PUCT: growth of the constant with the logarithm of visits
    exploration_base: float = 500.0
    exploration_spread: float = 0.0  # PUCT: dependence of the constant on the standard deviation
    root_fpu: float = 0.0  # PUCT: the same as `fpu` at the root
    fpu_by_policy: bool = False  # PUCT: reduction in proportion to sqrt(policy visited)
    virtual_loss: float = 1.0  # PUCT: share of an unfinished visit that counts as lost


@inline_kernel
def _mean(total, count, default):
    if count > 0:
        return total / count
    return default


@inline_kernel
def visits_and_wins(tree, node):
    """Return (n, Q * n) of a node, including the prior."""
    n = tree.visits[node] + tree.prior_visits[node]
    return n, tree.wins[node] + tree.prior_wins[node]


@inline_kernel
def rave_mix(n, wins, n_rave, rave_wins, inverse_equivalence):
    """Return (1 - beta) Q + beta Q_RAVE (paper 000, section 5.1) with a single division.

    With b = 1 / equivalence, beta = n_rave / (n_rave + n + b n_rave n), so that the mix is
    (wins (1 + b n_rave) + rave_wins) / (n_rave + n + b n_rave n). Exact at n = 0 and n_rave = 0.
    """
    scaled = inverse_equivalence * n_rave
    return (wins + wins * scaled + rave_wins) / (n_rave + n + n * scaled)


@inline_kernel
def uct_value(tree, node, log_parent, parameters):
    """Return Z = W / N + C sqrt(log N(s) / N(s, a)) (paper 001, eq. 2.1 and 2.2)."""
    n, wins = visits_and_wins(tree, node)
    if n <= 0:
        return np.float32(parameters.fpu)
    return np.float32(wins / n + parameters.exploration * np.sqrt(log_parent / n))


@inline_kernel
def rave_value(tree, node, log_parent, parameters):
    """Return the mix of Q and Q_RAVE, plus the UCT term if its constant is not 0."""
    n, wins = visits_and_wins(tree, node)
    n_rave = tree.rave_visits[node]
    rave_wins = tree.rave_wins[node]
    if parameters.prior_in_rave:
        n_rave += tree.prior_visits[node]
        rave_wins += tree.prior_wins[node]
    value = np.float32(parameters.fpu)
    if n + n_rave > 0:
        inverse_equivalence = np.float32(1.0 / parameters.rave_equivalence)
        value = rave_mix(n, wins, n_rave, rave_wins, inverse_equivalence)
    if parameters.exploration > 0:
        value += np.float32(parameters.exploration) * np.sqrt(log_parent / (n + np.float32(1.0)))
    return value


@inline_kernel
def utility_sum(tree, node, wins, parameters):
    """Return the sum of utilities: wins mixed with score margins."""
    if parameters.lead_weight > 0:
        return (1 - parameters.lead_weight) * wins + parameters.lead_weight * tree.margins[node]
    return wins


@inline_kernel
def puct_value(tree, node, scale, fpu_value, parameters):
    """Return Q + C P sqrt(N) / (1 + n), with P the policy and `scale` C sqrt(N).

    Unfinished visits count in n, and with `virtual_loss` as lost in Q.
    """
    n, wins = visits_and_wins(tree, node)
    unfinished = tree.visits[node] - tree.results[node]
    known = n - unfinished
    q = fpu_value
    if known > 0:
        q = utility_sum(tree, node, wins, parameters) / known
    if unfinished > 0:
        known = max(known, MIN_KNOWN_VISITS)
        q *= known / (known + parameters.virtual_loss * unfinished)
    return np.float32(q + scale * tree.policy[node] / (1 + n))


@inline_kernel
def _spread_factor(tree, node, parameters):
    """Return the factor of the exploration constant for the standard deviation of the rewards.

    It is 1 at a standard deviation of `PRIOR_STDEV`, which counts as `PRIOR_STDEV_VISITS` visits.
    """
    n = tree.results[node]
    if parameters.exploration_spread == 0 or n <= 1:
        return 1.0
    mean = tree.wins[node] / n
    square = (mean * mean + PRIOR_STDEV * PRIOR_STDEV) * PRIOR_STDEV_VISITS + tree.squares[node]
    variance = max(square / (PRIOR_STDEV_VISITS + n - 1) - mean * mean, 0.0)
    return 1 + parameters.exploration_spread * (np.sqrt(variance) / PRIOR_STDEV - 1)


@inline_kernel
def _puct_scale(tree, node, parent_visits, parameters):
    """Return C sqrt(N) of a node."""
    exploration = parameters.exploration
    if parameters.exploration_growth > 0:
        growth = np.log(1 + parent_visits / parameters.exploration_base)
        exploration += parameters.exploration_growth * growth
    return exploration * np.sqrt(parent_visits) * _spread_factor(tree, node, parameters)


@inline_kernel
def _puct_fpu(tree, node, parameters, is_root):
    """Return the value of unvisited children of a node."""
    utility = utility_sum(tree, node, tree.wins[node], parameters)
    reduction = parameters.root_fpu if is_root else parameters.fpu
    if parameters.fpu_by_policy:
        first = np.uintp(tree.first_child[node])
        visited = np.float32(0)
        for child in range(first, first + np.uintp(tree.child_count[node])):
            if tree.visits[child] > 0:
                visited += tree.policy[child]
        reduction *= np.sqrt(visited)
    return 1 - _mean(utility, tree.results[node], 0.5) - reduction


@inline_kernel
def root_noise(random):
    """Return 0 with probability 1/2, otherwise the absolute value of a standard normal sample."""
    if random_below(random, np.uintp(2)) == 0:
        return 0.0
    size = np.sqrt(-2 * np.log((next_random(random) + 1.0) / RANDOM_RANGE))
    return size * abs(np.cos(2 * np.pi * next_random(random) / RANDOM_RANGE))


@kernel
def select_child(tree, node, parameters, start, random, is_root):
    """Return the child with the highest value; ties go to the first in cyclic order from `start`.

    At the root, `wide_root_noise` is added so that more moves are explored.
    """
    noise = np.float32(parameters.wide_root_noise if is_root else 0.0)
    first = np.uintp(tree.first_child[node])
    count = np.uintp(tree.child_count[node])
    parent_visits = max(tree.visits[node], np.float32(1.0))
    log_parent = np.log(parent_visits)
    puct_scale, fpu_value = 0.0, 0.0
    if parameters.algorithm == PUCT:
        puct_scale = _puct_scale(tree, node, parent_visits, parameters)
        fpu_value = _puct_fpu(tree, node, parameters, is_root)
    best = first
    best_value = np.float32(-1e30)
    for step in range(count):
        offset = start + step
        if offset >= count:
            offset -= count
        child = first + offset
        if parameters.algorithm == RAVE:
            value = rave_value(tree, child, log_parent, parameters)
        elif parameters.algorithm == UCT:
            value = uct_value(tree, child, log_parent, parameters)
        else:
            value = puct_value(tree, child, puct_scale, fpu_value, parameters)
        if noise > 0:
            value += noise * np.float32(root_noise(random))
        if value > best_value:
            best_value = value
            best = child
    return best


@kernel
def planned_child(tree, node, plan, parameters):
    """Return the child of the root that sequential halving visits next (algorithm 2, eq. 8).

    Return NOT_PLANNED after the end of the plan.
    """
    first = np.uintp(tree.first_child[node])
    count = np.uintp(tree.child_count[node])
    header = plan.header[0]
    done, most = 0.0, np.float32(0)
    for index in range(count):
        visits = tree.visits[first + index]
        done += visits - plan.old_visits[index]
        most = max(most, visits)
    best = NOT_PLANNED
    if done >= header.simulations:
        return best
    target = plan.targets[np.int64(done)]
    scale = (header.value_visits + most) * header.value_scale
    utility = utility_sum(tree, node, tree.wins[node], parameters)
    unknown = 1 - _mean(utility, tree.results[node], 0.5)
    best_value = -1e30
    for index in range(count):
        child = first + index
        if tree.visits[child] - plan.old_visits[index] == target:
            utility = utility_sum(tree, child, tree.wins[child], parameters)
            value = plan.scores[index] + scale * _mean(utility, tree.results[child], unknown)
            if value > best_value:
                best_value = value
                best = child
    return best


@inline_kernel
def descend(tree, node, worker, parameters, depth):
    """Select a child of `node`, play its move and append it to the path; return it.

    The visit is counted here: until the backup it acts as a virtual loss.
    """
    random = worker.playout.random
    start = np.uintp(random_below(random, np.uintp(tree.child_count[node])))
    child = NOT_PLANNED
    if depth == ONE and worker.root_plan.header[0].simulations > 0:
        child = planned_child(tree, node, worker.root_plan, parameters)
    if child == NOT_PLANNED:
        child = select_child(tree, node, parameters, start, random, depth == ONE)
    play(worker.block, np.uintp(tree.move[child]))
    tree.visits[child] += 1
    worker.path[depth] = child
    return child


@kernel
def descend_to_leaf(tree, root, worker, parameters):
    """Descend to an unexpanded node or the end of the game; return the length of the path."""
    node = np.uintp(root)
    worker.path[0] = node
    tree.visits[node] += 1
    depth = np.uintp(0)
    while depth < np.uintp(MAX_DEPTH) and worker.block[PASSES] < 2 and tree.child_count[node] != 0:
        depth += ONE
        node = descend(tree, node, worker, parameters, depth)
    return depth + ONE
