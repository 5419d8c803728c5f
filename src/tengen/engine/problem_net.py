"""What a network believes about a life-and-death problem, by a search limited to the region."""

from dataclasses import dataclass, replace

from tengen.board import PASS, Color, Position
from tengen.engine.factory import create_engine
from tengen.engine.nets import evaluate_with_net
from tengen.engine.settings import EngineSettings
from tengen.search import SearchLimit
from tengen.solver import LifeQuestion, distances, neighbors

MEMORY_MIB = 64
_HOLES = 5
"""One of so many points of the frame is an eye."""


@dataclass(frozen=True)
class Belief:
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
        is_eye = not is_wall and (point // 20 + 2 * (point % 20)) % _HOLES == 0
        color = question.attacker if is_near else question.attacker.opponent
        stones.append((point, 0 if is_eye else color))
    rules = replace(question.position.rules, komi=0.0)
    result = Position.from_block(question.position.block, rules)
    result.setup(stones, position.to_play)
    return result


class ProblemNet:
    """A network and the search that uses it."""

    def __init__(self, net: str):
        self._net = net
        overrides = (f"net={net}", "threads=1", f"memory_mib={MEMORY_MIB}", "seed=1")
        self._engine = create_engine(EngineSettings().with_overrides(overrides))

    def policy(self, position: Position, question: LifeQuestion) -> dict[int, float]:
        """Return the network's probability of each move in the region."""
        evaluation = evaluate_with_net(self._net, balanced(position, question))
        if evaluation is None:
            return {}
        grid = evaluation.policy
        return {p: float(grid[p // 20 - 1, p % 20 - 1]) for p in question.region}

    def search(self, position: Position, question: LifeQuestion, visits: int) -> Belief:
        """Search the region."""
        framed = balanced(position, question)
        allowed = [p for p in sorted(question.region) if framed.is_legal(p)]
        report = self._engine.analyze(framed, SearchLimit(simulations=visits), allowed=allowed)
        moves = tuple(c.move for c in report.candidates if c.move != PASS and c.visits)
        defender_sign = 1 if question.attacker.opponent is Color.BLACK else -1
        owned = [float(report.ownership[p // 20 - 1, p % 20 - 1]) for p in question.target]
        mean = defender_sign * sum(owned) / max(len(owned), 1)
        return Belief(moves, min(max((1 + mean) / 2, 0.0), 1.0))
