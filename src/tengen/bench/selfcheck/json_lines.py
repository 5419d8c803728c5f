"""Check of the JSON analysis protocol: random lines get the right number of responses."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from tengen.bench.selfcheck.check import Batch
from tengen.engine import EngineSettings, create_engine
from tengen.protocols.analysis import AnalysisServer, QueryDefaults
from tengen.util import Json

VALUES: list[Any] = [
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
    "id",
    "moves",
    "rules",
    "boardXSize",
    "boardYSize",
    "maxVisits",
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
ACTIONS = ["terminate", "terminate_all", "query_version", "query_models", "dance"]
LINES_PER_BATCH = 200
OVERRIDES = ["net=none", "threads=1", "seed=7", "memory_mib=1", "subtree_reuse=no"]


def random_query(rng: random.Random, number: int) -> str:
    """Return a query with odd fields, an action, or random text."""
    kind = rng.random()
    if kind < 0.1:
        return "".join(chr(rng.randrange(1, 0x3000)) for _ in range(8)).replace("\n", " ")
    fields: Json = {"id": f"{number}", "moves": [], "rules": "chinese", "maxVisits": 1}
    fields |= {"boardXSize": 3, "boardYSize": 3}
    if kind < 0.2:
        meant = str(rng.randrange(max(number, 1)))
        fields = {"id": f"{number}", "action": rng.choice(ACTIONS), "terminateId": meant}
    for name in rng.sample(FIELDS, rng.choice([0, 0, 1, 1, 2, 3])):
        fields[name] = copy.deepcopy(rng.choice(VALUES))
    if rng.random() < 0.1:
        del fields[rng.choice(sorted(fields))]
    line = json.dumps(fields)
    if rng.random() < 0.05:
        cut = rng.randrange(len(line))
        line = line[:cut] + rng.choice(['"', "", "{", "\\", "]"]) + line[cut + 1 :]
    return line


def responses_due(line: str, immediate: list[Json]) -> int:
    """Return the number of responses due to a line, given those that came at once."""
    if not line.strip():
        return 0
    if any("error" in response and "turnNumber" not in response for response in immediate):
        return 1
    fields = json.loads(line)
    if "action" in fields:
        return 1
    return len(set(fields.get("analyzeTurns") or [len(fields["moves"])]))


def json_lines(rng: random.Random) -> Iterator[Batch]:
    """Send random lines to a server; count and check the responses of each batch."""
    settings = EngineSettings().with_overrides(OVERRIDES)
    while True:
        responses: list[Json] = []
        server = AnalysisServer(
            settings, QueryDefaults(visits=1, positions=2), responses.append, create_engine
        )
        server.start()
        due = 0
        for number in range(LINES_PER_BATCH):
            due += _send(server.handle, random_query(rng, number), responses)
        server.pool.finish()
        yield Batch(LINES_PER_BATCH, tuple(_problems(responses, due)))


def _send(handle: Callable[[str], None], line: str, responses: list[Json]) -> int:
    before = len(responses)
    handle(line)
    return responses_due(line, responses[before:])


def _problems(responses: list[Json], due: int) -> Iterator[str]:
    final = [r for r in responses if "warning" not in r and not r.get("isDuringSearch")]
    if len(final) != due:
        yield f"{len(final)} responses, {due} due"
    for response in responses:
        if "internal error" in str(response.get("error", "")):
            yield f"{response}"
        try:
            json.dumps(response, allow_nan=False)
        except ValueError as error:
            yield f"{error}: {response}"
