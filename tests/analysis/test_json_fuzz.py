"""Ten thousand lines that no tool should send: each gets its answers, no more and no fewer."""

import collections
import contextlib
import copy
import json
import random

from json_helpers import Desk, finals, question

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
    *question(),
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
    """Return a question with odd fields, an action, or what is no object at all."""
    kind = rng.random()
    if kind < 0.1:
        return "".join(chr(rng.randrange(1, 0x3000)) for _ in "12345678").replace("\n", " ")
    fields = question(f"{number}", boardXSize=3, boardYSize=3, maxVisits=1)
    if kind < 0.2:
        meant = str(rng.randrange(max(number, 1)))
        # An engine made anew for every question would take the test's time.
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


def answers(replies):
    """Return how many answers there are, warnings and partial results aside."""
    return sum("warning" not in r and not r.get("isDuringSearch") for r in replies)


def expected(line, replies):
    """Return how many answers a line must have, given what was told at once."""
    told = [reply for reply in replies if "error" in reply and "turnNumber" not in reply]
    if not line.strip():
        return 0
    if told:
        assert len(told) == 1, line
        return 1
    given = json.loads(line)
    if "action" in given:
        return 1
    turns = given.get("analyzeTurns") or [len(given["moves"])]
    return len(set(turns))


def id_of(line):
    """Return the id of a question, if it has one; a damaged line may have another's."""
    with contextlib.suppress(ValueError, TypeError, KeyError):
        return str(json.loads(line)["id"])
    return None


def test_ten_thousand_lines():
    rng = random.Random(SEED)
    desk = Desk(visits=1, positions=2)
    wanted = 0
    ids = collections.Counter()
    for number in range(LINES):
        line = random_line(rng, number)
        before = len(desk.replies)
        desk.analyst.hear(line)
        wanted += expected(line, desk.replies[before:])
        ids[id_of(line)] += 1
    replies = desk.close()
    assert wanted > LINES / 2
    assert answers(replies) == wanted
    assert not [reply for reply in replies if "internal error" in reply.get("error", "")]
    ended = {key: count for key, count in finals(replies).items() if ids[key[0]] == 1}
    assert len(ended) > LINES / 4
    assert set(ended.values()) == {1}, "each question and turn once"
    for reply in replies:
        json.dumps(reply, allow_nan=False)
