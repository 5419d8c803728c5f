"""A noisy function with a known optimum, evaluated by duels."""

import numpy as np

from tengen.match.stats import score_of
from tengen.match.tuning import Duel, DuelResult, Tuner


class NoisyHill:
    """Strength in Elo falls with the square of the distance from the best values."""

    def __init__(self, best: dict[str, float], width: dict[str, float], height: float = 200.0):
        """Take the optimum and the distance at which a player is `height` Elo weaker."""
        self.best = best
        self.width = width
        self.height = height

    def elo(self, values) -> float:
        """Return the strength of parameter values; missing parameters have no effect."""
        known = [name for name in self.best if name in values]
        off = [(values[name] - self.best[name]) / self.width[name] for name in known]
        return -self.height * sum(x * x for x in off)

    def fight(self, duel: Duel) -> DuelResult:
        """Play two games with the win probability of the Elo difference."""
        rng = np.random.default_rng([99, duel.number])
        difference = self.elo(duel.first) - self.elo(duel.second)
        wins = int((rng.random(2) < score_of(difference)).sum())
        return DuelResult(wins / 2, difference / 10 + rng.normal(), 2)


def tune(tuner: Tuner, hill: NoisyHill, most: int = 10**6) -> list[tuple[int, DuelResult]]:
    """Run a tuner to its end or for `most` duels; return the log."""
    log = []
    while not tuner.done and len(log) < most:
        duel = tuner.next_duel()
        result = hill.fight(duel)
        tuner.take(duel.number, result)
        log.append((duel.number, result))
    return log
