"""Match statistics: confidence intervals, Elo, SPRT, Bradley-Terry and EGF ratings.

A *score* is (wins + draws / 2) / games, from 0 to 1. Elo differences use the logistic model:
a score s corresponds to `-400 log10(1/s - 1)`.
"""

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Z_95 = 1.959963984540054
"""Two-sided 95% quantile of the standard normal distribution."""
ELO_PER_NAT = 400 / math.log(10)
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Possible mean scores of a pair of games."""
PRIOR_PAIRS = 2
"""Pairs of maximal variance added to the observed ones, so that a few equal pairs do not give a
zero-width interval. Two keep the coverage at 95% from ten pairs up."""
UNSEEN_COUNT = 1e-3
"""Count assigned to outcomes that did not occur, as in Fishtest."""


class Interval(NamedTuple):
    """A value with its confidence bounds."""

    value: float
    low: float
    high: float


def wilson(score: float, games: float, z: float = Z_95) -> Interval:
    """Return `score / games` with its Wilson score interval; NaN in (0, 1) for no games.

    Draws counted as halves make the interval slightly conservative.
    """
    if games <= 0:
        return Interval(math.nan, 0.0, 1.0)
    rate = score / games
    shrink = 1 + z * z / games
    center = (rate + z * z / (2 * games)) / shrink
    half = z / shrink * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    # The bounds are exact at 0 and 1; avoid rounding errors there.
    low = 0.0 if rate <= 0 else center - half
    return Interval(rate, low, 1.0 if rate >= 1 else center + half)


def elo_of(score: float) -> float:
    """Return the Elo difference for a score from 0 to 1; infinite at the ends."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the expected score at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_interval(rate: Interval) -> Interval:
    """Convert a score interval to an Elo interval."""
    return Interval(elo_of(rate.value), elo_of(rate.low), elo_of(rate.high))


# Game pairs: same opening, colors swapped


def pair_interval(counts: Sequence[int]) -> Interval:
    """Return the mean score of game pairs with its interval.

    `counts` holds the numbers of pairs that scored 0, 1/2, 1, 3/2 and 2 points. The result is the
    Wilson interval for the effective number of games that matches the variance of the pairs.
    """
    pairs = sum(counts)
    if not pairs:
        return Interval(math.nan, 0.0, 1.0)
    mean, variance = _moments(counts)
    max_variance = mean * (1 - mean)
    if not max_variance:
        return wilson(2 * mean * pairs, 2 * pairs)
    variance = (pairs * variance + PRIOR_PAIRS * max_variance) / (pairs + PRIOR_PAIRS)
    games = pairs * max_variance / variance
    return wilson(mean * games, games)


def _moments(counts: Sequence[float]) -> tuple[float, float]:
    total = sum(counts)
    mean = sum(n * s for n, s in zip(counts, PAIR_SCORES, strict=True)) / total
    square = sum(n * (s - mean) ** 2 for n, s in zip(counts, PAIR_SCORES, strict=True))
    return mean, square / total


# Sequential probability ratio test


class SprtDecision(IntEnum):
    """State of a sequential test. The numbers are stored in match files."""

    OPEN = 0
    H0 = 1
    """Accepted: the difference is at most `elo0`."""
    H1 = 2
    """Accepted: the difference is at least `elo1`."""


class Sprt(NamedTuple):
    """A sequential probability ratio test between two Elo differences."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of accepting H1 when the difference is `elo0`."""
    beta: float = 0.05
    """Probability of accepting H0 when the difference is `elo1`."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        lower = math.log(self.beta / (1 - self.alpha))
        return lower, math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of H1 to H0; `counts` as for `pair_interval`.

        This is the generalized ratio: each hypothesis uses the maximum-likelihood distribution
        over the five pair outcomes that has the expected score of the hypothesis. For many pairs
        of nearly equal players it tends to N (s1 - s0)(2 s - s0 - s1) / (2 var).
        """
        if not sum(counts):
            return 0.0
        seen = [count or UNSEEN_COUNT for count in counts]
        total = sum(seen)
        rates = [count / total for count in seen]
        fit0 = _constrained_fit(rates, score_of(self.elo0))
        fit1 = _constrained_fit(rates, score_of(self.elo1))
        return sum(
            count * math.log(after / before)
            for count, after, before in zip(seen, fit1, fit0, strict=True)
        )

    def decide(self, counts: Sequence[int]) -> SprtDecision:
        """Return the decision after these pairs."""
        lower, upper = self.bounds
        ratio = self.llr(counts)
        return (
            SprtDecision.H0
            if ratio <= lower
            else SprtDecision.H1
            if ratio >= upper
            else SprtDecision.OPEN
        )


def _constrained_fit(rates: Sequence[float], score: float) -> list[float]:
    """Return the maximum-likelihood distribution over PAIR_SCORES with mean `score`.

    It is `rate / (1 + x (s - score))`, where x solves
    `sum of rate (s - score) / (1 + x (s - score)) = 0`. The sum decreases in x: bisect.
    """
    shifted = [s - score for s in PAIR_SCORES]
    low, high = -1 / shifted[-1], -1 / shifted[0]
    for _ in range(200):
        x = (low + high) / 2
        balance = sum(p * d / (1 + x * d) for p, d in zip(rates, shifted, strict=True))
        low, high = (x, high) if balance > 0 else (low, x)
    return [p / (1 + x * d) for p, d in zip(rates, shifted, strict=True)]


# Ratings


class MatchRatings(NamedTuple):
    """Maximum-likelihood ratings with mean 0."""

    elo: npt.NDArray[np.float64]
    """Shape (players,)."""
    first_elo: float
    """Advantage of playing Black, in Elo."""
    covariance: npt.NDArray[np.float64]
    """Shape (players + 1, players + 1), the first-player term last; in Elo squared."""

    @property
    def errors(self) -> npt.NDArray[np.float64]:
        """Standard errors of the ratings."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)[:-1]))

    @property
    def first_error(self) -> float:
        """Standard error of the first-player term."""
        return math.sqrt(self.covariance[-1, -1])

    def difference_error(self, one: int, other: int) -> float:
        """Return the standard error of the difference between two ratings."""
        c = self.covariance
        return math.sqrt(max(c[one, one] + c[other, other] - 2 * c[one, other], 0.0))


def bradley_terry(
    players: int, results: Sequence[tuple[int, int, float]], prior_draws: float = 0.0
) -> MatchRatings:
    """Fit Bradley-Terry ratings by maximum likelihood.

    `results` holds (black, white, score of Black) for each game; a draw counts as half a win.
    `prior_draws` adds that many draws between each pair of players, half with each color: a small
    value keeps the ratings of players with only wins or only losses finite.
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
    return MatchRatings(
        theta[:players] * ELO_PER_NAT,
        float(theta[players]) * ELO_PER_NAT,
        covariance * ELO_PER_NAT**2,
    )


def _newton(
    design: npt.NDArray[np.float64],
    scores: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Fit a logistic regression by Newton's method; return parameters and covariance.

    Only rating differences matter, so the information matrix is singular; the pseudo-inverse
    selects the solution with mean rating 0.
    """
    theta = np.zeros(design.shape[1])
    # Shifting all ratings by the same amount changes nothing; the last parameter is Black's.
    null_direction = np.append(np.ones(len(theta) - 1), 0.0) / math.sqrt(len(theta) - 1)
    for _ in range(100):
        expected = 1 / (1 + np.exp(-(design @ theta)))
        information = design.T @ (design * (weights * expected * (1 - expected))[:, None])
        inverse = _pseudo_inverse(information, null_direction)
        step = inverse @ (design.T @ (weights * (scores - expected)))
        longest = float(np.max(np.abs(step)))
        # Scale the whole step rather than clipping entries, so that the mean rating stays 0.
        theta += step / max(longest, 1.0)
        if longest < 1e-10:
            break
    return theta, np.asarray(inverse, dtype=np.float64)


def _pseudo_inverse(
    information: npt.NDArray[np.float64], null_direction: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the pseudo-inverse of a matrix that is singular in one known direction.

    The direction is filled in before the inversion and removed afterwards: rounding leaves a tiny
    eigenvalue there, and its inverse would be large.
    """
    scale = max(float(np.trace(information)), 1e-12)
    along = np.outer(null_direction, null_direction)
    inverse = np.linalg.pinv(information + scale * along, hermitian=True)
    return np.asarray(inverse - along / scale, dtype=np.float64)


# European Go Federation ratings (paper 000, section 2.2.1)

EGF_EPSILON = 0.016
"""Subtracted from the expectations to counter deflation."""


class EgfParameters(NamedTuple):
    """Rating-dependent parameters of the EGF system."""

    con: float
    """Rating change per point of unexpected score."""
    a: float
    """Scale of the expectation curve, in rating points."""


def egf_parameters(rating: float) -> EgfParameters:
    """Return con and a for a rating, from the table the EGF used from 1998 to 2021.

    con decreases from 116 at 100 (20 kyu) to 10 at 2700 (7 dan), a from 200 to 70. Values between
    multiples of 100 are interpolated.
    """
    con = np.interp(rating, EGF_RATINGS, EGF_CON)
    return EgfParameters(float(con), float(np.interp(rating, [100.0, 2700.0], [200.0, 70.0])))


EGF_RATINGS = [float(100 * rank) for rank in range(1, 28)]
EGF_CON = [116.0, 110, 105, 100, 95, 90, 85, 80, 75, 70, 65, 60, 55, 51, 47, 43, 39, 35, 31, 27]
EGF_CON += [24, 21, 18, 15, 13, 11, 10]


def egf_expectation(rating: float, opponent: float, stones: int = 0) -> float:
    """Return the expected score of `rating` against `opponent`.

    The weaker player's expectation is `1/(e^(D/a)+1) - eps/2` with the weaker player's a; the two
    expectations sum to 1 - eps. Each handicap stone reduces D by 100 points, the first one by 50
    since it replaces komi. Negative `stones` belong to the opponent.
    """
    a = egf_parameters(min(rating, opponent)).a
    bonus = math.copysign(100 * (abs(stones) - 0.5), stones) if stones else 0.0
    return 1 / (math.exp((opponent - rating - bonus) / a) + 1) - EGF_EPSILON / 2


def egf_update(rating: float, opponent: float, score: float, stones: int = 0) -> float:
    """Return the rating after one game with score 1 (win), 1/2 (draw) or 0 (loss)."""
    con = egf_parameters(rating).con
    return rating + con * (score - egf_expectation(rating, opponent, stones))


def egf_ratings(
    start: Sequence[float], results: Sequence[tuple[int, int, float]], handicap: int = 0
) -> list[float]:
    """Update ratings game by game; `results` as for `bradley_terry`.

    `handicap` is the number of Black's handicap stones in each game.
    """
    ratings = [*start]
    for black, white, score in results:
        before = ratings[black], ratings[white]
        ratings[black] = egf_update(before[0], before[1], score, handicap)
        ratings[white] = egf_update(before[1], before[0], 1 - score, -handicap)
    return ratings
