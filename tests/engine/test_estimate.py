"""Score estimates: sides, komi, and conversion of win rates to points."""

from dataclasses import replace

import numpy as np
import pytest

from tengen.board import BLACK, WHITE, Position, Rules, fixed_handicap_points
from tengen.engine import (
    EngineSettings,
    PlaySettings,
    create_engine,
    estimate_score,
    evaluate_with_net,
    ownership_after,
)
from tengen.engine.estimate import MAX_OWNERSHIP_MOVES, PLAYOUT_STDEV_FACTOR
from tengen.engine.search_engine import search_komi
from tengen.search import SearchLimit, SearchReport

PLAY = PlaySettings()


def report(value, owned):
    return SearchReport([], 800, 800, value, owned, 1, 1.0)


def position(to_play=BLACK, komi=0.0):
    board = Position(5, rules=Rules(komi=komi))
    board.to_play = to_play
    return board


def test_even_game_has_no_lead():
    estimate = estimate_score(report(0.5, np.zeros((5, 5))), position(), PLAY)
    assert (estimate.lead, estimate.value) == (0, 0.5)
    assert estimate.stdev == pytest.approx(PLAYOUT_STDEV_FACTOR * 5)


@pytest.mark.parametrize("value", [0.2, 0.5, 0.8])
def test_score_does_not_depend_on_the_side_to_move(value):
    owned = np.full((5, 5), 0.2)
    black = estimate_score(report(value, owned), position(BLACK), PLAY)
    white = estimate_score(report(1 - value, owned), position(WHITE), PLAY)
    assert black.lead == pytest.approx(white.lead)
    assert black.value == pytest.approx(white.value)


def test_lead_combines_win_rate_and_points():
    owned = np.full((5, 5), 0.4)
    estimate = estimate_score(report(0.5, owned), position(), PLAY)
    assert 0 < estimate.lead < 10


def test_lead_of_a_decided_game_is_its_points():
    owned = np.ones((5, 5))
    estimate = estimate_score(report(0.999, owned), position(komi=7.0), PLAY)
    assert estimate.stdev == 0
    assert estimate.lead == 18
    lost = estimate_score(report(0.0, -owned), position(komi=7.0), PLAY)
    assert lost.lead == -32


@pytest.mark.parametrize("komi", [7.5, 0.5])
def test_lead_is_at_most_the_board(komi):
    estimate = estimate_score(report(0.5, np.zeros((5, 5))), position(komi=komi), PLAY)
    assert estimate.stdev > 20
    assert estimate.lead_at(1.0) == 25 - komi
    assert estimate.lead_at(0.0) == -25 - komi


def test_net_lead_follows_the_win_rate_of_the_search():
    play, board = PlaySettings(net="default"), Position(9, rules=Rules(komi=7.5))
    evaluation = evaluate_with_net("default", board)
    leads = [
        estimate_score(report(value, np.zeros((9, 9))), board, play).lead for value in (0.2, 0.8)
    ]
    assert leads[0] < evaluation.lead_to_play < leads[1]
    assert leads[1] - leads[0] < 12, "a win rate from 20 to 80% is a few points on 9x9"
    same = estimate_score(report(evaluation.win_to_play, np.zeros((9, 9))), board, play)
    assert same.lead == pytest.approx(evaluation.lead_to_play)


def test_lead_at_win_rates():
    estimate = estimate_score(report(0.5, np.zeros((5, 5))), position(), PLAY)
    leads = [estimate.lead_at(value) for value in (0.0, 0.2, 0.5, 0.8, 1.0)]
    assert leads == sorted(leads)
    assert leads[2] == estimate.lead
    assert leads[0] == pytest.approx(-leads[-1])
    assert estimate.lead_at(0.8413) == pytest.approx(estimate.stdev, rel=0.01)


def test_dynamic_komi_does_not_hide_the_lead():
    """With nine stones, dynamic komi makes the searched game even; the real one is not."""
    board = Position(19, rules=Rules(komi=0.5))
    board.handicap = 9
    even = report(0.5, np.zeros((19, 19)))
    led = replace(even, extra_komi=search_komi(board, True) - 0.5)
    assert estimate_score(led, board, PLAY).lead > 50
    assert estimate_score(even, board, PLAY).lead == 0


def test_dynamic_komi_does_not_change_the_net_lead():
    board = Position(9, rules=Rules(komi=0.5))
    board.place_handicap(fixed_handicap_points(9, 9, 4))
    evaluation, play = evaluate_with_net("default", board), PlaySettings(net="default")
    led = replace(report(0.45, np.zeros((9, 9))), extra_komi=search_komi(board, True) - 0.5)
    estimate = estimate_score(led, board, play)
    assert estimate.lead == pytest.approx(-evaluation.lead_to_play), "Black's, White is to play"
    assert estimate.lead > 20
    assert estimate.lead_at(estimate.value) == estimate.lead


def test_extreme_win_rate_is_only_a_bound_of_the_lead():
    """With dynamic komi White may win a game for sure in which Black owns more."""
    owned = np.full((5, 5), 0.8)
    lost = replace(report(0.001, owned), extra_komi=40.0)
    estimate = estimate_score(lost, position(), PLAY)
    by_value = -2.326 * estimate.stdev + 40
    assert by_value < estimate.lead < 20


@pytest.mark.kernels
def test_dynamic_komi_applies_to_moves_and_not_to_analysis():
    engine = create_engine(
        EngineSettings().with_overrides(["threads=1", "playouts=20", "memory_mib=8"])
    )
    board = Position(9, rules=Rules(komi=0.5))
    board.place_handicap(fixed_handicap_points(9, 9, 4))
    assert engine.analyze(board, SearchLimit(simulations=20)).extra_komi == 0
    led = create_engine(engine.settings).analyze(
        board, SearchLimit(simulations=20), is_dynamic=True
    )
    assert led.extra_komi == search_komi(board, True) - 0.5
    decided = engine.think(board).report
    assert decided.extra_komi == search_komi(board, True) - 0.5 > 20
    assert decided.visits <= 21, "a tree of another komi is not reused"
    assert engine.think(board).report.visits > 21


@pytest.mark.kernels
def test_estimate_of_a_real_search():
    settings = EngineSettings().with_overrides(["threads=1", "seed=5", "memory_mib=8"])
    board = Position(5, rules=Rules(komi=0.5))
    board.setup([(board.points()[12], BLACK)], WHITE)
    estimate = estimate_score(
        create_engine(settings).analyze(board, SearchLimit(simulations=2000)), board, settings.play
    )
    assert estimate.lead > 5, "the center of 5x5 wins the board"
    assert estimate.value > 0.6


@pytest.mark.kernels
def test_ownership_after_moves():
    board = Position(5)
    moves = board.points()
    found = ownership_after(board, moves, "none")
    assert list(found) == moves[:MAX_OWNERSHIP_MOVES]
    for owned in found.values():
        assert owned.shape == (5, 5)
        assert np.abs(owned).max() <= 1
    assert len(board.moves) == 0
