"""Helpers for messages: sentences, plurals, suggestions and differences."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any


def sentence(text: str) -> str:
    """Return a help text with a capital first letter and a final full stop."""
    closed = text if text.endswith((".", "?")) else f"{text}."
    return f"{closed[0].upper()}{closed[1:]}"


def plural(number: int, noun: str) -> str:
    """Return `1 game` or `2 games`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'playouts'?` for a misspelled word, or an empty string."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f"; did you mean {matches[0]!r}?" if matches else ""


def first_difference(stored: Any, wanted: Any, name: str = "settings") -> str:
    """Describe the first difference between two JSON values, for example `komi: 7.5, not 6.5`."""
    if isinstance(stored, Mapping) and isinstance(wanted, Mapping):
        for key in dict.fromkeys([*wanted, *stored]):
            if stored.get(key) != wanted.get(key):
                return first_difference(stored.get(key), wanted.get(key), key)
    if isinstance(stored, list) and isinstance(wanted, list) and len(stored) == len(wanted):
        for one, other in zip(stored, wanted, strict=True):
            if one != other:
                return first_difference(one, other, name)
    return f"{name}: {stored}, not {wanted}"
