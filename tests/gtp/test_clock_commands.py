"""GTP's clocks: set, told, refused."""

import pytest
from gtp_helpers import Talk

from tengen.board.colour import BLACK, WHITE
from tengen.engine.clock import ClockKind
from tengen.gtp.session import Session


@pytest.fixture
def talk():
    return Talk()


def clock(talk, colour=BLACK):
    return talk.session.clocks[colour]


def test_the_engine_is_there_before_the_clock_runs():
    made = []
    session = Session(make_engine=lambda: made.append(1))
    session.handle("boardsize 9")
    assert made == []
    session.handle("time_settings 0 1 1")
    assert made == [1]


def test_a_negative_number_of_stones_is_no_overtime(talk):
    talk.ok("time_settings 300 30 5")
    talk.ok("time_left b 30 -1")
    assert clock(talk).stones_left == 0


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("time_settings 60 0 0", ClockKind.ABSOLUTE),
        ("time_settings 60 10 0", ClockKind.NONE),
        ("time_settings 60 10 5", ClockKind.CANADIAN),
        ("time_settings 0 10 5", ClockKind.CANADIAN),
        ("kgs-time_settings none", ClockKind.NONE),
        ("kgs-time_settings absolute 60", ClockKind.ABSOLUTE),
        ("kgs-time_settings canadian 60 10 5", ClockKind.CANADIAN),
        ("kgs-time_settings byoyomi 60 10 5", ClockKind.BYOYOMI),
        ("kata-time_settings byoyomi 60 10 5", ClockKind.BYOYOMI),
        ("kata-time_settings fischer 60 10", ClockKind.FISCHER),
        ("kata-time_settings fischer-capped 60 10 120 -1", ClockKind.FISCHER),
    ],
)
def test_clocks_are_set(talk, line, kind):
    talk.ok(line)
    assert clock(talk).kind is kind
    assert clock(talk, WHITE) == clock(talk)


def test_a_clock_without_main_time_begins_in_overtime(talk):
    talk.ok("time_settings 0 10 5")
    assert (clock(talk).left_s, clock(talk).stones_left) == (10, 5)


def test_time_left_is_told(talk):
    talk.ok("time_settings 60 10 5")
    talk.ok("time_left b 7.5 3")
    assert (clock(talk).left_s, clock(talk).stones_left) == (7.5, 3)
    assert clock(talk, WHITE).left_s == 60
    talk.ok("clear_board")
    assert (clock(talk).left_s, clock(talk).stones_left) == (60, 0), "a new game"


def test_time_left_alone_is_a_clock_too(talk):
    """A game after it must not begin with nothing on the clock."""
    talk.ok("time_left b 300 0")
    assert clock(talk).left_s == 300
    talk.ok("clear_board")
    assert clock(talk).left_s == 300


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
def test_bad_clocks(talk, line):
    assert talk.fails(line)


def test_a_capped_clock_keeps_to_its_caps(talk):
    talk.ok("kata-time_settings fischer-capped 60 10 65 20")
    assert (clock(talk).most_left_s, clock(talk).most_a_move_s) == (65, 20)
    assert clock(talk).after_move(1).left_s == 65
    talk.ok("time_left b 7 0")
    talk.ok("clear_board")
    assert clock(talk) == clock(talk, WHITE), "a new game"
    assert (clock(talk).left_s, clock(talk).most_left_s) == (60, 65)
    talk.ok("kata-time_settings fischer-capped 60 10 -1 -1")
    assert clock(talk).after_move(1).left_s == 69


def test_ogs_finds_its_clock(talk):
    assert "fischer-capped" in talk.ok("kata-list_time_settings").split()
