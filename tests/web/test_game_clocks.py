"""The clocks of a game on the page: main time, byo-yomi, Fischer."""

import pytest

from tengen.board import BLACK, WHITE
from tengen.engine import UNLIMITED, Clock, TimeControl, TimeSystem
from tengen.util import TengenError
from tengen.web import NewGame
from tengen.web.game import GameClocks
from tengen.web.game_options import time_control


def control(clock, main_s, period_s, periods):
    return time_control(NewGame(clock=clock, main_s=main_s, period_s=period_s, periods=periods))


BYOYOMI = control("byoyomi", 60, 10, 3)

SPENT = [
    (BYOYOMI, [59], (1, 3, False), True),
    (BYOYOMI, [60], (0, 3, False), True),
    (BYOYOMI, [65], (10, 3, True), True),
    (BYOYOMI, [65, 9], (10, 3, True), True),
    (BYOYOMI, [65, 11], (10, 2, True), True),
    (BYOYOMI, [65, 29], (10, 1, True), True),
    (BYOYOMI, [65, 31], (10, 1, True), False),
    (BYOYOMI, [89], (10, 1, True), True),
    (BYOYOMI, [91], (10, 1, True), False),
    (control("byoyomi", 0, 5, 1), [4, 4], (5, 1, True), True),
    (control("byoyomi", 0, 5, 1), [6], (5, 1, True), False),
    (control("absolute", 30, 0, 0), [10, 10], (10, 0, False), True),
    (control("absolute", 30, 0, 0), [31], (0, 0, False), False),
    (control("fischer", 30, 5, 0), [10, 10], (20, 0, False), True),
    (control("fischer", 30, 5, 0), [31], (5, 0, False), False),
]


@pytest.mark.parametrize(("control", "moves", "left", "in_time"), SPENT)
def test_spend_time(control, moves, left, in_time):
    clock = Clock(control)
    results = [clock.spend(elapsed_s) for elapsed_s in moves]
    assert (clock.remaining_s, clock.periods_left, clock.in_overtime) == left
    assert results == [True] * (len(moves) - 1) + [in_time]


def game_clocks(control=BYOYOMI, now_s=0.0):
    return GameClocks(control, BLACK, now_s)


def test_players_alternate():
    clocks = game_clocks(now_s=100.0)
    assert clocks.time_to_flag_s(110.0) == 60 + 30 - 10
    assert clocks.press(BLACK, 120.0)
    assert clocks.running is WHITE
    assert clocks.press(WHITE, 130.0)
    assert (clocks.sides[BLACK].remaining_s, clocks.sides[WHITE].remaining_s) == (40, 50)


def test_stop_and_start():
    clocks = game_clocks()
    clocks.stop(20.0)
    assert clocks.time_to_flag_s(1000.0) is None
    clocks.start(BLACK, 1000.0)
    assert clocks.time_to_flag_s(1000.0) == 70
    assert clocks.press(BLACK, 1069.0)


def test_move_out_of_turn_costs_no_time():
    clocks = game_clocks()
    assert clocks.press(WHITE, 500.0)
    assert clocks.sides[WHITE].remaining_s == 60
    assert clocks.sides[BLACK].remaining_s == 60


def test_no_time_limit():
    clocks = game_clocks(UNLIMITED)
    assert clocks.press(BLACK, 1e9)
    assert clocks.time_to_flag_s(2e9) is None
    assert clocks.state(0.0) is None


def test_state():
    clocks = game_clocks(now_s=100.0)
    assert clocks.press(BLACK, 165.0)
    state = clocks.state(170.0)
    assert (state.running, state.elapsed_s) == ("white", 5.0)
    black = state.black
    assert (black.left_s, black.periods_left, black.in_overtime) == (10, 3, True)
    assert (state.white.left_s, state.white.period_s) == (60, 10)


def test_time_systems():
    assert TimeControl(60, 10, periods=3) == BYOYOMI
    assert control("none", 0, 0, 1).system is TimeSystem.NONE
    assert control("absolute", 5, 0, 1).system is TimeSystem.ABSOLUTE
    assert control("fischer", 5, 1, 1).system is TimeSystem.FISCHER


@pytest.mark.parametrize(
    "invalid",
    [
        ("sand", 60, 0, 0),
        ("absolute", 0, 0, 0),
        ("absolute", -1, 0, 0),
        ("absolute", 1e9, 0, 0),
        ("byoyomi", 0, 0, 3),
        ("byoyomi", 0, 10, 0),
        ("byoyomi", 0, 10, 1000),
    ],
)
def test_rejects_invalid_time_control(invalid):
    with pytest.raises(TengenError):
        control(*invalid)
