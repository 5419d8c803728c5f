"""Statistics against published numbers; each source is named."""

import math

import numpy as np
import pytest

from tengen.match import Sprt, SprtDecision, bradley_terry, elo_interval, pair_interval, wilson
from tengen.match.stats import (
    EGF_EPSILON,
    ELO_PER_NAT,
    egf_expectation,
    egf_parameters,
    egf_ratings,
    egf_update,
    elo_of,
    score_of,
)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_matches_newcombe(wins, games, low, high):
    """R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    interval = wilson(wins, games)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_wilson_without_games():
    assert wilson(0, 0)[1:] == (0, 1)


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0), (0.64, 100), (0.76, 200), (0.92, 424)])
def test_elo_matches_usual_tables(score, elo):
    """A difference of 100 is 64%, of 200 is 76% (A. Elo, The Rating of Chessplayers, 1978)."""
    assert elo_of(score) == pytest.approx(elo, abs=1)
    assert score_of(elo) == pytest.approx(score, abs=0.002)


def test_elo_at_the_ends():
    interval = elo_interval(wilson(10, 10))
    assert interval.value == interval.high == math.inf
    assert 0 < interval.low < math.inf
    assert elo_of(0) == -math.inf


def test_sprt_bounds():
    """Wald's bounds at 0.05 are +-2.94."""
    assert Sprt(0, 20).bounds == pytest.approx((-2.9444389791664403, 2.9444389791664403))


FISHTEST = [
    ((3, 20, 50, 22, 5), 0, 20, 0.04032037241670679),
    ((3, 20, 50, 22, 5), 0, 5, 0.17838022438188125),
    ((3, 20, 50, 22, 5), -10, 10, 0.9344729113889829),
    ((0, 10, 30, 12, 0), 0, 20, -0.27041453628885204),
    ((12, 40, 60, 30, 8), 0, 20, -2.9973011351582723),
    ((12, 40, 60, 30, 8), -10, 10, -2.0579732004260216),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "llr"), FISHTEST)
def test_llr_matches_fishtest(counts, elo0, elo1, llr):
    """Values of Fishtest's own LLRcalc.LLR_logistic, commit 93fe81eb."""
    assert Sprt(elo0, elo1).llr(counts) == pytest.approx(llr, abs=1e-9)


@pytest.mark.parametrize("counts", [(440, 2910, 5170, 2888, 455), (142, 620, 1122, 699, 188)])
def test_llr_tends_to_the_normal_approximation(counts):
    pairs = np.repeat([0, 0.25, 0.5, 0.75, 1], counts)
    before, after = score_of(0), score_of(5)
    simple = len(pairs) * (after - before) * (2 * pairs.mean() - before - after) / (2 * pairs.var())
    assert Sprt(0, 5).llr(counts) == pytest.approx(simple, rel=0.01)


def test_sprt_stays_open_after_a_few_won_pairs():
    """The plain approximation would stop here, as the sample's variance is 0."""
    assert Sprt(0, 20).decide([0, 0, 0, 0, 8]) is SprtDecision.OPEN
    assert Sprt(0, 20).decide([0, 0, 0, 0, 60]) is SprtDecision.H1
    assert Sprt(0, 20).decide([60, 0, 0, 0, 0]) is SprtDecision.H0
    assert Sprt(0, 20).llr([0, 0, 0, 0, 0]) == 0


def test_equal_pairs_narrow_the_interval():
    """If all pairs are split, the engines are equal, although single games look random."""
    split, mixed = pair_interval([5, 0, 90, 0, 5]), pair_interval([50, 0, 0, 0, 50])
    assert split.value == mixed.value == 0.5
    assert split.high - split.low < 0.5 * (mixed.high - mixed.low)
    assert 0.4 < mixed.low < 0.42


@pytest.mark.parametrize("chances", [(0.25, 0.5, 0.25), (0.09, 0.42, 0.49), (0.05, 0.9, 0.05)])
@pytest.mark.parametrize("pairs", [10, 30, 100])
def test_pair_interval_coverage(chances, pairs):
    """Nearly 95% of the intervals of 1,000 matches contain the true score."""
    truth = chances[1] / 2 + chances[2]
    draws = np.random.default_rng(5).multinomial(pairs, chances, size=1000).tolist()
    found = [pair_interval([lost, 0, split, 0, won]) for lost, split, won in draws]
    assert sum(rate.low <= truth <= rate.high for rate in found) >= 930


BASEBALL = """
Milwaukee Detroit 4 3, Milwaukee Toronto 4 2, Milwaukee NewYork 4 3, Milwaukee Boston 6 1,
Milwaukee Cleveland 4 2, Milwaukee Baltimore 6 0, Detroit Milwaukee 3 3, Detroit Toronto 4 2,
Detroit NewYork 4 3, Detroit Boston 6 0, Detroit Cleveland 6 1, Detroit Baltimore 4 3,
Toronto Milwaukee 2 5, Toronto Detroit 4 3, Toronto NewYork 2 4, Toronto Boston 4 3,
Toronto Cleveland 4 2, Toronto Baltimore 6 0, NewYork Milwaukee 3 3, NewYork Detroit 5 1,
NewYork Toronto 2 5, NewYork Boston 4 3, NewYork Cleveland 4 2, NewYork Baltimore 6 1,
Boston Milwaukee 5 1, Boston Detroit 2 5, Boston Toronto 3 3, Boston NewYork 4 2,
Boston Cleveland 5 2, Boston Baltimore 6 0, Cleveland Milwaukee 2 5, Cleveland Detroit 3 3,
Cleveland Toronto 3 4, Cleveland NewYork 4 3, Cleveland Boston 4 2, Cleveland Baltimore 2 4,
Baltimore Milwaukee 2 5, Baltimore Detroit 1 5, Baltimore Toronto 1 6, Baltimore NewYork 2 4,
Baltimore Boston 1 6, Baltimore Cleveland 3 4
"""
TEAMS = ["Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "NewYork", "Toronto"]


def baseball_games():
    for line in BASEBALL.replace("\n", " ").split(","):
        home, away, won, lost = line.split()
        sides = TEAMS.index(home), TEAMS.index(away)
        yield from [(*sides, 1.0)] * int(won) + [(*sides, 0.0)] * int(lost)


def test_bradley_terry_matches_agresti():
    """American League 1987, by home and away (A. Agresti, Categorical Data Analysis, 1990).

    The fit with Baltimore as 0, and its errors, as R's BradleyTerry2 manual prints it.
    """
    ratings = bradley_terry(7, list(baseball_games()))
    natural = (ratings.elo - ratings.elo[0]) / ELO_PER_NAT
    assert natural == pytest.approx([0, 1.1438, 0.7047, 1.4754, 1.6196, 1.2813, 1.3271], abs=2e-4)
    errors = [ratings.difference_error(team, 0) / ELO_PER_NAT for team in range(7)]
    assert errors == pytest.approx([0, 0.3378, 0.3350, 0.3446, 0.3474, 0.3404, 0.3403], abs=2e-4)
    assert ratings.first_elo / ELO_PER_NAT == pytest.approx(0.3023, abs=1e-4)
    assert ratings.first_error / ELO_PER_NAT == pytest.approx(0.1309, abs=1e-4)


def test_ratings_of_two_players_match_their_score():
    games = [(0, 1, 1.0)] * 64 + [(0, 1, 0.0)] * 36 + [(1, 0, 1.0)] * 36 + [(1, 0, 0.0)] * 64
    ratings = bradley_terry(2, games)
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(elo_of(0.64), abs=1e-6)
    assert ratings.first_elo == pytest.approx(0, abs=1e-6)
    assert sum(ratings.elo) == pytest.approx(0, abs=1e-9)


def test_prior_draws_keep_ratings_finite():
    ratings = bradley_terry(2, [(0, 1, 1.0), (1, 0, 0.0)], prior_draws=1)
    assert 0 < ratings.elo[0] < 400


def test_mean_rating_is_zero_when_one_player_wins_all():
    games = [(0, 1, 1.0), (1, 0, 0.0), (0, 2, 1.0), (2, 0, 0.0), (1, 2, 1.0), (2, 1, 1.0)] * 40
    ratings = bradley_terry(3, games, prior_draws=1)
    assert ratings.elo[0] > 400
    assert sum(ratings.elo) == pytest.approx(0, abs=1e-6)


def test_egf_table():
    """The table of the European Go Database: con and a by rating."""
    assert egf_parameters(100) == (116, 200)
    assert egf_parameters(2100) == (24, 100)
    assert egf_parameters(2700) == (10, 70)
    assert egf_parameters(2900) == (10, 70)


@pytest.mark.parametrize(
    ("rating", "difference", "published"),
    [(100, 100, 0.378), (100, 500, 0.076), (200, 200, 0.264), (200, 400, 0.114), (300, 50, 0.435)],
)
def test_egf_expectations_match_published_values(rating, difference, published):
    """Sensei's Library, "EGF Rating System": chances against a stronger player, without eps."""
    expected = egf_expectation(rating, rating + difference) + EGF_EPSILON / 2
    assert expected == pytest.approx(published, abs=0.0006)


def test_egf_expectations_sum_to_one_minus_epsilon():
    assert egf_expectation(2000, 2000) == pytest.approx(0.5 - 0.008)
    both = egf_expectation(1850, 2000) + egf_expectation(2000, 1850)
    assert both == pytest.approx(1 - 0.016)
    assert egf_expectation(1900, 2000) == pytest.approx(1 / (math.exp(100 / 110) + 1) - 0.008)


def test_egf_winner_gains():
    assert egf_update(2100, 2100, 1) == pytest.approx(2100 + 24 * (1 - 0.492))
    black, white = egf_ratings([2100, 2100], [(0, 1, 1.0)])
    assert black > 2100 > white


def test_egf_handicap_stones():
    assert egf_expectation(1850, 2100, stones=3) == pytest.approx(egf_expectation(2000, 2000))
    assert egf_expectation(2100, 1850, stones=-3) == pytest.approx(egf_expectation(2000, 2000))
    even, stones = ([2100, 2100], [(0, 1, 1.0)]), 4
    assert egf_ratings(*even, stones)[0] < egf_ratings(*even)[0]
    assert egf_ratings(*even, stones)[1] > egf_ratings(*even)[1]
