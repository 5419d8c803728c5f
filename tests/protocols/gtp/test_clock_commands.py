"""GTP time commands."""

import pytest
from gtp_helpers import Talk

from tengen.board import BLACK, WHITE
from tengen.engine import TimeSystem
from tengen.protocols.gtp import Session


@pytest.fixture
def talk():
    return Talk()


def clock(talk, color=BLACK):
    return talk.session.clocks[color]


def test_time_settings_create_the_engine():
    made = []
    session = Session(make_engine=lambda settings: made.append(1))
    session.handle("boardsize 9")
    assert made == []
    session.handle("time_settings 0 1 1")
    assert made == [1]


def test_negative_stones_mean_no_overtime(talk):
    talk.ok("time_settings 300 30 5")
    talk.ok("time_left b 30 -1")
    assert clock(talk).overtime_left == 0


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("time_settings 60 0 0", TimeSystem.ABSOLUTE),
        ("time_settings 60 10 0", TimeSystem.NONE),
        ("time_settings 60 10 5", TimeSystem.CANADIAN),
        ("time_settings 0 10 5", TimeSystem.CANADIAN),
        ("kgs-time_settings none", TimeSystem.NONE),
        ("kgs-time_settings absolute 60", TimeSystem.ABSOLUTE),
        ("kgs-time_settings canadian 60 10 5", TimeSystem.CANADIAN),
        ("kgs-time_settings byoyomi 60 10 5", TimeSystem.BYOYOMI),
        ("kata-time_settings byoyomi 60 10 5", TimeSystem.BYOYOMI),
        ("kata-time_settings fischer 60 10", TimeSystem.FISCHER),
        ("kata-time_settings fischer-capped 60 10 120 -1", TimeSystem.FISCHER),
    ],
)
def test_sets_clocks(talk, line, kind):
    talk.ok(line)
    assert clock(talk).system is kind
    assert clock(talk, WHITE) == clock(talk)


def test_clock_without_main_time_starts_in_overtime(talk):
    talk.ok("time_settings 0 10 5")
    assert (clock(talk).remaining_s, clock(talk).overtime_left) == (10, 5)


def test_time_left(talk):
    talk.ok("time_settings 60 10 5")
    talk.ok("time_left b 7.5 3")
    assert (clock(talk).remaining_s, clock(talk).overtime_left) == (7.5, 3)
    assert clock(talk, WHITE).remaining_s == 60
    talk.ok("clear_board")
    assert (clock(talk).remaining_s, clock(talk).overtime_left) == (60, 0), "a new game"


def test_time_left_without_time_settings(talk):
    """The next game must not start with an empty clock."""
    talk.ok("time_left b 300 0")
    assert clock(talk).remaining_s == 300
    talk.ok("clear_board")
    assert clock(talk).remaining_s == 300


@pytest.mark.parametrize(
    "line",
    [
        "time_settings",
        "time_settings 1 2",
        "time_settings -1 0 0",
        "time_settings x 0 0",
        "time_settings nan 0 0",
        "time_left",
        "time_left b 10",
        "time_left x 10 0",
        "time_left b x 0",
        "kgs-time_settings",
        "kgs-time_settings hourglass 1",
        "kgs-time_settings absolute",
        "kgs-time_settings absolute -5",
        "kgs-time_settings byoyomi 1 2",
        "kgs-time_settings canadian 1 2 -3",
        "kata-time_settings fischer 10",
        "kata-time_settings fischer 10 -1",
        "kata-time_settings fischer-capped 10 1",
        "kata-time_settings fischer-capped 10 1 x -1",
    ],
)
def test_rejects_invalid_clocks(talk, line):
    assert talk.fails(line)


def test_capped_fischer_clock(talk):
    talk.ok("kata-time_settings fischer-capped 60 10 65 20")
    assert (clock(talk).control.max_remaining_s, clock(talk).control.max_move_s) == (65, 20)
    clock(talk).spend(1)
    assert clock(talk).remaining_s == 65
    talk.ok("time_left b 7 0")
    talk.ok("clear_board")
    assert clock(talk) == clock(talk, WHITE), "a new game"
    assert (clock(talk).remaining_s, clock(talk).control.max_remaining_s) == (60, 65)
    talk.ok("kata-time_settings fischer-capped 60 10 -1 -1")
    clock(talk).spend(1)
    assert clock(talk).remaining_s == 69


def test_lists_time_systems_for_ogs(talk):
    assert "fischer-capped" in talk.ok("kata-list_time_settings").split()


@pytest.mark.parametrize("text", ["1e308", "99999999999"])
@pytest.mark.parametrize(
    "line",
    [
        "time_settings {} 0 0",
        "time_settings 0 {} 1",
        "kgs-time_settings byoyomi 0 {} 1",
        "kata-time_settings fischer {} 0",
        "time_left b {} 0",
    ],
)
def test_absurd_clocks_mean_no_time_limit(talk, line, text):
    talk.ok(line.format(text))
    assert clock(talk).control.is_unlimited
