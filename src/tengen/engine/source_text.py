"""Knowledge sources as one word: `lines@14,before=20` or `my_ideas.py:corner_lover@50,depth=2`.

The part before `@` is a compiled source or FILE.py:NAME; after it come the equivalent visits, and
the limits: before which move, and down to which depth of the tree (the root is 0). A compiled
source may have parameters of its own, which follow in the same way.
"""

from tengen.core.errors import TengenError
from tengen.knowledge.catalogue import compiled_source
from tengen.knowledge.compiled import CompiledSource
from tengen.knowledge.source import ALWAYS, PythonSource, load_source

USUAL_VISITS = 20.0


def parse_source(
    text: str, visits: float = USUAL_VISITS, before: int = ALWAYS, depth: int = ALWAYS
) -> PythonSource | CompiledSource:
    """Return the source that a word names, with these where it says nothing; raise TengenError."""
    at = text.find("@", text.rfind(".py:") + 1)  # a folder may have one in its name
    name, tail = (text[:at], text[at + 1 :]) if at >= 0 else (text, "")
    weight, *words = tail.split(",")
    visits = _number(weight, "equivalent visits") if weight else visits
    values = dict(_parameter(word) for word in words)
    before, depth = _limit(values, "before", before), _limit(values, "depth", depth)
    if ":" not in name:
        return compiled_source(name, visits, before, depth, values)
    if values:
        raise TengenError(f"unknown limit {min(values)!r} of a source: before=MOVE or depth=N")
    return load_source(name, visits, before, depth)


def _parameter(word: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not equals:
        raise TengenError(f"write what a source gets as name=value, not {word!r}")
    return key, value


def _limit(values: dict[str, str], key: str, usual: int) -> int:
    """Take a limit out of what a source gets."""
    return int(_number(values.pop(key), key)) if key in values else usual


def _number(text: str, meaning: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise TengenError(f"{meaning} wants a number from 0 up, not {text!r}")
    return value
