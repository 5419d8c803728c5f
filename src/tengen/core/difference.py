"""In what two settings differ, for people who wonder why work does not go on."""

from collections.abc import Mapping
from typing import Any


def first_difference(stored: Any, wanted: Any, name: str = "settings") -> str:
    """Name the first thing in which two settings of JSON differ, as `komi: 7.5, not 6.5`."""
    if isinstance(stored, Mapping) and isinstance(wanted, Mapping):
        for key in dict.fromkeys([*wanted, *stored]):
            if stored.get(key) != wanted.get(key):
                return first_difference(stored.get(key), wanted.get(key), key)
    if isinstance(stored, list) and isinstance(wanted, list) and len(stored) == len(wanted):
        for one, other in zip(stored, wanted, strict=True):
            if one != other:
                return first_difference(one, other, name)
    return f"{name}: {stored}, not {wanted}"
