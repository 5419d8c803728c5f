"""GTP time commands."""

import pytest
from gtp_helpers import SessionClient

from tengen.board import BLACK, WHITE
from tengen.engine import TimeSystem
from tengen.protocols.gtp import Session


@pytest.fixture
def client():
    return SessionClient()


def clock(client, color=BLACK):
    return client.session.clocks[color]


def test_time_settings_create_the_engine():
    made = []
    session = Session(make_engine=lambda settings: made.append(1))
    session.handle("boardsize 9")
    assert made == []
    session.handle("time_settings 0 1 1")
    assert made == [1]


def test_negative_stones_mean_no_overtime(client):
    client.ok("time_settings 300 30 5")
    client.ok("time_left b 30 -1")
    assert clock(client).overtime_left == 0


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
def test_sets_clocks(client, line, kind):
    client.ok(line)
    assert clock(client).system is kind
    assert clock(client, WHITE) == clock(client)


def test_clock_without_main_time_starts_in_overtime(client):
    client.ok("time_settings 0 10 5")
    assert (clock(client).remaining_s, clock(client).overtime_left) == (10, 5)


def test_time_left(client):
    client.ok("time_settings 60 10 5")
    client.ok("time_left b 7.5 3")
    assert (clock(client).remaining_s, clock(client).overtime_left) == (7.5, 3)
    assert clock(client, WHITE).remaining_s == 60
    client.ok("clear_board")
    assert (clock(client).remaining_s, clock(client).overtime_left) == (60, 0), "a new game"


def test_time_left_without_time_settings(client):
    """The next game must not start with an empty clock."""
    client.ok("time_left b 300 0")
    assert clock(client).remaining_s == 300
    client.ok("clear_board")
    assert clock(client).remaining_s == 300


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
def test_rejects_invalid_clocks(client, line):
    assert client.fails(line)


def test_capped_fischer_clock(client):
    client.ok("kata-time_settings fischer-capped 60 10 65 20")
    assert (clock(client).control.max_remaining_s, clock(client).control.max_move_s) == (65, 20)
    clock(client).spend(1)
    assert clock(client).remaining_s == 65
    client.ok("time_left b 7 0")
    client.ok("clear_board")
    assert clock(client) == clock(client, WHITE), "a new game"
    assert (clock(client).remaining_s, clock(client).control.max_remaining_s) == (60, 65)
    client.ok("kata-time_settings fischer-capped 60 10 -1 -1")
    clock(client).spend(1)
    assert clock(client).remaining_s == 69


def test_lists_time_systems_for_ogs(client):
    assert "fischer-capped" in client.ok("kata-list_time_settings").split()


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
def test_absurd_clocks_mean_no_time_limit(client, line, text):
    client.ok(line.format(text))
    assert clock(client).control.is_unlimited
