import pytest

from tengen.core.errors import TengenError
from tengen.match.clock import Clock, TimeControl, parse_duration, parse_time


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", None),
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
def test_reads_time_controls(text, control):
    assert parse_time(text) == control


@pytest.mark.parametrize(
    "text",
    ["10", "s", "1s/", "1s/0", "1s/turn", "-1s", "0s", "1s+", "1s/move+2s", "1s+2s+3s", "١s"]
    + ["x30s", "0x30s", "3x", "3x0s", "10m+0s/5", "10m+x30s", "10m+-1x30s", "3x30s/5", "3x30s+1s"],
)
def test_refuses_what_is_no_time(text):
    with pytest.raises(TengenError):
        parse_time(text)


def test_duration_units():
    assert [parse_duration(t) for t in ("250ms", "1.5s", "2m", "1h")] == [0.25, 1.5, 120, 3600]


TEXTS = ["500ms/move", "90s", "1h", "10m+30s/5", "30s/5", "5m+10s", "10m+3x30s", "5x1500ms"]


@pytest.mark.parametrize("text", TEXTS)
def test_writes_what_it_reads(text):
    control = parse_time(text)
    assert control is not None
    assert control.text == text


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
def test_programs_are_told_the_most_exact_first(text, commands):
    control = parse_time(text)
    assert control is not None
    assert control.gtp_commands == commands


@pytest.mark.parametrize(
    ("text", "overtime"),
    [
        ("10m", ""),
        ("10m+30s/5", "5/30 Canadian"),
        ("10m+3x30s", "3x30 byo-yomi"),
        ("10m+10s", "10 fischer"),
    ],
)
def test_records_are_told_as_servers_do(text, overtime):
    control = parse_time(text)
    assert control is not None
    assert control.sgf == {"TM": "600", "OT": overtime}


def test_time_for_each_move_is_not_saved_up():
    clock = Clock(TimeControl(0, 1, 1), lag_s=0.2)
    assert clock.gtp == "1 1"
    for _ in range(3):
        assert clock.spend(0.1)
        assert clock.allowed_s == pytest.approx(1.2)
    assert clock.spend(1.15)
    assert not clock.spend(1.25)


def test_fractions_of_an_increment_are_told():
    clock = Clock(TimeControl(3, increment_s=0.5), lag_s=0.2)
    assert clock.gtp == "3 0"
    clock.spend(0.52)
    assert clock.gtp == "2.98 0"


def test_no_more_is_told_than_there_is():
    assert Clock(TimeControl(0, 0.999, 1), lag_s=0.2).gtp == "0.99 1"


def test_lag_is_forgiven_once_on_an_absolute_clock():
    clock = Clock(TimeControl(2.0), lag_s=0.2)
    assert clock.spend(2.1)
    assert clock.gtp == "0 0"
    assert clock.allowed_s == pytest.approx(0.1)
    assert not clock.spend(0.2)


def test_canadian_overtime_starts_with_what_was_overdrawn():
    clock = Clock(TimeControl(10, 6, 2), lag_s=0)
    assert clock.gtp == "10 0"
    assert clock.allowed_s == 16
    assert clock.spend(12)
    assert clock.gtp == "4 1"
    assert clock.spend(3)
    assert clock.gtp == "6 2"
    assert clock.spend(5)
    assert not clock.spend(2)


def test_increment_comes_after_the_move():
    clock = Clock(TimeControl(1, increment_s=2), lag_s=0)
    assert clock.spend(0.5)
    assert clock.remaining_s == pytest.approx(2.5)
    assert not clock.spend(3)


def test_a_move_within_a_period_of_byoyomi_costs_nothing():
    clock = Clock(TimeControl(0, 10, periods=3), lag_s=0.2)
    for _ in range(5):
        assert clock.spend(9)
        assert (clock.gtp, clock.gtp_by_moves) == ("10 3", "10 1")


def test_byoyomi_comes_after_main_time_and_loses_overstepped_periods():
    clock = Clock(TimeControl(60, 10, periods=3), lag_s=0.2)
    assert clock.gtp == clock.gtp_by_moves == "60 0"
    assert clock.allowed_s == pytest.approx(90.2)
    assert clock.spend(45)
    assert clock.gtp == "15 0"
    assert clock.spend(20), "into the first period, which is not used up"
    assert clock.gtp == "10 3"
    assert clock.allowed_s == pytest.approx(30.2)
    assert clock.spend(25), "two periods are gone"
    assert (clock.gtp, clock.gtp_by_moves) == ("10 1", "10 1")
    assert clock.allowed_s == pytest.approx(10.2)
    assert clock.spend(10)
    assert not clock.spend(10.3)


def test_all_of_byoyomi_may_go_in_one_move():
    assert Clock(TimeControl(60, 10, periods=3), lag_s=0.2).spend(90.1)
    assert not Clock(TimeControl(60, 10, periods=3), lag_s=0.2).spend(90.3)


def test_lag_costs_no_period():
    clock = Clock(TimeControl(0, 10, periods=3), lag_s=0.2)
    assert clock.spend(10.1)
    assert clock.gtp == "10 3"
    assert clock.spend(10.3)
    assert clock.gtp == "10 2"
