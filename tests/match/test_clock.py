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
        ("1H", TimeControl(3600)),
    ],
)
def test_reads_time_controls(text, control):
    assert parse_time(text) == control


@pytest.mark.parametrize(
    "text",
    ["10", "s", "1s/", "1s/0", "1s/turn", "-1s", "0s", "1s+", "1s/move+2s", "1s+2s+3s", "١s"],
)
def test_refuses_what_is_no_time(text):
    with pytest.raises(TengenError):
        parse_time(text)


def test_duration_units():
    assert [parse_duration(t) for t in ("250ms", "1.5s", "2m", "1h")] == [0.25, 1.5, 120, 3600]


def test_gtp_arguments():
    assert TimeControl(0, 1, 1).gtp == "0 1 1"
    assert TimeControl(600, 30, 5).gtp == "600 30 5"
    assert TimeControl(0, 0.5, 1).gtp == "0 0.50 1"


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
