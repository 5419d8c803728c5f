"""The statistics of matches. Pure functions; what they take is spelled out in each.

A *score* is between 0 and 1: wins and half of the draws, divided by the games. Elo differences
are of the logistic curve: a score s is `-400 log10(1/s - 1)`.
"""

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Z_95 = 1.959963984540054
"""Two-sided 95 %: the standard normal distribution has 2.5 % above it."""
ELO_PER_NAT = 400 / math.log(10)
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The possible scores of two games, divided by two."""
DOUBTFUL_PAIRS = 2
"""So many pairs of the greatest variance are added to those seen: a few pairs that happen to be
alike must not look like certainty. Two keep the interval at 95 % from ten pairs up (tests)."""
UNSEEN = 1e-3
"""What an outcome that was never seen counts for, as in Fishtest."""


class Interval(NamedTuple):
    """A value with its lower and upper bound."""

    value: float
    low: float
    high: float


def wilson(score: float, games: float, z: float = Z_95) -> Interval:
    """Return the rate `score / games` with its Wilson score interval; all of 0 to 1 for no games.

    With draws counted as halves the interval is a little too wide, never too narrow.
    """
    if games <= 0:
        return Interval(math.nan, 0.0, 1.0)
    rate = score / games
    shrink = 1 + z * z / games
    centre = (rate + z * z / (2 * games)) / shrink
    half = z / shrink * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    # At the ends the bound is exact, but rounding may miss it.
    low = 0.0 if rate <= 0 else centre - half
    return Interval(rate, low, 1.0 if rate >= 1 else centre + half)


def elo_of(score: float) -> float:
    """Return the Elo difference that a score of 0 to 1 shows; infinite at the ends."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the expected score at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_interval(rate: Interval) -> Interval:
    """Turn a score with its interval into Elo with its interval."""
    return Interval(elo_of(rate.value), elo_of(rate.low), elo_of(rate.high))


# Pairs of games on one opening with colours swapped


def pair_interval(counts: Sequence[int]) -> Interval:
    """Return the mean score of pairs with its interval.

    `counts` are the numbers of pairs that scored 0, 1/2, 1, 3/2 and 2 points. The interval is
    that of Wilson for as many games as would have the variance of these pairs.
    """
    pairs = sum(counts)
    if not pairs:
        return Interval(math.nan, 0.0, 1.0)
    mean, variance = _moments(counts)
    most = mean * (1 - mean)
    if not most:
        return wilson(2 * mean * pairs, 2 * pairs)
    variance = (pairs * variance + DOUBTFUL_PAIRS * most) / (pairs + DOUBTFUL_PAIRS)
    games = pairs * most / variance
    return wilson(mean * games, games)


def _moments(counts: Sequence[float]) -> tuple[float, float]:
    total = sum(counts)
    mean = sum(n * s for n, s in zip(counts, PAIR_SCORES, strict=True)) / total
    square = sum(n * (s - mean) ** 2 for n, s in zip(counts, PAIR_SCORES, strict=True))
    return mean, square / total


# Sequential test


class Decision(IntEnum):
    """Where a sequential test stands. The numbers are stored."""

    OPEN = 0
    H0 = 1
    """Not better than the lower bound."""
    H1 = 2
    """At least the upper bound better."""


class Sprt(NamedTuple):
    """A sequential probability ratio test of two Elo differences."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The risk to accept H1 when the difference is `elo0`."""
    beta: float = 0.05
    """The risk to accept H0 when the difference is `elo1`."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        lower = math.log(self.beta / (1 - self.alpha))
        return lower, math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of H1 to H0 after pairs counted as in `pair_interval`.

        The generalised ratio: the likelihood of the counts under the distribution over the five
        outcomes that fits them best among those with the expected score of each hypothesis.
        For many pairs of nearly equal players it is N (s1 - s0)(2 s - s0 - s1) / (2 var).
        """
        if not sum(counts):
            return 0.0
        seen = [count or UNSEEN for count in counts]
        total = sum(seen)
        rates = [count / total for count in seen]
        fit0 = _constrained_fit(rates, score_of(self.elo0))
        fit1 = _constrained_fit(rates, score_of(self.elo1))
        return sum(
            count * math.log(after / before)
            for count, after, before in zip(seen, fit1, fit0, strict=True)
        )

    def decide(self, counts: Sequence[int]) -> Decision:
        """Return what the test says after these pairs."""
        lower, upper = self.bounds
        ratio = self.llr(counts)
        return Decision.H0 if ratio <= lower else Decision.H1 if ratio >= upper else Decision.OPEN


def _constrained_fit(rates: Sequence[float], score: float) -> list[float]:
    """Return the most likely distribution over PAIR_SCORES that has `score` as its mean.

    It is `rate / (1 + x (s - score))` with the x that makes the mean right; the sum of
    `rate (s - score) / (1 + x (s - score))` falls with x, so halving finds it.
    """
    shifted = [s - score for s in PAIR_SCORES]
    low, high = -1 / shifted[-1], -1 / shifted[0]
    for _ in range(200):
        x = (low + high) / 2
        balance = sum(p * d / (1 + x * d) for p, d in zip(rates, shifted, strict=True))
        low, high = (x, high) if balance > 0 else (low, x)
    return [p / (1 + x * d) for p, d in zip(rates, shifted, strict=True)]


# Ratings of many players


class Ratings(NamedTuple):
    """Maximum-likelihood ratings; the mean of all players is 0."""

    elo: npt.NDArray[np.float64]
    """Shape (players,)."""
    first_elo: float
    """What it is worth to take Black."""
    covariance: npt.NDArray[np.float64]
    """Shape (players + 1, players + 1), the first-player term last; in Elo squared."""

    @property
    def errors(self) -> npt.NDArray[np.float64]:
        """The standard error of each player's rating."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)[:-1]))

    @property
    def first_error(self) -> float:
        """The standard error of the first-player term."""
        return math.sqrt(self.covariance[-1, -1])

    def difference_error(self, one: int, other: int) -> float:
        """Return the standard error of the difference of two players."""
        c = self.covariance
        return math.sqrt(max(c[one, one] + c[other, other] - 2 * c[one, other], 0.0))


def bradley_terry(
    players: int, results: Sequence[tuple[int, int, float]], prior_draws: float = 0.0
) -> Ratings:
    """Rate players by maximum likelihood from (black, white, score of Black) of each game.

    A draw counts as half a win and half a loss. `prior_draws` adds that many draws between all
    pairs of players, half with each colour: a little of it keeps ratings finite where someone
    won every game. Without it such ratings run away and their errors with them.
    """
    games = [*results]
    pairs = [(a, b) for a in range(players) for b in range(players) if a != b]
    weights = np.array([1.0] * len(games) + [prior_draws / 2] * len(pairs))
    games += [(a, b, 0.5) for a, b in pairs]
    design = np.zeros((len(games), players + 1))
    for row, (black, white, _) in zip(design, games, strict=True):
        row[black], row[white], row[players] = 1.0, -1.0, 1.0
    scores = np.array([score for _, _, score in games])
    theta, covariance = _newton(design, scores, weights)
    return Ratings(
        theta[:players] * ELO_PER_NAT,
        float(theta[players]) * ELO_PER_NAT,
        covariance * ELO_PER_NAT**2,
    )


def _newton(
    design: npt.NDArray[np.float64],
    scores: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Fit a logistic regression; return parameters and covariance.

    Only differences of the players matter, so the information matrix is singular: the
    pseudo-inverse gives the solution whose players have the mean 0.
    """
    theta = np.zeros(design.shape[1])
    # All players together, the last parameter (of Black) apart: the direction that says nothing.
    same = np.append(np.ones(len(theta) - 1), 0.0) / math.sqrt(len(theta) - 1)
    for _ in range(100):
        expected = 1 / (1 + np.exp(-(design @ theta)))
        information = design.T @ (design * (weights * expected * (1 - expected))[:, None])
        inverse = _inverse_without(information, same)
        step = inverse @ (design.T @ (weights * (scores - expected)))
        longest = float(np.max(np.abs(step)))
        # Shortened as a whole: each number by itself, their mean would not stay 0.
        theta += step / max(longest, 1.0)
        if longest < 1e-10:
            break
    return theta, np.asarray(inverse, dtype=np.float64)


def _inverse_without(
    information: npt.NDArray[np.float64], nothing: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the pseudo-inverse of a matrix that says nothing in one known direction.

    Filled in there and taken out again: rounding leaves a little where there should be nothing,
    and the inverse of a little is large.
    """
    scale = max(float(np.trace(information)), 1e-12)
    along = np.outer(nothing, nothing)
    inverse = np.linalg.pinv(information + scale * along, hermitian=True)
    return np.asarray(inverse - along / scale, dtype=np.float64)


# European Go Federation ratings (paper 000, section 2.2.1)

EGF_EPSILON = 0.016
"""What is taken off the expectations, against deflation."""


class EgfParameters(NamedTuple):
    """The two numbers that depend on a player's rating."""

    con: float
    """How far one game moves the rating."""
    a: float
    """How fast the expectation falls with the difference."""


def egf_parameters(rating: float) -> EgfParameters:
    """Return con and a of a rating, by the table in use at the EGF from 1998 to 2021.

    con falls from 116 at 100 (20 kyu) to 10 at 2700 (7 dan), a from 200 to 70; between the
    table's hundreds we interpolate.
    """
    con = np.interp(rating, EGF_RATINGS, EGF_CON)
    return EgfParameters(float(con), float(np.interp(rating, [100.0, 2700.0], [200.0, 70.0])))


EGF_RATINGS = [float(100 * rank) for rank in range(1, 28)]
EGF_CON = [116.0, 110, 105, 100, 95, 90, 85, 80, 75, 70, 65, 60, 55, 51, 47, 43, 39, 35, 31, 27]
EGF_CON += [24, 21, 18, 15, 13, 11, 10]


def egf_expectation(rating: float, opponent: float, stones: int = 0) -> float:
    """Return the expected score of `rating` against `opponent`.

    The weaker player's is `1/(e^(D/a)+1) - eps/2` with the weaker player's a; the stronger's
    is what remains of 1 - eps. Handicap stones take 100 points each off D, the first one half of
    that, for it stands in the place of White's komi; `stones` below 0 are the opponent's.
    """
    a = egf_parameters(min(rating, opponent)).a
    bonus = math.copysign(100 * (abs(stones) - 0.5), stones) if stones else 0.0
    return 1 / (math.exp((opponent - rating - bonus) / a) + 1) - EGF_EPSILON / 2


def egf_update(rating: float, opponent: float, score: float, stones: int = 0) -> float:
    """Return the rating after one game; score 1 for a win, 1/2 for a draw, 0 for a loss."""
    con = egf_parameters(rating).con
    return rating + con * (score - egf_expectation(rating, opponent, stones))


def egf_ratings(
    start: Sequence[float], results: Sequence[tuple[int, int, float]], handicap: int = 0
) -> list[float]:
    """Update ratings game by game, in order; results as for `bradley_terry`.

    `handicap` is the stones that Black got in each game.
    """
    ratings = [*start]
    for black, white, score in results:
        before = ratings[black], ratings[white]
        ratings[black] = egf_update(before[0], before[1], score, handicap)
        ratings[white] = egf_update(before[1], before[0], 1 - score, -handicap)
    return ratings
