"""Estimates with errors clustered by game."""

import math

import numpy as np
import pytest

from tengen.util import (
    bootstrap_estimate,
    mean_estimate,
    ratio_estimate,
    rms_estimate,
    share_estimate,
)

QUANTILE = 12.706204736
"""Of the t distribution with one degree of freedom, for a 95% interval."""


def test_mean_of_two_clusters_by_hand():
    # Cluster sums of the residuals from the mean 2 are -2 and 2, so the error is sqrt(2 * 8) / 4.
    found = mean_estimate(np.array([1.0, 1.0, 2.0, 4.0]), np.array([7, 7, 9, 9]))
    assert found.value == 2
    assert (found.observations, found.clusters) == (4, 2)
    assert found.high - 2 == pytest.approx(QUANTILE * 1.0)
    assert 2 - found.low == pytest.approx(QUANTILE * 1.0)


def test_single_observations_give_the_standard_error_of_the_mean():
    values = np.random.default_rng(1).normal(size=400)
    found = mean_estimate(values, np.arange(400))
    expected = 1.9659 * values.std(ddof=1) / 20
    assert found.high - found.value == pytest.approx(expected, rel=1e-3)


def test_repeated_observations_do_not_narrow_the_interval():
    values, games = np.random.default_rng(2).normal(size=50), np.arange(50)
    once = mean_estimate(values, games)
    often = mean_estimate(np.repeat(values, 10), np.repeat(games, 10))
    assert often.high - often.low == pytest.approx(once.high - once.low)


def test_intervals_cover_the_mean_in_95_percent():
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        games = np.repeat(np.arange(20), 5)
        values = random.normal(size=20)[games] + random.normal(size=100)
        found = mean_estimate(values, games)
        covered += found.low <= 0 <= found.high
    assert 0.92 <= covered / 400 <= 0.98


def test_ratio():
    games = np.arange(3)
    found = ratio_estimate(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]), games)
    assert found[:3] == pytest.approx((2, 2, 2))
    assert math.isnan(ratio_estimate(np.zeros(2), np.zeros(2), np.arange(2)).value)


def test_one_cluster_has_no_interval():
    for estimate in (mean_estimate, share_estimate, rms_estimate):
        found = estimate(np.array([0.0, 1.0]), np.array([4, 4]))
        assert found.value > 0
        assert math.isnan(found.low)


def test_share_has_a_wilson_interval():
    found = share_estimate(np.zeros(100), np.arange(100))
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(0.0379, abs=1e-3)  # t^2 / (n + t^2)
    assert share_estimate(np.ones(7), np.arange(7)).high == 1
    half = share_estimate(np.arange(100) % 2.0, np.arange(100))
    assert (half.low, half.high) == pytest.approx((0.4023, 0.5977), abs=2e-3)


def test_rms():
    found = rms_estimate(np.array([3.0, -4.0]), np.arange(2))
    assert found.value == pytest.approx(math.sqrt(12.5))
    assert found.low == 0


def test_bootstrap_resamples_clusters():
    values, games = np.repeat([0.0, 1.0], 50), np.repeat([0, 1], 50)
    found = bootstrap_estimate(lambda rows: float(values[rows].mean()), games, seed=1)
    assert found[:3] == (0.5, 0.0, 1.0)
    assert found == bootstrap_estimate(lambda rows: float(values[rows].mean()), games, seed=1)


def test_nothing_is_unknown():
    none = np.empty(0)
    for found in (mean_estimate(none, none.astype(int)), rms_estimate(none, none.astype(int))):
        assert math.isnan(found.value)
        assert found.observations == 0
    assert math.isnan(bootstrap_estimate(lambda rows: 1.0, none.astype(int), 1).value)
