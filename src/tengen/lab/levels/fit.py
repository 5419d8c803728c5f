"""Maximum-likelihood ratings of the calibration players, and the rank of each skill.

The ratings of the players rise with skill: each step is the exponential of a parameter, so the fit
is monotone. On 19x19, handicap games give the Elo of one stone, which changes with skill. One stone
is one rank. On smaller boards, the Elo of a rank is that of 19x19 times a factor, chosen so that
the anchors have the ranks that they have on 19x19.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from tengen.engine import MAX_SKILL, MIN_SKILL

Floats = npt.NDArray[np.float64]
Rows = Sequence[Mapping[str, str]]

ELO_SCALE = np.log(10) / 400
HANDICAP_SIZE = 19
REFERENCE_ANCHOR, REFERENCE_RANK = "gnugo-10", -7.0
"""GNU Go 3.8 at level 10 is 8k by definition; 0 is 1k."""
STEP_ELO, STEP_SPREAD = 100.0, 1.0
"""Prior of a step between neighboring players: median, and standard deviation of its logarithm."""
SMOOTHNESS = 0.6
"""Prior standard deviation of the change of the logarithm from one step to the next."""
STONE_ELO, STONE_SPREAD = 70.0, 0.7
"""Prior of the Elo of a handicap stone at `MIDDLE_SKILL`, as for the steps."""
STONE_GROWTH, GROWTH_SPREAD = 0.4, 0.4
"""Prior of the growth of its logarithm per `MIDDLE_SKILL`."""
MIDDLE_SKILL = 12.0
FIRST_SPREAD = 40.0
ANCHOR_SPREAD = 600.0
RATIO_SPREAD = 0.3
"""Prior standard deviation of the logarithm of the Elo of a rank relative to 19x19, around the
square root of the ratio of the areas."""
KOMI_STONES = 0.5
"""A handicap of n stones without komi is worth this much less than n stones."""
DRAWS = 400
"""Samples of the parameters from which the intervals are computed."""


@dataclass(frozen=True)
class Ratings:
    """Ratings on one board size, with samples that describe their uncertainty."""

    size: int
    skills: Floats
    anchors: tuple[str, ...]
    best: Floats
    """Maximum-likelihood parameters."""
    samples: Floats
    """Samples of the parameters, shape (DRAWS, parameters)."""

    def players(self, parameters: Floats) -> Floats:
        """Return the Elo of the players, relative to the first."""
        steps = np.exp(parameters[: len(self.skills) - 1])
        return np.concatenate([[0.0], np.cumsum(steps)])

    def anchor(self, name: str, parameters: Floats) -> float:
        """Return the Elo of an anchor, relative to the first player."""
        return float(parameters[len(self.skills) - 1 + self.anchors.index(name)])

    def stone(self, skill: Floats | float, parameters: Floats) -> Floats:
        """Return the Elo of a handicap stone at a skill."""
        level, growth = parameters[-2:]
        return np.asarray(np.exp(level + growth * (np.asarray(skill) / MIDDLE_SKILL - 1)))


def fit_ratings(size: int, rows: Rows, anchors: Sequence[str]) -> Ratings:
    """Fit ratings to the games of one board size, which may have any number of games."""
    rows = [row for row in rows if int(row["size"]) == size]
    named = tuple(name for name in anchors if any(name in _sides(row) for row in rows))
    skills = sorted({float(side) for row in rows for side in _sides(row) if side not in named})
    index = {skill: place for place, skill in enumerate(skills)}
    table = {name: len(skills) + place for place, name in enumerate(named)}

    def place(side: str) -> int:
        return table[side] if side in table else index[float(side)]

    data = _Games(
        np.array([place(row["black"]) for row in rows], dtype=np.intp),
        np.array([place(row["white"]) for row in rows], dtype=np.intp),
        np.array([int(row["handicap"]) for row in rows], dtype=np.float64),
        np.array([float(row["score"]) for row in rows]),
    )
    empty = Ratings(size, np.array(skills), named, np.zeros(0), np.zeros((0, 0)))
    steps = len(skills) - 1
    start = np.concatenate(
        [
            np.full(steps, np.log(STEP_ELO)),
            np.full(len(named), STEP_ELO * steps / 2),
            [0.0, np.log(STONE_ELO), STONE_GROWTH],
        ]
    )
    loss = functools.partial(_loss, ratings=empty, data=data)
    # Anchors are in Elo, the other parameters of order one.
    scale = np.concatenate([np.ones(steps), np.full(len(named), 100.0), [20.0, 1.0, 1.0]])
    found = minimize(lambda x: loss(x * scale), start / scale, method="BFGS")
    best = np.asarray(found.x * scale, dtype=np.float64)
    covariance = np.linalg.inv(_hessian(loss, best, 1e-3 * scale))
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((DRAWS, len(best))) * np.sqrt(np.maximum(values, 0.0))
    return Ratings(size, np.array(skills), named, best, best + noise @ vectors.T)


@dataclass(frozen=True)
class _Games:
    black: npt.NDArray[np.intp]
    white: npt.NDArray[np.intp]
    stones: Floats
    score: Floats


def _sides(row: Mapping[str, str]) -> tuple[str, str]:
    return row["black"], row["white"]


def _loss(parameters: Floats, ratings: Ratings, data: _Games) -> float:
    """Return the negative logarithm of likelihood and prior."""
    count = len(ratings.skills)
    players = ratings.players(parameters)
    anchors = parameters[count - 1 : count - 1 + len(ratings.anchors)]
    first = parameters[-3]
    elo = np.concatenate([players, anchors])
    difference = elo[data.black] - elo[data.white]
    has_stones = data.stones > 0
    skills = np.concatenate([ratings.skills, np.full(len(anchors), MIDDLE_SKILL)])
    middle = (skills[data.black] + skills[data.white]) / 2
    stones = ratings.stone(middle, parameters) * (data.stones - KOMI_STONES)
    difference += np.where(has_stones, stones, first)
    x = ELO_SCALE * difference
    likelihood = np.sum(data.score * np.logaddexp(0, -x) + (1 - data.score) * np.logaddexp(0, x))
    steps = parameters[: count - 1]
    gaps = np.diff(ratings.skills)
    prior = np.sum(((steps - np.log(STEP_ELO * gaps / 2)) / STEP_SPREAD) ** 2)
    prior += np.sum((np.diff(steps - np.log(gaps)) / SMOOTHNESS) ** 2)
    prior += np.sum(((anchors - players.mean()) / ANCHOR_SPREAD) ** 2)
    prior += (first / FIRST_SPREAD) ** 2
    prior += ((parameters[-2] - np.log(STONE_ELO)) / STONE_SPREAD) ** 2
    prior += ((parameters[-1] - STONE_GROWTH) / GROWTH_SPREAD) ** 2
    return float(likelihood + prior / 2)


def _hessian(loss: "functools.partial[float]", at: Floats, step: Floats) -> Floats:
    """Return the second derivatives by central differences."""
    count = len(at)
    shifts = np.diag(step)
    hessian = np.zeros((count, count))
    for i in range(count):
        for j in range(i, count):
            total = sum(
                a * b * loss(at + a * shifts[i] + b * shifts[j]) for a in (1, -1) for b in (1, -1)
            )
            hessian[i, j] = hessian[j, i] = total / (4 * step[i] * step[j])
    return hessian


# Ranks


@dataclass(frozen=True)
class RankScale:
    """Ranks and Elo by skill on one board size."""

    skills: Floats
    """From `MIN_SKILL` to `MAX_SKILL`; ends that were not measured are extrapolated."""
    elo: Floats
    rank: Floats
    anchors: Mapping[str, float]
    """Ranks of the anchors."""

    def skill_of(self, rank: float) -> float:
        """Return the skill of a rank, limited to the range of skills."""
        return float(np.interp(rank, self.rank, self.skills))

    def elo_of(self, skill: float) -> float:
        """Return the Elo of a skill."""
        return float(np.interp(skill, self.skills, self.elo))


def rank_scales(ratings: Mapping[int, Ratings], sample: int | None = None) -> dict[int, RankScale]:
    """Return the scale of each board size, for the best parameters or for a sample.

    19x19 comes first, since the other sizes depend on it.
    """
    scales: dict[int, RankScale] = {}
    reference = ratings[HANDICAP_SIZE]
    own = reference.best if sample is None else reference.samples[sample]
    origin = _reference_skill(ratings, sample)
    for size in sorted(ratings, key=lambda one: one != HANDICAP_SIZE):
        rated = ratings[size]
        parameters = rated.best if sample is None else rated.samples[sample]
        skills = _extended(rated.skills)
        elo = _extrapolated(rated.skills, rated.players(parameters), skills)
        middle = (skills[1:] + skills[:-1]) / 2
        steps = np.diff(elo) / reference.stone(middle, own)
        rank = np.concatenate([[0.0], np.cumsum(steps)])
        anchors = {
            name: _extrapolate(elo, rank, rated.anchor(name, parameters)) for name in rated.anchors
        }
        if size == HANDICAP_SIZE:
            ratio = 1.0
            shift = REFERENCE_RANK - _extrapolate(skills, rank, origin)
        else:
            ratio, shift = _match_anchors(anchors, scales[HANDICAP_SIZE].anchors, size)
        ranks = {name: value / ratio + shift for name, value in anchors.items()}
        scales[size] = RankScale(skills, elo, rank / ratio + shift, ranks)
    return scales


def _reference_skill(ratings: Mapping[int, Ratings], sample: int | None) -> float:
    """Return the skill of the reference anchor: on 19x19, or else the mean of the other sizes."""
    found = {}
    for size, rated in ratings.items():
        parameters = rated.best if sample is None else rated.samples[sample]
        if REFERENCE_ANCHOR in rated.anchors:
            elo = rated.anchor(REFERENCE_ANCHOR, parameters)
            found[size] = _extrapolate(rated.players(parameters), rated.skills, elo)
    usual = float(np.mean([*found.values()])) if found else MIDDLE_SKILL
    return found.get(HANDICAP_SIZE, usual)


def _match_anchors(
    own: Mapping[str, float], wanted: Mapping[str, float], size: int
) -> tuple[float, float]:
    """Return ratio and shift that give the anchors `own / ratio + shift` their ranks on 19x19."""
    names = [name for name in own if name in wanted]
    usual = size / HANDICAP_SIZE
    if not names:
        return usual, REFERENCE_RANK
    ranks = np.array([own[name] for name in names])
    targets = np.array([wanted[name] for name in names])

    def loss(ratio: float) -> float:
        errors = targets - ranks / ratio
        prior = (np.log(ratio / usual) / RATIO_SPREAD) ** 2
        return float(np.sum((errors - errors.mean()) ** 2) + prior)

    ratios = usual * np.exp(np.linspace(-1, 1, 401))
    ratio = float(min(ratios, key=loss))
    return ratio, float(np.mean(targets - ranks / ratio))


def _extended(skills: Floats) -> Floats:
    return np.unique(np.concatenate([[MIN_SKILL], skills, [MAX_SKILL]]))


def _extrapolated(x: Floats, y: Floats, at: Floats) -> Floats:
    return np.array([_extrapolate(x, y, one) for one in at])


def _extrapolate(x: Floats, y: Floats, at: float) -> float:
    """Interpolate linearly; beyond the ends, continue with the mean slope of the last two steps."""
    if x[0] <= at <= x[-1]:
        return float(np.interp(at, x, y))
    end, inner = (0, min(2, len(x) - 1)) if at < x[0] else (-1, max(-3, -len(x)))
    slope = (y[end] - y[inner]) / (x[end] - x[inner])
    return float(y[end] + slope * (at - x[end]))
