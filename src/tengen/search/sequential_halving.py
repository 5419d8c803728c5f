"""Sequential halving at the root (Danihelka et al. 2022, "Policy improvement by planning with
Gumbel").

The moves with the highest policy get equally many simulations; then the better half of them
continues, until the simulations are used up.
"""

import math

import numpy as np

from tengen.search.kernels.worker import MAX_PLANNED_SIMULATIONS, RootPlan
from tengen.search.report import Candidate
from tengen.search.settings import SearchSettings
from tengen.search.tree import ROOT, SearchTree

MIN_POLICY = 1e-12


def halving_targets(moves: int, simulations: int) -> list[int]:
    """Return for each simulation how many visits the move to choose has (algorithm 2)."""
    if moves <= 1:
        return list(range(simulations))
    phases = math.ceil(math.log2(moves))
    targets: list[int] = []
    visits, considered = 0, moves
    while len(targets) < simulations:
        rounds = max(1, simulations // (phases * considered))
        for _ in range(rounds):
            targets += [visits] * considered
            visits += 1
        considered = max(2, considered // 2)
    return targets[:simulations]


def clear_plan(plan: RootPlan) -> None:
    """Let the plan contain no simulations."""
    plan.header["simulations"] = 0


def plan_root(
    plan: RootPlan,
    tree: SearchTree,
    simulations: int,
    settings: SearchSettings,
    rng: np.random.Generator,
) -> None:
    """Plan the next simulations at the root, which is expanded."""
    children = tree.children(ROOT)
    nodes = slice(children.start, children.stop)
    count = min(simulations, MAX_PLANNED_SIMULATIONS)
    moves = min(settings.gumbel_moves, len(children), count)
    policy = np.maximum(tree.arrays.policy[nodes], MIN_POLICY)
    noise = settings.gumbel_noise * rng.gumbel(size=len(children))
    plan.scores[: len(children)] = np.log(policy) + noise
    plan.old_visits[: len(children)] = tree.arrays.visits[nodes]
    plan.targets[:count] = halving_targets(moves, count)
    plan.header["value_visits"] = settings.gumbel_value_visits
    plan.header["value_scale"] = settings.gumbel_value_scale
    plan.header["simulations"] = count


def round_left(plan: RootPlan, done: int) -> int | None:
    """Return the simulations left in a round, which visits moves once; None after the plan.

    The choices of a round do not depend on each other, so its leaves are evaluated together.
    """
    targets = plan.targets[done : int(plan.header["simulations"][0])]
    return int(np.count_nonzero(targets == targets[0])) if len(targets) else None


def order_by_plan(plan: RootPlan, tree: SearchTree, candidates: list[Candidate]) -> list[Candidate]:
    """Return the root moves ordered by the result of sequential halving.

    The moves of the last phase come first, ordered by score and value; then the others by visits.
    """
    header, children = plan.header[0], tree.children(ROOT)
    index = {int(tree.arrays.move[child]): child - children.start for child in children}
    most = max((c.visits for c in candidates), default=0)
    scale = float((header["value_visits"] + most) * header["value_scale"])
    new_visits = {c.move: c.visits - float(plan.old_visits[index[c.move]]) for c in candidates}
    last_phase = max(max(new_visits.values(), default=0) - 1, 1)

    def key(candidate: Candidate) -> tuple[bool, float, float]:
        utility = candidate.value if candidate.utility is None else candidate.utility
        score = float(plan.scores[index[candidate.move]]) + scale * utility
        is_last = new_visits[candidate.move] >= last_phase
        return is_last, 0.0 if is_last else candidate.visits, score

    return sorted(candidates, key=key, reverse=True)
