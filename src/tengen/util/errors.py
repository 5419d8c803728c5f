"""The exception for errors that the user can fix, and helpers for messages and options."""

import argparse
import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any


class TengenError(Exception):
    """A request cannot be carried out.

    The message is one line: what is wrong and, where possible, how to fix it. The command line
    prints it without a traceback and exits with status 2; GTP returns it as a failure response.

    Examples
    --------
    >>> from tengen.api import Position
    >>> Position(9).after("E5 E5")
    Traceback (most recent call last):
    tengen.board.position.IllegalMoveError: illegal move W E5
    """


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


def positive_int(text: str) -> int:
    """Parse an integer of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return value


def finite_float(text: str) -> float:
    """Parse a finite float."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return value


def positive_float(text: str) -> float:
    """Parse a finite float greater than 0."""
    value = finite_float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return value
