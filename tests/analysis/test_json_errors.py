"""What is wrong with a question is told with its field and id, and nothing else happens."""

import json

import pytest
from json_helpers import Desk, question

from tengen import __version__


class Idle:
    """An engine that must not be asked."""

    def __init__(self, settings):
        self.settings = settings

    def analyse(self, *arguments):
        raise AssertionError("nothing to analyse")


@pytest.fixture(scope="module")
def desk():
    return Desk(make_engine=Idle)


def told(desk, line):
    """Return the only reply to a line."""
    before = len(desk.replies)
    desk.analyst.hear(line)
    (reply,) = desk.replies[before:]
    return reply


@pytest.mark.parametrize(
    "line", ["nonsense", "{", "[1, 2]", '"text"', "7", "[" * 100_000, "1" * 10_000, '{"id": NaN']
)
def test_lines_that_are_no_objects(desk, line):
    reply = told(desk, line)
    assert set(reply) == {"error"}


@pytest.mark.parametrize("line", ["", "  ", "\r\n", "\t"])
def test_blank_lines_get_no_reply(desk, line):
    before = len(desk.replies)
    desk.analyst.hear(line)
    assert len(desk.replies) == before


@pytest.mark.parametrize("value", [None, 7, [], {}, True])
def test_the_id_is_a_text(desk, value):
    assert told(desk, json.dumps({**question(), "id": value}))["field"] == "id"


@pytest.mark.parametrize("name", ["moves", "rules", "boardXSize", "boardYSize"])
def test_fields_that_must_be_there(desk, name):
    fields = question()
    del fields[name]
    reply = told(desk, json.dumps(fields))
    assert (reply["field"], reply["id"]) == (name, "q")
    assert name in reply["error"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("moves", "B D4"),
        ("moves", [["B"]]),
        ("moves", [["B", "D4", "E5"]]),
        ("moves", [["X", "C3"]]),
        ("moves", [["B", "Z9"]]),
        ("moves", [["B", 7]]),
        ("moves", [["B", "(9,9)"]]),
        ("moves", [["B", "C3"], ["W", "C3"]]),
        ("moves", [[None, None]]),
        ("initialStones", [["B", "pass"]]),
        ("initialStones", [["B", "A1"], ["W", "A2"], ["W", "B1"]]),
        ("initialStones", {"B": "A1"}),
        ("initialStones", [["B", "D4"], ["W", "D4"]]),
        ("initialPlayer", "grey"),
        ("initialPlayer", 1),
        ("rules", "bridge"),
        ("rules", 7),
        ("rules", {"ko": "NEVER"}),
        ("rules", {"scoring": []}),
        ("rules", "{"),
        ("rules", '{"ko":' * 100_000),
        ("komi", "much"),
        ("komi", 6.3),
        ("komi", 1e9),
        ("komi", 10**401),
        ("komi", float("nan")),
        ("komi", float("inf")),
        ("komi", True),
        ("whiteHandicapBonus", "N-2"),
        ("boardXSize", 0),
        ("boardXSize", 20),
        ("boardXSize", 5.5),
        ("boardYSize", "5"),
        ("boardYSize", 10**400),
        ("analyzeTurns", [1]),
        ("analyzeTurns", [-1]),
        ("analyzeTurns", ["0"]),
        ("analyzeTurns", [[]]),
        ("analyzeTurns", 0),
        ("maxVisits", 0),
        ("maxVisits", -1),
        ("maxVisits", "many"),
        ("maxVisits", 2.5),
        ("includeOwnership", "yes"),
        ("includePolicy", 1),
        ("reportDuringSearchEvery", 0),
        ("reportDuringSearchEvery", "often"),
        ("priority", "high"),
        ("priority", 1e300),
        ("priorities", [1]),
        ("avoidMoves", ["C3"]),
        ("avoidMoves", [{"moves": ["C3"]}]),
        ("avoidMoves", [{"player": "B", "moves": "C3"}]),
        ("allowMoves", [{"player": "B", "moves": ["Z9"]}]),
        ("allowMoves", [{"player": "B", "moves": ["C3"], "untilDepth": 0}]),
        ("overrideSettings", []),
        ("overrideSettings", {"maxTime": -1}),
        ("overrideSettings", {"maxTime": "long"}),
        ("overrideSettings", {"reportAnalysisWinratesAs": "GREY"}),
        ("overrideSettings", {"cpuctExploration": "x"}),
        ("overrideSettings", {"search.nonsense": 1}),
    ],
)
def test_fields_that_make_no_sense(desk, name, value):
    reply = told(desk, json.dumps(question(**{name: value})))
    assert (reply["field"], reply["id"]) == (name, "q")
    assert reply["error"]
    assert "\n" not in reply["error"]


def test_what_nobody_foresaw_is_told_and_the_rest_goes_on(desk, monkeypatch, capsys):
    def fail(*arguments):
        raise ZeroDivisionError("no idea")

    monkeypatch.setattr("tengen.analysis.analyst.read_query", fail)
    reply = told(desk, json.dumps(question()))
    assert (reply["id"], reply["error"]) == ("q", "internal error: ZeroDivisionError('no idea')")
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_an_illegal_move_is_called_that(desk):
    """KaTrain looks for the words."""
    moves = [["B", "C3"], ["W", "C3"]]
    reply = told(desk, json.dumps(question(moves=moves)))
    assert reply["error"] == "Illegal move 2: W C3"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"action": "dance"}, "action"),
        ({"action": 7}, "action"),
        ({"action": "terminate"}, "terminateId"),
        ({"action": "terminate", "terminateId": 7}, "terminateId"),
        ({"action": "terminate", "terminateId": "x", "turnNumbers": 1}, "turnNumbers"),
        ({"action": "terminate_all", "turnNumbers": ["x"]}, "turnNumbers"),
    ],
)
def test_actions_that_make_no_sense(desk, fields, field):
    assert told(desk, json.dumps({"id": "a", **fields}))["field"] == field


def test_actions_are_echoed(desk):
    version = told(desk, '{"id": "v", "action": "query_version", "mine": [1]}')
    assert version["version"] == __version__
    assert (version["id"], version["action"], version["mine"]) == ("v", "query_version", [1])
    ended = {"id": "t", "action": "terminate", "terminateId": "nobody"}
    assert told(desk, json.dumps(ended)) == ended
    assert told(desk, '{"id": "m", "action": "query_models"}')["models"] == []


def test_what_has_no_effect_is_warned_about():
    desk = Desk()
    settings = {"rootNoiseEnabled": True, "maxTime": 9, "nonsense": 1}
    desk.ask(**question(overrideSettings=settings, rootPolicyTemperature=1.1, mine=2))
    *warnings, last = desk.close()
    assert [(reply["field"], reply["id"]) for reply in warnings] == [
        ("overrideSettings", "q"),
        ("overrideSettings", "q"),
        ("rootPolicyTemperature", "q"),
        ("mine", "q"),
    ]
    assert "rootNoiseEnabled" in warnings[0]["warning"]
    assert last["rootInfo"]["visits"] == 20


@pytest.mark.parametrize(
    ("name", "near"), [("stone_scoring", "new-zealand"), ("aga-button", "aga")]
)
def test_rules_that_are_not_played_become_the_nearest(name, near):
    desk = Desk()
    desk.ask(**question(rules=name))
    warning, last = desk.close()
    assert warning["warning"] == f"{name} is not played here: taken as {near}"
    assert warning["field"] == "rules"
    assert last["rootInfo"]["visits"] == 20


def test_settings_of_the_whole_program_are_warned_about():
    desk = Desk(make_engine=Idle)
    settings = {"numSearchThreads": 2, "numAnalysisThreads": 3, "rules": "japanese"}
    desk.ask(**question(overrideSettings=settings))
    told_of = [reply["warning"] for reply in desk.close() if "warning" in reply]
    assert sorted(text.split()[0] for text in told_of) == sorted(settings)
    assert all("no effect" in text for text in told_of)
