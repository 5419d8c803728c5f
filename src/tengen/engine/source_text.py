"""Knowledge sources as one word: `lines@14,before=20` or `my_ideas.py:corner_lover@50,depth=2`.

The part before `@` is a built-in source or FILE.py:NAME; after it come the equivalent visits, and
the limits: before which move, and down to which depth of the tree (the root is 0).
"""

from tengen.core.errors import TengenError
from tengen.knowledge.builtin import BuiltinSource
from tengen.knowledge.source import ALWAYS, PythonSource, load_source

USUAL_VISITS = 20.0


def parse_source(text: str) -> PythonSource | BuiltinSource:
    """Return the source that a word names; raise TengenError."""
    name, _, tail = text.partition("@")
    weight, *limits = tail.split(",") if tail else [""]
    visits = _number(weight, "equivalent visits") if weight else USUAL_VISITS
    known = {"before": ALWAYS, "depth": ALWAYS}
    for limit in limits:
        key, equals, value = limit.partition("=")
        if not equals or key not in known:
            raise TengenError(f"unknown limit {limit!r} of a source: before=MOVE or depth=N")
        known[key] = int(_number(value, key))
    if ":" in name:
        return load_source(name, visits, known["before"], known["depth"])
    return BuiltinSource(name, visits, known["before"], known["depth"])


def _number(text: str, meaning: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise TengenError(f"{meaning} wants a number from 0 up, not {text!r}")
    return value
