"""Time controls as text, GTP and SGF, and the clock of one player."""

import pickle

import pytest

from tengen.engine import UNLIMITED, Clock, TimeControl, TimeSystem, parse_duration
from tengen.util import TengenError

BYOYOMI = TimeControl(60, 10, periods=3)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", UNLIMITED),
        ("1s/move", TimeControl(0, 1, 1)),
        ("500ms/move", TimeControl(0, 0.5, 1)),
        ("10m", TimeControl(600)),
        ("10m+30s/5", TimeControl(600, 30, 5)),
        ("30s/5", TimeControl(0, 30, 5)),
        ("5m+10s", TimeControl(300, increment_s=10)),
        ("10m+3x30s", TimeControl(600, 30, periods=3)),
        ("5x1.5s", TimeControl(0, 1.5, periods=5)),
        ("1H", TimeControl(3600)),
    ],
)
def test_parses_time_controls(text, control):
    assert TimeControl.parse(text) == control


@pytest.mark.parametrize(
    "text",
    ["10", "s", "1s/", "1s/0", "1s/turn", "-1s", "0s", "1s+", "1s/move+2s", "1s+2s+3s", "١s"]
    + ["x30s", "0x30s", "3x", "3x0s", "10m+0s/5", "10m+x30s", "10m+-1x30s", "3x30s/5", "3x30s+1s"],
)
def test_rejects_invalid_time_controls(text):
    with pytest.raises(TengenError):
        TimeControl.parse(text)


def test_duration_units():
    assert [parse_duration(t) for t in ("250ms", "1.5s", "2m", "1h")] == [0.25, 1.5, 120, 3600]


TEXTS = ["500ms/move", "90s", "1h", "10m+30s/5", "30s/5", "5m+10s", "10m+3x30s", "5x1500ms", "none"]


@pytest.mark.parametrize("text", TEXTS)
def test_text_round_trip(text):
    assert str(TimeControl.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("10m", ["time_settings 600 0 0", "kgs-time_settings absolute 600"]),
        ("1s/move", ["time_settings 0 1 1", "kgs-time_settings canadian 0 1 1"]),
        ("10m+30s/5", ["time_settings 600 30 5", "kgs-time_settings canadian 600 30 5"]),
        ("500ms/move", ["time_settings 0 0.50 1", "kgs-time_settings canadian 0 0.50 1"]),
        (
            "5m+10s",
            [
                "kata-time_settings fischer 300 10",
                "time_settings 300 0 0",
                "kgs-time_settings absolute 300",
            ],
        ),
        (
            "10m+3x30s",
            [
                "kgs-time_settings byoyomi 600 30 3",
                "kata-time_settings byoyomi 600 30 3",
                "time_settings 600 30 1",
                "kgs-time_settings canadian 600 30 1",
            ],
        ),
    ],
)
def test_gtp_commands_start_with_the_most_precise(text, commands):
    assert TimeControl.parse(text).gtp_commands == commands


def test_gtp_time_settings():
    assert TimeControl.from_gtp(60, 10, 0) is UNLIMITED, "overtime without stones: no limit"
    assert TimeControl.from_gtp(60, 0, 0) == TimeControl(60)
    assert TimeControl.from_gtp(60, 0, 5) == TimeControl(60)
    assert TimeControl.from_gtp(60, 10, 5) == TimeControl(60, 10, 5)
    assert Clock(TimeControl.from_gtp(0, 10, 5)).overtime_left == 5


@pytest.mark.parametrize(
    ("system", "values", "control"),
    [
        ("none", [], UNLIMITED),
        ("absolute", [60], TimeControl(60)),
        ("canadian", [60, 10, 5], TimeControl(60, 10, 5)),
        ("canadian", [60, 10, 0], TimeControl(60)),
        ("byoyomi", [60, 10, 5], TimeControl(60, 10, periods=5)),
        ("fischer", [60, 10], TimeControl(60, increment_s=10)),
        ("fischer-capped", [60, 10, 65, 20], TimeControl(60, 0, 0, 10, 0, 65, 20)),
        ("fischer-capped", [60, 10, -1, -1], TimeControl(60, increment_s=10)),
    ],
)
def test_kgs_time_settings(system, values, control):
    assert TimeControl.from_kgs(system, values) == control


@pytest.mark.parametrize(
    ("system", "values"),
    [("hourglass", [1]), ("absolute", []), ("absolute", [-5]), ("byoyomi", [1, 2])]
    + [("canadian", [1, 2, -3]), ("fischer", [10, -1]), ("fischer-capped", [10, 1])],
)
def test_rejects_invalid_kgs_time_settings(system, values):
    with pytest.raises(TengenError):
        TimeControl.from_kgs(system, values)


def test_rejects_overtime_without_moves_or_periods():
    with pytest.raises(TengenError):
        TimeControl(60, 10)


@pytest.mark.parametrize(
    ("text", "overtime"),
    [
        ("10m", ""),
        ("10m+30s/5", "5/30 Canadian"),
        ("10m+3x30s", "3x30 byo-yomi"),
        ("10m+10s", "10 fischer"),
    ],
)
def test_sgf_properties(text, overtime):
    assert TimeControl.parse(text).sgf_properties == {"TM": "600", "OT": overtime}


def test_time_per_move_does_not_accumulate():
    clock = Clock(TimeControl(0, 1, 1), lag_s=0.2)
    assert clock.gtp_time_left() == "1 1"
    for _ in range(3):
        assert clock.spend(0.1)
        assert clock.allowed_s == pytest.approx(1.2)
    assert clock.spend(1.15)
    assert not clock.spend(1.25)


def test_gtp_time_left_has_fractions_of_fractional_controls():
    clock = Clock(TimeControl(3, increment_s=0.5), lag_s=0.2)
    assert clock.gtp_time_left() == "3 0"
    clock.spend(0.52)
    assert clock.gtp_time_left() == "2.98 0"


def test_gtp_time_left_rounds_down():
    assert Clock(TimeControl(0, 0.999, 1), lag_s=0.2).gtp_time_left() == "0.99 1"


def test_absolute_clock_tolerates_lag_once():
    clock = Clock(TimeControl(2.0), lag_s=0.2)
    assert clock.spend(2.1)
    assert clock.gtp_time_left() == "0 0"
    assert clock.allowed_s == pytest.approx(0.1)
    assert not clock.spend(0.2)


def test_canadian_overtime_is_charged_for_exceeded_main_time():
    clock = Clock(TimeControl(10, 6, 2), lag_s=0)
    assert clock.gtp_time_left() == "10 0"
    assert clock.allowed_s == 16
    assert clock.spend(12)
    assert clock.gtp_time_left() == "4 1"
    assert clock.spend(3)
    assert clock.gtp_time_left() == "6 2"
    assert clock.spend(5)
    assert not clock.spend(2)


def test_fischer_increment_is_added_after_the_move():
    clock = Clock(TimeControl(1, increment_s=2), lag_s=0)
    assert clock.spend(0.5)
    assert clock.remaining_s == pytest.approx(2.5)
    assert not clock.spend(3)


def test_fischer_cap():
    clock = Clock(TimeControl.from_kgs("fischer-capped", [60, 10, 65, 20]))
    clock.spend(1)
    assert clock.remaining_s == 65


def test_move_within_a_byoyomi_period_is_free():
    clock = Clock(TimeControl(0, 10, periods=3), lag_s=0.2)
    for _ in range(5):
        assert clock.spend(9)
        assert (clock.gtp_time_left(), clock.gtp_time_left(False)) == ("10 3", "10 1")


def test_byoyomi_follows_main_time_and_uses_up_periods():
    clock = Clock(BYOYOMI, lag_s=0.2)
    assert clock.gtp_time_left() == clock.gtp_time_left(False) == "60 0"
    assert clock.allowed_s == pytest.approx(90.2)
    assert clock.spend(45)
    assert clock.gtp_time_left() == "15 0"
    assert clock.spend(20), "into the first period"
    assert clock.gtp_time_left() == "10 3"
    assert clock.allowed_s == pytest.approx(30.2)
    assert clock.spend(25), "two periods are used up"
    assert (clock.gtp_time_left(), clock.gtp_time_left(False)) == ("10 1", "10 1")
    assert clock.allowed_s == pytest.approx(10.2)
    assert clock.spend(10)
    assert not clock.spend(10.3)


def test_one_move_may_use_all_byoyomi_periods():
    assert Clock(BYOYOMI, lag_s=0.2).spend(90.1)
    assert not Clock(BYOYOMI, lag_s=0.2).spend(90.3)


def test_lag_uses_up_no_period():
    clock = Clock(TimeControl(0, 10, periods=3), lag_s=0.2)
    assert clock.spend(10.1)
    assert clock.gtp_time_left() == "10 3"
    assert clock.spend(10.3)
    assert clock.gtp_time_left() == "10 2"


@pytest.mark.parametrize(
    ("text", "moves", "state", "in_time"),
    [
        ("1m+3x10s", [59], (1, 3, False), True),
        ("1m+3x10s", [60], (0, 3, False), True),
        ("1m+3x10s", [65], (10, 3, True), True),
        ("1m+3x10s", [65, 9], (10, 3, True), True),
        ("1m+3x10s", [65, 11], (10, 2, True), True),
        ("1m+3x10s", [65, 29], (10, 1, True), True),
        ("1m+3x10s", [65, 31], (10, 1, True), False),
        ("1m+3x10s", [89], (10, 1, True), True),
        ("1m+3x10s", [91], (10, 1, True), False),
        ("1x5s", [4, 4], (5, 1, True), True),
        ("1x5s", [6], (5, 1, True), False),
        ("30s", [10, 10], (10, 0, False), True),
        ("30s", [31], (0, 0, False), False),
        ("30s+5s", [10, 10], (20, 0, False), True),
        ("30s+5s", [31], (5, 0, False), False),
    ],
)
def test_spend(text, moves, state, in_time):
    clock = Clock(TimeControl.parse(text))
    results = [clock.spend(elapsed_s) for elapsed_s in moves]
    assert (clock.remaining_s, clock.periods_left, clock.in_overtime) == state
    assert results == [True] * (len(moves) - 1) + [in_time]


def test_running_clock():
    clock = Clock(BYOYOMI)
    clock.start(100.0)
    clock.start(105.0)
    assert clock.is_running
    assert clock.time_to_flag_s(110.0) == 60 + 30 - 10
    assert clock.press(120.0)
    assert (clock.remaining_s, clock.is_running) == (40, False)


def test_stop_charges_within_the_move():
    clock = Clock(TimeControl(0, 10, periods=3))
    clock.start(0.0)
    clock.stop(7.0)
    assert clock.time_to_flag_s(1000.0) == 23
    clock.start(1000.0)
    assert clock.press(1002.0)
    assert (clock.remaining_s, clock.periods_left) == (10, 3)


def test_cancel_charges_nothing():
    clock = Clock(BYOYOMI)
    clock.start(0.0)
    clock.cancel()
    assert (clock.remaining_s, clock.is_running, clock.elapsed_s(50.0)) == (60, False, 0)


def test_unlimited_clock_never_falls():
    clock = Clock()
    assert clock.spend(1e9)
    assert clock.time_to_flag_s(2e9) == float("inf")
    assert clock == Clock()


def test_time_left_without_time_control_is_absolute():
    clock = Clock()
    clock.set_time_left(30, 0)
    assert (clock.system, clock.remaining_s) == (TimeSystem.ABSOLUTE, 30)
    clock.set_time_left(-3, 0)
    assert clock.remaining_s == 0
    clock.reset()
    assert clock.remaining_s == 30


def test_negative_stones_mean_main_time():
    clock = Clock(TimeControl(300, 30, 5))
    clock.set_time_left(30, -1)
    assert not clock.in_overtime


def test_clock_pickles():
    clock = Clock(BYOYOMI, lag_s=0.2)
    clock.spend(65)
    assert pickle.loads(pickle.dumps(clock)) == clock
