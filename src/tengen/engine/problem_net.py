"""A network's estimate of a life-and-death problem, by a search limited to the region."""

import contextlib
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from tengen.board import BLACK, PASS, Color, Position, column_of, row_of
from tengen.engine.engine import Engine
from tengen.engine.factory import create_engine
from tengen.engine.nets import evaluate_with_net
from tengen.engine.settings import EngineSettings
from tengen.search import SearchLimit
from tengen.solver import LifeQuestion, distances, neighbors
from tengen.util import TengenError

MEMORY_MIB = 64
FEWEST_VISITS = 20
"""A search with fewer visits is replaced by one evaluation."""
_HOLES = 5
"""Points of the frame per eye."""


@dataclass(frozen=True)
class NetEstimate:
    """The result of a search without a proof."""

    moves: tuple[int, ...]
    """Moves in the region, the most visited first."""
    saved: float
    """Probability that the stones at stake are saved after the first move."""


def balanced(position: Position, question: LifeQuestion) -> Position:
    """Return the position with a frame of both colors, so that the stones at stake decide the game.

    Networks are trained on games that are about even.
    """
    region = question.region
    steps = distances(position, region, position.points())
    outside = sorted(set(position.points()) - region, key=lambda p: (steps.get(p, 0), p))
    value = 2 * len(question.target)
    kept = (len(outside) - len(region) + value) // 2
    stones = []
    for number, point in enumerate(outside):
        is_wall = any(p in region for p in neighbors(position, point))
        is_near = is_wall or number < kept
        is_eye = not is_wall and (row_of(point) + 2 * column_of(point)) % _HOLES == 0
        color = question.attacker if is_near else question.attacker.opponent
        stones.append((point, 0 if is_eye else color))
    rules = replace(question.position.rules, komi=0.0)
    result = Position.from_block(question.position.block, rules)
    with contextlib.suppress(TengenError):  # the frame would leave a chain without liberties
        result.setup(stones, position.to_play)
    return result


class ProblemNet:
    """A network and the search that uses it."""

    def __init__(self, net: str):
        self._net = net
        self._engine: Engine | None = None

    def policy(self, position: Position, question: LifeQuestion) -> dict[int, float]:
        """Return the network's probability of each move in the region."""
        evaluation = evaluate_with_net(self._net, balanced(position, question))
        if evaluation is None:
            return {}
        grid = evaluation.policy
        return {p: float(grid[row_of(p), column_of(p)]) for p in question.region}

    def search(self, position: Position, question: LifeQuestion, visits: int) -> NetEstimate:
        """Search the region; with few visits, evaluate the position only."""
        framed = balanced(position, question)
        if visits < FEWEST_VISITS:
            return self._evaluate(framed, question)
        if self._engine is None:
            overrides = (f"net={self._net}", "threads=1", f"memory_mib={MEMORY_MIB}", "seed=1")
            self._engine = create_engine(EngineSettings().with_overrides(overrides))
        allowed = [p for p in sorted(question.region) if framed.is_legal(p)]
        report = self._engine.analyze(framed, SearchLimit(simulations=visits), allowed=allowed)
        moves = tuple(c.move for c in report.candidates if c.move != PASS and c.visits)
        return NetEstimate(moves, _saved(question, report.ownership, BLACK))

    def _evaluate(self, framed: Position, question: LifeQuestion) -> NetEstimate:
        evaluation = evaluate_with_net(self._net, framed)
        if evaluation is None:
            return NetEstimate((), 0.5)
        grid = evaluation.policy
        legal = [p for p in sorted(question.region) if framed.is_legal(p)]
        moves = tuple(sorted(legal, key=lambda p: -float(grid[row_of(p), column_of(p)])))
        return NetEstimate(moves, _saved(question, evaluation.ownership_to_play, framed.to_play))


def _saved(question: LifeQuestion, ownership: npt.NDArray[Any], owner: Color) -> float:
    """Return the probability that the stones are saved; 1 in `ownership` means `owner`."""
    owned = [float(ownership[row_of(p), column_of(p)]) for p in question.target]
    mean = sum(owned) / max(len(owned), 1)
    sign = 1 if question.attacker.opponent is owner else -1
    return min(max((1 + sign * mean) / 2, 0.0), 1.0)
