"""How far down a filter plays no worse: a smooth curve through its win rates, and where it falls.

A border by single switching points hangs on the luck of each. Near the top a filter is on for a
few moves only and wins as often as plain play, so "still wins more" is a lot drawn there. Here all
games of a filter share one curve, and the question has a margin: down to which switching point is
the rate at most so much below that of plain play? The interval is a bootstrap over the plain games
and over trunks, since games of one trunk are not independent.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen.lab.potential.bands import Games
from tengen.lab.potential.paper import PLAIN

Numbers = NDArray[np.float64]

SAMPLES, SEED = 1000, 1
"""Of the bootstrap."""
STEPS = 12
"""Of Newton's method; eight are enough for rates between 1 and 99%."""
STIFFNESS = 0.01
"""Pulls the curve's numbers towards 0, so that a filter which won everything has some."""


class NoWorse(NamedTuple):
    """The lowest switching point that loses no more than the margin, and its 95% interval.

    None where even the highest that was tried loses more. `last` is the lowest that was tried.
    """

    best: int | None
    low: int | None
    high: int | None
    last: int

    def __str__(self) -> str:
        if self.low == self.high:
            return self._text(self.best)
        return f"{self._text(self.best)} ({self._text(self.low)} to {self._text(self.high)})"

    def _text(self, switch: int | None) -> str:
        if switch is None:
            return "none"
        return f"{switch} or less" if switch == self.last else str(switch)


def no_worse(games: Games, name: str, size: int, margin: float) -> NoWorse | None:
    """Return how far down a filter is no worse than plain play by more than `margin`.

    None if there are no plain games, or fewer than three switching points.
    """
    wins, played, switches = _by_trunk(games, name)
    plain = [won for (other, _), trunk in games.items() if other == PLAIN for _, won in trunk]
    if len(switches) < 3 or not plain:
        return None
    drawn = np.random.default_rng(SEED)
    weights = _drawn_weights(drawn, len(wins))
    rates = _drawn_rates(drawn, np.array(plain))
    # A filter whose switching point is the whole board is never on: there the curve has plain play.
    all_wins = np.column_stack([rates * len(plain), weights @ wins])
    all_played = np.column_stack([np.full(len(rates), len(plain)), weights @ played])
    tried = np.arange(max(switches), min(switches) - 1, -2)
    known = np.array([size**2, *switches])
    curves = _fit(all_wins, all_played, known / size**2, tried / size**2)
    holds = np.logical_and.accumulate(curves >= (rates - margin)[:, None], axis=1).sum(axis=1)
    low, high = np.quantile(holds[1:], (0.975, 0.025), method="nearest")
    best, low, high = (int(tried[count - 1]) if count else None for count in (holds[0], low, high))
    return NoWorse(best, low, high, int(tried[-1]))


def _drawn_weights(drawn: np.random.Generator, trunks: int) -> Numbers:
    """Return how often each trunk counts: once each in the first row, then drawn anew."""
    samples = drawn.multinomial(trunks, np.full(trunks, 1 / trunks), size=SAMPLES)
    return np.vstack([np.ones(trunks), samples])


def _drawn_rates(drawn: np.random.Generator, plain: NDArray[np.int64]) -> Numbers:
    """Return the rate of the plain games, then of as many drawn anew."""
    samples = drawn.binomial(len(plain), plain.mean(), size=SAMPLES)
    return np.append(plain.mean(), samples / len(plain))


def _by_trunk(games: Games, name: str) -> tuple[Numbers, Numbers, list[int]]:
    """Return wins and games by trunk and switching point, and the switching points."""
    trunks = [trunk for (other, _), trunk in games.items() if other == name]
    switches = sorted({switch for trunk in trunks for switch, _ in trunk}, reverse=True)
    place = {switch: index for index, switch in enumerate(switches)}
    wins, played = np.zeros((2, len(trunks), len(switches)))
    for row, trunk in enumerate(trunks):
        for switch, won in trunk:
            wins[row, place[switch]] += won
            played[row, place[switch]] += 1
    return wins, played, switches


def _fit(wins: Numbers, played: Numbers, known: Numbers, asked: Numbers) -> Numbers:
    """Return the rates at the shares `asked` of a logistic curve of second degree.

    One curve for each row of wins and games at the shares `known`, by Newton's method.
    """
    shapes = np.vander(2 * known - 1, 3)
    numbers = np.zeros((len(wins), 3))
    for _ in range(STEPS):
        rates = _logistic(numbers @ shapes.T)
        slope = (wins - played * rates) @ shapes - STIFFNESS * numbers
        spread = (played * rates * (1 - rates))[:, :, None, None]
        bend = (spread * shapes[None, :, :, None] * shapes[None, :, None, :]).sum(axis=1)
        numbers += np.linalg.solve(bend + STIFFNESS * np.eye(3), slope[:, :, None])[:, :, 0]
    return _logistic(numbers @ np.vander(2 * asked - 1, 3).T)


def _logistic(values: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))
