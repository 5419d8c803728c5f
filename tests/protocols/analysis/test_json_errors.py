"""Errors name the field and id of the query and have no side effects."""

import json

import pytest
from json_helpers import Recorder, make_query

from tengen import __version__


class Idle:
    """An engine that must not be used."""

    def __init__(self, settings):
        self.settings = settings

    def analyze(self, *arguments):
        raise AssertionError("nothing to analyze")


@pytest.fixture(scope="module")
def recorder():
    return Recorder(make_engine=Idle)


def response_to(recorder, line):
    """Return the only response to a line."""
    before = len(recorder.responses)
    recorder.server.handle(line)
    (response,) = recorder.responses[before:]
    return response


@pytest.mark.parametrize(
    "line", ["nonsense", "{", "[1, 2]", '"text"', "7", "[" * 100_000, "1" * 10_000, '{"id": NaN']
)
def test_rejects_lines_that_are_not_objects(recorder, line):
    response = response_to(recorder, line)
    assert set(response) == {"error"}


@pytest.mark.parametrize("line", ["", "  ", "\r\n", "\t"])
def test_blank_lines_get_no_reply(recorder, line):
    before = len(recorder.responses)
    recorder.server.handle(line)
    assert len(recorder.responses) == before


@pytest.mark.parametrize("value", [None, 7, [], {}, True])
def test_id_must_be_a_string(recorder, value):
    assert response_to(recorder, json.dumps({**make_query(), "id": value}))["field"] == "id"


@pytest.mark.parametrize("name", ["moves", "rules", "boardXSize", "boardYSize"])
def test_reports_missing_fields(recorder, name):
    fields = make_query()
    del fields[name]
    response = response_to(recorder, json.dumps(fields))
    assert (response["field"], response["id"]) == (name, "q")
    assert name in response["error"]


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
        ("initialPlayer", "gray"),
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
        ("overrideSettings", {"reportAnalysisWinratesAs": "GRAY"}),
        ("overrideSettings", {"cpuctExploration": "x"}),
        ("overrideSettings", {"search.nonsense": 1}),
    ],
)
def test_reports_invalid_fields(recorder, name, value):
    response = response_to(recorder, json.dumps(make_query(**{name: value})))
    assert (response["field"], response["id"]) == (name, "q")
    assert response["error"]
    assert "\n" not in response["error"]


def test_reports_internal_errors(recorder, monkeypatch, capsys):
    def fail(*arguments):
        raise ZeroDivisionError("no idea")

    monkeypatch.setattr("tengen.protocols.analysis.server.read_query", fail)
    response = response_to(recorder, json.dumps(make_query()))
    assert (response["id"], response["error"]) == (
        "q",
        "internal error: ZeroDivisionError('no idea')",
    )
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_reports_illegal_moves_as_katrain_expects(recorder):
    """KaTrain searches for this text."""
    moves = [["B", "C3"], ["W", "C3"]]
    response = response_to(recorder, json.dumps(make_query(moves=moves)))
    assert response["error"] == "Illegal move 2: W C3"


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
def test_reports_invalid_actions(recorder, fields, field):
    assert response_to(recorder, json.dumps({"id": "a", **fields}))["field"] == field


def test_actions_are_echoed(recorder):
    version = response_to(recorder, '{"id": "v", "action": "query_version", "mine": [1]}')
    assert version["version"] == __version__
    assert (version["id"], version["action"], version["mine"]) == ("v", "query_version", [1])
    ended = {"id": "t", "action": "terminate", "terminateId": "nobody"}
    assert response_to(recorder, json.dumps(ended)) == ended
    assert response_to(recorder, '{"id": "m", "action": "query_models"}')["models"] == []


def test_warns_about_fields_without_effect():
    recorder = Recorder()
    settings = {"rootNoiseEnabled": True, "maxTime": 9, "nonsense": 1}
    recorder.ask(**make_query(overrideSettings=settings, rootPolicyTemperature=1.1, mine=2))
    *warnings, last = recorder.close()
    assert [(response["field"], response["id"]) for response in warnings] == [
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
def test_substitutes_unsupported_rules(name, near):
    recorder = Recorder()
    recorder.ask(**make_query(rules=name))
    warning, last = recorder.close()
    assert warning["warning"] == f"{name} is not supported: using {near}"
    assert warning["field"] == "rules"
    assert last["rootInfo"]["visits"] == 20


def test_warns_about_global_settings():
    recorder = Recorder(make_engine=Idle)
    settings = {"numSearchThreads": 2, "numAnalysisThreads": 3, "rules": "japanese"}
    recorder.ask(**make_query(overrideSettings=settings))
    told_of = [response["warning"] for response in recorder.close() if "warning" in response]
    assert sorted(text.split()[0] for text in told_of) == sorted(settings)
    assert all("no effect" in text for text in told_of)
