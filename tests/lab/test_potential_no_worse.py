"""No-worse switching points of known win-rate curves."""

import numpy as np
import pytest

from tengen.lab.potential.analysis import NoWorse, no_worse

SWITCHES = (77, 69, 61, 55, 49, 41, 31)


def played(rate_at, trunks, plain_rate=0.58, seed=1):
    """Return games of a filter that wins `rate_at(switch)`, and ten times as many plain games."""
    drawn = np.random.default_rng(seed)
    games = {
        ("pf1", number): [(switch, int(drawn.random() < rate_at(switch))) for switch in SWITCHES]
        for number in range(trunks)
    }
    plain = {
        ("plain", number): [(81, int(drawn.random() < plain_rate))] for number in range(10 * trunks)
    }
    return games | plain


def falling(switch):
    """58% at the top, 5 points less at 55, and steeper below."""
    return 0.58 - 0.05 * ((81 - switch) / 26) ** 2


def test_many_games_find_the_switching_point():
    found = no_worse(played(falling, 4000), "pf1", 9, 0.05)
    assert found.low <= 55 <= found.high
    assert found.high - found.low <= 12
    assert abs(found.best - 55) <= 4


def test_few_games_give_a_wide_interval():
    few = no_worse(played(falling, 40), "pf1", 9, 0.05)
    many = no_worse(played(falling, 1000), "pf1", 9, 0.05)
    assert (few.high or 81) - few.low > (many.high or 81) - many.low


def test_interval_has_its_nominal_coverage():
    """At 95%, at most eight of 60 intervals miss the true value with high probability."""
    missed = 0
    for seed in range(60):
        found = no_worse(played(falling, 150, seed=seed), "pf1", 9, 0.05)
        missed += not found.low <= 55 <= (found.high or 81)
    assert missed <= 8


def test_correlated_games_count_as_one():
    drawn = np.random.default_rng(3)
    alone = played(lambda switch: 0.5, 200)
    fates = drawn.random(200) < 0.5
    shared = {
        key: [(switch, int(fates[key[1]])) for switch, _ in trunk] if key[0] == "pf1" else trunk
        for key, trunk in alone.items()
    }
    one, other = (no_worse(games, "pf1", 9, 0.08) for games in (alone, shared))
    assert (other.high or 81) - other.low > (one.high or 81) - one.low


@pytest.mark.parametrize(("rate", "text"), [(0.0, "none"), (1.0, "31 or less")])
def test_filters_that_always_lose_or_win(rate, text):
    assert str(no_worse(played(lambda switch: rate, 300), "pf1", 9, 0.05)) == text


def test_missing_games_give_no_result():
    games = played(falling, 20)
    assert no_worse(games, "pf2", 9, 0.05) is None
    without_plain = {key: trunk for key, trunk in games.items() if key[0] == "pf1"}
    assert no_worse(without_plain, "pf1", 9, 0.05) is None
    two_points = {key: trunk[:2] for key, trunk in games.items()}
    assert no_worse(two_points, "pf1", 9, 0.05) is None


def test_no_worse_text():
    assert str(NoWorse(55, 49, None, 31)) == "55 (49 to none)"
    assert str(NoWorse(31, 31, 41, 31)) == "31 or less (31 or less to 41)"
