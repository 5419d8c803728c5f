"""Ten thousand random lines get the right number of responses."""

import collections
import contextlib
import json
import random

from json_helpers import Recorder, finals

from tengen.bench.selfcheck.json_lines import random_query, responses_due

LINES = 10_000
SEED = 20260102


def answers(responses):
    """Return the number of responses, without warnings and partial results."""
    return sum("warning" not in r and not r.get("isDuringSearch") for r in responses)


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
        line = random_query(rng, number)
        before = len(recorder.responses)
        recorder.server.handle(line)
        wanted += responses_due(line, recorder.responses[before:])
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
