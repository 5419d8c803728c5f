"""Small things about words."""

import difflib
from collections.abc import Iterable


def sentence(text: str) -> str:
    """Return a help text as a sentence; names in it keep their capitals."""
    closed = text if text.endswith((".", "?")) else f"{text}."
    return f"{closed[0].upper()}{closed[1:]}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'playouts'?` for a slip of the pen, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


def counted(number: int, noun: str) -> str:
    """Return `1 game` or `2 games`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
