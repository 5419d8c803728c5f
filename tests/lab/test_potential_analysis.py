"""Bands of switching points, where a trunk counts once, and no-worse points of known curves."""

import numpy as np
import pytest

from tengen.lab.potential.analysis import NoWorse, band_row, band_rows, games_by_trunk, no_worse


def row(name, trunk, switch, black_won, size=9):
    values = {"filter": name, "trunk": trunk, "switch": switch, "black_won": black_won}
    return {key: str(value) for key, value in {**values, "size": size}.items()}


def test_games_of_one_trunk_count_once():
    """Two trunks: one wins both games of the band, the other loses its only one."""
    rows = [row("pf4", 0, 77, 1), row("pf4", 0, 73, 1), row("pf4", 1, 79, 0)]
    line = band_row(games_by_trunk(rows, 9, True), ("pf4",), 9)
    assert line["72 to 80"] == "50 ± 98% (2)"
    assert line["60 to 71"] == "-", "nothing was played there"


def test_each_game_is_in_exactly_one_band():
    switches = list(range(1, 81))
    rows = [row("pf1", trunk, switch, 1) for trunk in (0, 1) for switch in switches]
    line = band_row(games_by_trunk(rows, 9, True), ("pf1",), 9)
    bands = [tuple(map(int, title.split(" to "))) for title in line if title != "filter"]
    assert bands == [(72, 80), (60, 71), (45, 59), (0, 44)]
    assert all(line[f"{low} to {high}"] == "100 ± 0% (2)" for low, high in bands)


def test_other_boards_plain_players_and_white():
    rows = [row("pf1", n, 73, 0) for n in range(4)] + [row("pf1", 9, 73, 1, size=13)]
    rows += [row("plain", n, 81, 1) for n in range(3)]
    [line] = band_rows(games_by_trunk(rows, 9, False), 9)
    assert line["filter"] == "pf1"
    assert line["72 to 80"] == "100 ± 0%, +100 ± 0 (4)", "White filters and won them all"


def test_similar_filters_are_grouped():
    rows = [row(name, n, 73, n % 2) for name in ("random", "pf3") for n in range(8)]
    rows += [row("plain", n, 81, int(n % 4 == 0)) for n in range(100)]
    lines = {line["filter"]: line for line in band_rows(games_by_trunk(rows, 9, True), 9)}
    assert list(lines) == ["pf3", "random", "random, pf3"]
    assert lines["pf3"]["72 to 80"] == "50 ± 37%, +25 ± 38 (8)"
    assert lines["random, pf3"]["72 to 80"] == "50 ± 25%, +25 ± 27 (16)"


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
