"""Settings from a TOML file."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError


def settings_words(path: str) -> list[str]:
    """Return the settings of a file as `part.name=value` words; raise TengenError.

    Tables name the parts; a setting whose name is its own may stand outside of them.
    """
    try:
        table = tomllib.loads(Path(path).read_text())
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TengenError(f"{path} is not valid TOML: {error}") from None
    return list(_words(table, ""))


def _words(table: dict[str, Any], part: str) -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _words(value, f"{name}.")
        else:
            yield f"{part}{name}={value}"
