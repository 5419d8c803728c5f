"""An analysis server without a pipe."""

import collections
import json

from tengen.engine import EngineSettings, create_engine
from tengen.protocols.analysis import QueryDefaults
from tengen.protocols.analysis.server import AnalysisServer

QUICK = ["threads=1", "seed=7", "memory_mib=1", "subtree_reuse=no"]


class Recorder:
    """Takes queries and collects responses; `close` waits for the last."""

    def __init__(self, *words, make_engine=create_engine, **defaults):
        self.responses = []
        settings = EngineSettings().with_overrides([*QUICK, *words])
        self.server = AnalysisServer(
            settings, QueryDefaults(**defaults), self.responses.append, make_engine
        )
        self.server.start()

    def ask(self, **fields):
        self.server.handle(json.dumps(fields))

    def close(self):
        self.server.pool.finish()
        return self.responses


def make_query(query_id="q", **fields):
    """Return the fields of a query on a small board."""
    usual = {
        "id": query_id,
        "moves": [],
        "rules": "chinese",
        "boardXSize": 5,
        "boardYSize": 5,
        "maxVisits": 20,
    }
    return {**usual, **fields}


def finals(responses):
    """Return the number of final responses of each id and turn."""
    return collections.Counter(
        (response["id"], response["turnNumber"])
        for response in responses
        if "turnNumber" in response and not response.get("isDuringSearch")
    )
