"""Selection: UCT, RAVE and PUCT, and the descent of the tree.

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


class SelectionParameters(NamedTuple):
    """Parameters of the selection formulas; `SearchSettings` has the descriptions."""

    algorithm: int
    exploration: float
    rave_equivalence: float
    fpu: float  # first-play urgency: a value, or for PUCT the reduction below the parent
    prior_in_rave: bool
    lead_weight: float = 0.0  # share of the score margin in the utility, for PUCT with a network
    wide_root_noise: float = 0.0


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
def puct_value(tree, node, sqrt_parent, fpu_value, parameters):
    """Return Q + C P sqrt(N) / (1 + n), with P the policy."""
    n, wins = visits_and_wins(tree, node)
    q = _mean(utility_sum(tree, node, wins, parameters), n, fpu_value)
    return np.float32(q + parameters.exploration * tree.policy[node] * sqrt_parent / (1 + n))


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
    sqrt_parent = np.sqrt(parent_visits)
    # The current visit is counted but not yet backed up: slightly optimistic at few visits.
    utility = utility_sum(tree, node, tree.wins[node], parameters)
    fpu_value = 1 - _mean(utility, tree.visits[node], 0.5) - parameters.fpu
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
            value = puct_value(tree, child, sqrt_parent, fpu_value, parameters)
        if noise > 0:
            value += noise * np.float32(root_noise(random))
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
