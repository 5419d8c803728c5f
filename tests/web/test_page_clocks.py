"""Clocks of the page: main time, byo-yomi with its periods, Fischer."""

import pytest

from tengen.board.colour import BLACK, WHITE
from tengen.core.errors import TengenError
from tengen.engine.clock import ClockKind
from tengen.web.clocks import Clocks, TimeSetting

BYOYOMI = TimeSetting.of("byoyomi", 60, 10, 3)

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
    (TimeSetting.of("byoyomi", 0, 5, 1), [4, 4], (5, 1, True), True),
    (TimeSetting.of("byoyomi", 0, 5, 1), [6], (5, 1, True), False),
    (TimeSetting.of("absolute", 30, 0, 0), [10, 10], (10, 0, False), True),
    (TimeSetting.of("absolute", 30, 0, 0), [31], (0, 0, False), False),
    (TimeSetting.of("fischer", 30, 5, 0), [10, 10], (20, 0, False), True),
    (TimeSetting.of("fischer", 30, 5, 0), [31], (5, 0, False), False),
]


@pytest.mark.parametrize(("setting", "moves", "left", "in_time"), SPENT)
def test_time_is_taken_off(setting, moves, left, in_time):
    clock = setting.fresh()
    said = [clock.spend(elapsed_s) for elapsed_s in moves]
    assert (clock.left_s, clock.periods_left, clock.in_overtime) == left
    assert said == [True] * (len(moves) - 1) + [in_time]


def test_both_clocks_take_turns():
    clocks = Clocks(BYOYOMI, now_s=100.0)
    assert clocks.falls_in_s(110.0) == 60 + 30 - 10
    assert clocks.press(BLACK, 120.0)
    assert clocks.running is WHITE
    assert clocks.press(WHITE, 130.0)
    assert (clocks.sides[BLACK].left_s, clocks.sides[WHITE].left_s) == (40, 50)


def test_clocks_stand_still():
    clocks = Clocks(BYOYOMI, now_s=0.0)
    clocks.stop(20.0)
    assert clocks.falls_in_s(1000.0) is None
    clocks.start(BLACK, 1000.0)
    assert clocks.falls_in_s(1000.0) == 70
    assert clocks.press(BLACK, 1069.0)


def test_a_move_of_the_other_side_costs_nothing():
    clocks = Clocks(BYOYOMI, now_s=0.0)
    assert clocks.press(WHITE, 500.0)
    assert clocks.sides[WHITE].left_s == 60


def test_no_clock_never_falls():
    clocks = Clocks(TimeSetting(), now_s=0.0)
    assert clocks.press(BLACK, 1e9)
    assert clocks.falls_in_s(2e9) is None
    assert clocks.as_dict(0.0) is None


def test_what_the_engine_is_told():
    clock = BYOYOMI.fresh()
    clock.spend(65)
    told = clock.for_engine()
    assert (told.kind, told.left_s, told.stones_left) == (ClockKind.BYOYOMI, 10, 3)
    assert TimeSetting().fresh().for_engine().kind is ClockKind.NONE


@pytest.mark.parametrize(
    "wrong",
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
def test_clocks_that_make_no_sense(wrong):
    with pytest.raises(TengenError):
        TimeSetting.of(*wrong)
