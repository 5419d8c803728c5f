"""Means and ratios of correlated observations: standard errors are clustered by game.

Positions of one game are not independent. The estimators here take a cluster number for each
observation; the error is that of the linearized ratio, summed per cluster (Cochran 1977, "Sampling
Techniques", section 2.11), and intervals use the t distribution whose degrees of freedom
are the number of clusters minus 1.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
RESAMPLES = 400
"""Resamples of a bootstrap."""

Array = npt.NDArray[np.float64]
Clusters = npt.NDArray[np.intp]


class Estimate(NamedTuple):
    """A value with its 95% interval; NaN where there is too little data."""

    value: float
    low: float
    high: float
    observations: int
    clusters: int


def mean_estimate(values: Array, clusters: Clusters) -> Estimate:
    """Estimate a mean."""
    return ratio_estimate(values, np.ones(len(values)), clusters)


def ratio_estimate(numerators: Array, denominators: Array, clusters: Clusters) -> Estimate:
    """Estimate the ratio of two sums; `numerators` and `denominators` are paired observations."""
    count, total = len(numerators), float(np.sum(denominators))
    if not count or total == 0:
        return Estimate(math.nan, math.nan, math.nan, count, 0)
    value = float(np.sum(numerators)) / total
    _, members = np.unique(clusters, return_inverse=True)
    groups = int(members.max()) + 1
    residuals = np.bincount(members, weights=numerators - value * denominators)
    if groups < 2:
        return Estimate(value, math.nan, math.nan, count, groups)
    error = math.sqrt(groups / (groups - 1) * float(np.sum(residuals**2))) / abs(total)
    margin = _t_quantile(groups - 1) * error
    return Estimate(value, value - margin, value + margin, count, groups)


def share_estimate(values: Array, clusters: Clusters) -> Estimate:
    """Estimate the share of ones among zeros and ones, with a Wilson interval.

    The interval is that of the effective sample size: the number of independent observations with
    the same error. If all observations are equal, it is the number of clusters.
    """
    estimate = mean_estimate(values, clusters)
    share, groups = estimate.value, estimate.clusters
    if groups < 2:
        return estimate
    quantile = _t_quantile(groups - 1)
    error = (estimate.high - share) / quantile
    count = share * (1 - share) / error**2 if error > 0 else groups
    shrink = 1 + quantile**2 / count
    center = (share + quantile**2 / (2 * count)) / shrink
    spread = share * (1 - share) / count + quantile**2 / (4 * count**2)
    half = quantile / shrink * math.sqrt(spread)
    # The bounds are exact at 0 and 1; avoid rounding errors there.
    low = 0.0 if share <= 0 else center - half
    return estimate._replace(low=low, high=1.0 if share >= 1 else center + half)


def rms_estimate(errors: Array, clusters: Clusters) -> Estimate:
    """Estimate the root mean square; the interval is that of the mean square."""
    square = mean_estimate(errors**2, clusters)
    value, low, high = (math.sqrt(max(end, 0.0)) for end in square[:3])
    return square._replace(value=value, low=low, high=high)


def bootstrap_estimate(
    statistic: Callable[[npt.NDArray[np.intp]], float], clusters: Clusters, seed: int
) -> Estimate:
    """Estimate any statistic of the observations with an interval from resampled clusters.

    `statistic` takes the indices of the observations to use.
    """
    names, members = np.unique(clusters, return_inverse=True)
    order = np.argsort(members, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(members, minlength=len(names)))[:-1])
    count = len(clusters)
    if not count:
        return Estimate(math.nan, math.nan, math.nan, 0, 0)
    value = statistic(np.arange(count))
    if len(names) < 2:
        return Estimate(value, math.nan, math.nan, count, len(names))
    random = np.random.default_rng(seed)
    found = []
    for _ in range(RESAMPLES):
        drawn = random.integers(len(names), size=len(names))
        found.append(statistic(np.concatenate([parts[group] for group in drawn])))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return Estimate(value, float(low), float(high), count, len(names))


def _t_quantile(degrees: int) -> float:
    """Return the quantile of the t distribution that bounds the two-sided interval."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 1 - (1 - CONFIDENCE) / 2))
