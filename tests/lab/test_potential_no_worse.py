"""How far down a filter is no worse: known curves are found again, doubt is said."""

import numpy as np
import pytest

from tengen.lab.potential.no_worse import NoWorse, no_worse

SWITCHES = (77, 69, 61, 55, 49, 41, 31)


def played(rate_at, trunks, plain_rate=0.58, seed=1):
    """Games of a filter that wins `rate_at(switch)`, and ten times as many plain ones."""
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


def test_many_games_find_the_place():
    found = no_worse(played(falling, 4000), "pf1", 9, 0.05)
    assert found.low <= 55 <= found.high
    assert found.high - found.low <= 12
    assert abs(found.best - 55) <= 4


def test_few_games_say_so():
    few = no_worse(played(falling, 40), "pf1", 9, 0.05)
    many = no_worse(played(falling, 1000), "pf1", 9, 0.05)
    assert (few.high or 81) - few.low > (many.high or 81) - many.low


def test_the_interval_holds_what_it_promises():
    """Of 60 studies, some miss the truth; at 95% hardly more than eight."""
    missed = 0
    for seed in range(60):
        found = no_worse(played(falling, 150, seed=seed), "pf1", 9, 0.05)
        missed += not found.low <= 55 <= (found.high or 81)
    assert missed <= 8


def test_games_that_share_their_fate_count_as_one():
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
def test_a_filter_that_always_loses_and_one_that_always_wins(rate, text):
    assert str(no_worse(played(lambda switch: rate, 300), "pf1", 9, 0.05)) == text


def test_nothing_to_go_by():
    games = played(falling, 20)
    assert no_worse(games, "pf2", 9, 0.05) is None
    without_plain = {key: trunk for key, trunk in games.items() if key[0] == "pf1"}
    assert no_worse(without_plain, "pf1", 9, 0.05) is None
    two_points = {key: trunk[:2] for key, trunk in games.items()}
    assert no_worse(two_points, "pf1", 9, 0.05) is None


def test_what_it_says():
    assert str(NoWorse(55, 49, None, 31)) == "55 (49 to none)"
    assert str(NoWorse(31, 31, 41, 31)) == "31 or less (31 or less to 41)"
