"""Reading a tree: candidates, principal variations, ownership."""

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.board.position import Position
from tengen.search.arena import ROOT, Arena
from tengen.search.kernels import simulation as cells
from tengen.search.kernels.simulation import Worker
from tengen.search.report import Candidate, SearchReport

LONGEST_LINE = 30
FEWEST_FOR_LCB = 0.1
"""The share of the most visits that a move needs to be chosen by its lower bound: one lucky playout
bounds nothing."""


def read_report(
    arena: Arena, workers: list[Worker], position: Position, final: str, lead_weight: float = 0.0
) -> SearchReport:
    """Return the state of a search; candidates are ordered by the final choice."""
    candidates = [_candidate(arena, child, lead_weight) for child in arena.children(ROOT)]
    fewest = FEWEST_FOR_LCB * max((c.visits for c in candidates), default=0)
    candidates.sort(key=lambda candidate: _rank(candidate, final, fewest), reverse=True)
    simulations = sum(int(worker.totals[cells.SIMULATIONS]) for worker in workers)
    depths = sum(int(worker.totals[cells.DEPTH_SUM]) for worker in workers)
    visits = float(arena.tree.visits[ROOT])
    return SearchReport(
        candidates=candidates,
        simulations=simulations,
        visits=int(visits),
        # The root's wins are those of the player who moved last.
        value=1 - float(arena.tree.wins[ROOT]) / visits if visits else 0.5,
        ownership=_ownership(workers, position),
        nodes=arena.used(workers),
        depth=depths / max(simulations, 1),
    )


def _rank(candidate: Candidate, final: str, fewest: float) -> tuple[float, float]:
    """Return what a candidate is ordered by; unvisited moves come last, by prior and policy.

    By lcb, moves with fewer visits than `fewest` come behind the others, by their visits.
    """
    if candidate.visits == 0:
        return -3.0, candidate.prior_visits * candidate.prior_value + candidate.policy
    if final == "lcb" and candidate.visits < fewest:
        return -2.0, candidate.visits
    by = {"visits": candidate.visits, "value": candidate.value, "lcb": candidate.cautious}
    return float(by[final]), candidate.value


def _candidate(arena: Arena, node: int, lead_weight: float) -> Candidate:
    tree = arena.tree
    value = _ratio(tree.wins[node], tree.visits[node])
    margin = _ratio(tree.margins[node], tree.visits[node])
    utility = (1 - lead_weight) * value + lead_weight * margin if lead_weight > 0 else None
    line, line_visits = _line(arena, node)
    return Candidate(
        move=int(tree.move[node]),
        visits=int(tree.visits[node]),
        value=value,
        prior_visits=float(tree.prior_visits[node]),
        prior_value=_ratio(tree.prior_wins[node], tree.prior_visits[node]),
        rave_visits=int(tree.rave_visits[node]),
        rave_value=_ratio(tree.rave_wins[node], tree.rave_visits[node]),
        policy=float(tree.policy[node]),
        line=line,
        line_visits=line_visits,
        utility=utility,
    )


def _ratio(wins: float, visits: float) -> float:
    return float(wins / visits) if visits > 0 else 0.0


def _line(arena: Arena, node: int) -> tuple[list[int], list[int]]:
    """Return the moves of the most visited path from a node on, and the visits of each."""
    line, line_visits = [int(arena.tree.move[node])], [int(arena.tree.visits[node])]
    children = arena.children(node)
    while len(children) and len(line) < LONGEST_LINE:
        visits = arena.tree.visits[children.start : children.stop]
        best = int(np.argmax(visits))
        if visits[best] == 0:
            break
        line.append(int(arena.tree.move[children[best]]))
        line_visits.append(int(visits[best]))
        children = arena.children(children[best])
    return line, line_visits


def _ownership(workers: list[Worker], position: Position) -> npt.NDArray[np.float64]:
    owned = np.zeros(int(POINTS))
    count = 0
    for worker in workers:
        owned += worker.owned
        count += int(worker.totals[cells.OWNERSHIPS])
    return np.array(position.on_grid(owned)) / max(count, 1)
