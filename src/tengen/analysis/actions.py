"""Questions that are none about a position: actions, each echoed back when it is done."""

import hashlib
from typing import TYPE_CHECKING, Any

from tengen import __version__
from tengen.analysis.fields import FieldError, Fields, whole
from tengen.analysis.job import Job
from tengen.analysis.query import LARGEST
from tengen.engine.net import NONE, net_path

if TYPE_CHECKING:
    from tengen.analysis.analyst import Analyst

DIGEST = 12
"""Letters of a net's digest: enough to tell two nets of one name apart."""
Added = dict[str, Any]
"""What an action adds to its echo."""


def act(analyst: "Analyst", given: dict[str, Any]) -> None:
    """Do an action and echo it; raise FieldError for one that makes no sense."""
    name = given["action"]
    if not isinstance(name, str) or name not in ACTIONS:
        raise FieldError("action", f"unknown action: there are {', '.join(ACTIONS)}")
    analyst.send({**given, **ACTIONS[name](analyst, Fields(given))})


def query_version(analyst: "Analyst", fields: Fields) -> Added:
    """Tell who answers."""
    return {"version": __version__, "git_hash": "<omitted>", "engine": "Tengen"}


def query_models(analyst: "Analyst", fields: Fields) -> Added:
    """Tell which net is used: as it was asked for, and the file with a digest of what is in it."""
    net = analyst.settings.play.net
    if net == NONE:
        return {"models": []}
    path = net_path(net)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:DIGEST]
    return {"models": [{"name": net, "internalName": f"{path.name} {digest}"}]}


def clear_cache(analyst: "Analyst", fields: Fields) -> Added:
    """Forget everything."""
    analyst.pool.forget()
    return {}


def terminate(analyst: "Analyst", fields: Fields) -> Added:
    """End a question, or some turns of it."""
    meant = fields.text("terminateId")
    turns = _turns(fields)

    def is_meant(job: Job) -> bool:
        return job.query.id == meant and (turns is None or job.turn in turns)

    analyst.pool.terminate(is_meant)
    return {}


def terminate_all(analyst: "Analyst", fields: Fields) -> Added:
    """End all questions, or some turns of each."""
    turns = _turns(fields)
    analyst.pool.terminate(lambda job: turns is None or job.turn in turns)
    return {}


def _turns(fields: Fields) -> set[int] | None:
    name = "turnNumbers"
    if fields.take(name) is None:
        return None
    return {whole(name, turn, -LARGEST, LARGEST) for turn in fields.items(name)}


ACTIONS = {
    "query_version": query_version,
    "query_models": query_models,
    "clear_cache": clear_cache,
    "terminate": terminate,
    "terminate_all": terminate_all,
}
"""Each returns what it adds to its echo."""
