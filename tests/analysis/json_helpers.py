"""An analyst without a pipe, and what its replies must be like."""

import collections
import json

from tengen.analysis.analyst import Analyst, Defaults
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings

QUICK = ["threads=1", "seed=7", "memory_mib=1", "reuse=no"]


class Desk:
    """Takes questions and keeps the replies; `close` waits for the last of them."""

    def __init__(self, *words, make_engine=Engine, **defaults):
        self.replies = []
        settings = EngineSettings().with_words([*QUICK, *words])
        self.analyst = Analyst(settings, Defaults(**defaults), self.replies.append, make_engine)
        self.analyst.start()

    def ask(self, **fields):
        self.analyst.hear(json.dumps(fields))

    def close(self):
        self.analyst.pool.finish()
        return self.replies


def question(query_id="q", **fields):
    """Return the fields of a question about a small board."""
    usual = {
        "id": query_id,
        "moves": [],
        "rules": "chinese",
        "boardXSize": 5,
        "boardYSize": 5,
        "maxVisits": 20,
    }
    return {**usual, **fields}


def finals(replies):
    """Return how many final replies each id and turn has."""
    return collections.Counter(
        (reply["id"], reply["turnNumber"])
        for reply in replies
        if "turnNumber" in reply and not reply.get("isDuringSearch")
    )
