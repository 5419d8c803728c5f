"""Engine, colour and result are three things: the trap of paper 001."""

import pytest
from match_helpers import row_of

from tengen.board.colour import BLACK, WHITE
from tengen.match.game import Reason
from tengen.match.tally import (
    Score,
    black_scores,
    duplicates,
    pair_counts,
    score_of_colour,
    score_of_player,
    time_use,
)


def alternating(winner_of):
    """Return ten games of engines 0 and 1 with colours swapped in every second."""
    return [
        row_of(number, number % 2, 1 - number % 2, winner_of(number % 2)) for number in range(10)
    ]


def test_an_engine_that_always_wins_wins_with_both_colours():
    rows = alternating(lambda black: 1 if black == 0 else 2)
    assert score_of_player(rows, 0) == Score(10, 0, 0)
    assert score_of_player(rows, 0, BLACK) == score_of_player(rows, 0, WHITE) == Score(5, 0, 0)
    assert score_of_colour(rows, BLACK) == Score(5, 0, 5)


def test_a_colour_that_always_wins_is_no_strong_engine():
    """GoGui's twogtp with -alternate would print Black as winner of every second game only."""
    rows = alternating(lambda black: 2)
    assert score_of_colour(rows, WHITE) == Score(10, 0, 0)
    assert score_of_player(rows, 0) == score_of_player(rows, 1) == Score(5, 0, 5)
    assert score_of_player(rows, 0, WHITE) == Score(5, 0, 0)
    assert score_of_player(rows, 0, BLACK) == Score(0, 0, 5)


def test_results_by_engine_and_by_colour_differ_as_the_trap_needs():
    """Reading "B" as the first engine would give 5 of 10 where the engine won 10 of 10."""
    rows = alternating(lambda black: 1 if black == 0 else 2)
    by_colour, by_engine = score_of_colour(rows, BLACK).wins, score_of_player(rows, 0).wins
    assert (by_colour, by_engine) == (5, 10)


def test_draws_are_halves():
    rows = [row_of(0, 0, 1, None), row_of(1, 1, 0, 2)]
    assert score_of_player(rows, 0) == Score(1, 1, 0)
    assert score_of_player(rows, 0).points == 1.5
    assert black_scores(rows) == [(0, 1, 0.5), (1, 0, 0.0)]


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [(1, 2, [0, 0, 0, 0, 1]), (1, 1, [0, 0, 1, 0, 0]), (2, None, [0, 1, 0, 0, 0])],
)
def test_pairs_count_for_an_engine_whatever_its_colour(first, second, counts):
    assert pair_counts([row_of(0, 0, 1, first), row_of(1, 1, 0, second)], 0) == counts


def test_half_a_pair_does_not_count():
    assert pair_counts([row_of(0, 0, 1, 1)], 0) == [0] * 5


def test_games_that_repeat_are_noticed():
    rows = [row_of(0, 0, 1, 1), row_of(1, 1, 0, 1), row_of(2, 0, 1, 1)._replace(digest="0")]
    assert duplicates(rows) == 1
    other_players = [row_of(0, 0, 1, 1), row_of(1, 0, 2, 1)._replace(digest="0")]
    assert duplicates(other_players) == 0
    crashed = [row_of(n, 0, 1, 1)._replace(digest="0", reason=Reason.CRASH) for n in range(3)]
    assert duplicates(crashed) == 0


def test_time_is_counted_for_the_engine_whatever_its_colour():
    first = row_of(0, 0, 1, 1)._replace(length=22, opening_moves=2, black_time_s=5, white_time_s=1)
    second = row_of(1, 1, 0, 1)._replace(length=20, opening_moves=2, black_time_s=1, white_time_s=7)
    assert time_use([first, second], 0) == (19, 12, 0)
    assert time_use([first, second._replace(white_cpu_s=None)], 0).cpu_s is None


def test_a_game_lost_before_its_opening_has_no_moves():
    row = row_of(0, 0, 1, 1)._replace(length=0, opening_moves=8)
    assert time_use([row], 0).moves == 0
