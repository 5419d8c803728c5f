"""Accuracy of a network on game records: predicted moves and winners."""

import math
from collections import Counter
from dataclasses import dataclass, field

from tengen.nets.evaluation import Evaluation
from tengen.nets.examples import Example

LEAST_PROBABILITY = 1e-6
"""Lower bound of a move's probability in logarithms, so that one surprise cannot dominate."""


@dataclass
class Accuracy:
    """Running counts."""

    positions: int = 0
    places: Counter[int] = field(default_factory=Counter)
    """How often the played move was the network's first choice (0), its second, and so on."""
    log_loss_sum: float = 0.0
    decided: int = 0
    """Positions of games with a winner."""
    square_sum: float = 0.0
    right: int = 0
    """Positions in which the network favored the winner."""

    def add(self, example: Example, evaluation: Evaluation) -> None:
        """Count one position; positions without a played move are ignored."""
        if example.move is None:
            return
        played = evaluation.probability(example.move)
        better = int((evaluation.policy > played).sum())
        better += evaluation.pass_probability > played
        self.positions += 1
        self.places[better] += 1
        self.log_loss_sum -= math.log(max(played, LEAST_PROBABILITY))
        if example.won is not None:
            self.decided += 1
            self.square_sum += (evaluation.win_to_play - example.won) ** 2
            self.right += (evaluation.win_to_play > 0.5) == example.won

    def top(self, count: int) -> float | None:
        """Return how often the played move was among the first `count` choices."""
        return _mean(sum(self.places[place] for place in range(count)), self.positions)

    def as_json(self) -> dict[str, float | int | None]:
        """Return shares, means and the number of positions."""
        return {
            "positions": self.positions,
            "top1": self.top(1),
            "top5": self.top(5),
            "log_loss": _mean(self.log_loss_sum, self.positions),
            "decided_positions": self.decided,
            "value_error": _mean(self.square_sum, self.decided),
            "winner_right": _mean(self.right, self.decided),
        }


def _mean(total: float, count: int) -> float | None:
    return total / count if count else None
