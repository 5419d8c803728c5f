"""What each weight was worth: the scores of all duels, regressed on the weights' differences.

A population tells where it went, which is much chance: programs are deterministic, so survivors
play the same games again and again. All its duels together tell what made programs win.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tengen.tune.parameter import Values

FEWEST = 4
"""So many duels for each weight are needed at least."""


class Fought(NamedTuple):
    """A duel with its score for the first program, 0 to 1."""

    first: Values
    second: Values
    score: float


class Influence(NamedTuple):
    """How much score a unit of a weight brings, with its standard error."""

    slope: float
    error: float


def influences(duels: Iterable[Fought]) -> dict[str, Influence]:
    """Return the influence of each weight by least squares; empty if there are too few duels.

    Two programs that met more than once count once: they play the same games.
    """
    distinct = {(tuple(d.first.items()), tuple(d.second.items())): d for d in duels}
    different = [duel for duel in distinct.values() if dict(duel.first) != dict(duel.second)]
    if not different:
        return {}
    varied = [
        name
        for name in different[-1].first
        if any(d.first[name] != d.second[name] for d in different)
    ]
    if len(different) < FEWEST * len(varied):
        return {}
    steps = np.array([[d.first[n] - d.second[n] for n in varied] for d in different])
    scores = np.array([duel.score - 0.5 for duel in different])
    inverse = np.linalg.pinv(steps.T @ steps)
    slopes = inverse @ steps.T @ scores
    rest = scores - steps @ slopes
    variance = float(rest @ rest) / max(len(different) - len(varied), 1)
    errors = np.sqrt(variance * np.diagonal(inverse))
    return {
        name: Influence(float(slope), float(error))
        for name, slope, error in zip(varied, slopes, errors, strict=True)
    }
