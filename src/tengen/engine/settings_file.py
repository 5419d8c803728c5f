"""Settings from a TOML file."""

from collections.abc import Iterator
from typing import Any

from tengen.core.toml_file import read_toml


def settings_words(path: str) -> list[str]:
    """Return the settings of a file as `part.name=value` words; raise TengenError.

    Tables name the parts; a setting whose name is its own may stand outside of them. A list is as
    many words: `prior = ["bigmove@160", "metric@20"]`.
    """
    return list(_words(read_toml(path), ""))


def _words(table: dict[str, Any], part: str) -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _words(value, f"{name}.")
            continue
        for one in value if isinstance(value, list) else [value]:
            yield f"{part}{name}={one}"
