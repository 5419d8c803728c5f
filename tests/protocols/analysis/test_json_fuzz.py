"""Ten thousand random lines get the right number of responses."""

import collections
import contextlib
import copy
import json
import random

from json_helpers import Recorder, finals, make_query

LINES = 10_000
SEED = 20260102
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7.5,
    1e300,
    -0.0,
    10**30,
    "",
    "B",
    "w",
    "pass",
    "C3",
    "(0,0)",
    "(99,1)",
    "chinese",
    "japanese",
    "囲碁",
    "\ud800",
    [],
    [0],
    [0, 1, 0],
    ["C3"],
    [["B", "C3"]],
    [["B", "A1"], ["W", "B1"], ["B", "pass"]],
    [["B", "A1"], ["W", "A1"]],
    {},
    {"ko": "SIMPLE"},
    {"maxTime": 0.01},
    {"maxVisits": 2, "wideRootNoise": 1},
    [{"player": "B", "moves": ["C3", "pass"], "untilDepth": 1}],
    [{"player": "W", "moves": []}],
]
FIELDS = [
    *make_query(),
    "analyzeTurns",
    "komi",
    "initialStones",
    "initialPlayer",
    "priority",
    "priorities",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "reportDuringSearchEvery",
    "includeOwnership",
    "includeMovesOwnership",
    "includePolicy",
    "includePVVisits",
    "whiteHandicapBonus",
    "action",
    "terminateId",
    "turnNumbers",
    "what",
]
ACTIONS = ["terminate", "terminate_all", "clear_cache", "query_version", "query_models", "dance"]


def random_line(rng, number):
    """Return a query with odd fields, an action, or random text."""
    kind = rng.random()
    if kind < 0.1:
        return "".join(chr(rng.randrange(1, 0x3000)) for _ in "12345678").replace("\n", " ")
    fields = make_query(f"{number}", boardXSize=3, boardYSize=3, maxVisits=1)
    if kind < 0.2:
        meant = str(rng.randrange(max(number, 1)))
        # A new engine for every query would make the test slow.
        action = rng.choice([name for name in ACTIONS if name != "clear_cache"])
        fields = {"id": f"{number}", "action": action, "terminateId": meant}
    for name in rng.sample(FIELDS, rng.choice([0, 0, 1, 1, 2, 3])):
        fields[name] = copy.deepcopy(rng.choice(VALUES))
    if rng.random() < 0.1:
        del fields[rng.choice(sorted(fields))]
    line = json.dumps(fields)
    if rng.random() < 0.05:
        cut = rng.randrange(len(line))
        line = line[:cut] + rng.choice(['"', "", "{", "\\", "]"]) + line[cut + 1 :]
    return line


def answers(responses):
    """Return the number of responses, without warnings and partial results."""
    return sum("warning" not in r and not r.get("isDuringSearch") for r in responses)


def expected(line, responses):
    """Return the expected number of responses to a line, given the immediate ones."""
    immediate = [
        response for response in responses if "error" in response and "turnNumber" not in response
    ]
    if not line.strip():
        return 0
    if immediate:
        assert len(immediate) == 1, line
        return 1
    given = json.loads(line)
    if "action" in given:
        return 1
    turns = given.get("analyzeTurns") or [len(given["moves"])]
    return len(set(turns))


def id_of(line):
    """Return the id of a query, if it has one."""
    with contextlib.suppress(ValueError, TypeError, KeyError):
        return str(json.loads(line)["id"])
    return None


def test_random_lines_get_the_right_number_of_responses():
    rng = random.Random(SEED)
    recorder = Recorder(visits=1, positions=2)
    wanted = 0
    ids = collections.Counter()
    for number in range(LINES):
        line = random_line(rng, number)
        before = len(recorder.responses)
        recorder.server.handle(line)
        wanted += expected(line, recorder.responses[before:])
        ids[id_of(line)] += 1
    responses = recorder.close()
    assert wanted > LINES / 2
    assert answers(responses) == wanted
    assert not [response for response in responses if "internal error" in response.get("error", "")]
    ended = {key: count for key, count in finals(responses).items() if ids[key[0]] == 1}
    assert len(ended) > LINES / 4
    assert set(ended.values()) == {1}, "each query and turn once"
    for response in responses:
        json.dumps(response, allow_nan=False)
