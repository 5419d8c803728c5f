"""Files of settings: TOML files with settings, and the files that settings refer to."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tengen.engine.book.book import DEFAULT_BOOK, read_book
from tengen.engine.settings import EngineSettings
from tengen.nets import is_net_file
from tengen.util import TengenError, read_toml

_PYTHON_SUFFIX = ".py"
_DIGEST_CHARACTERS = 16


def read_settings_file(path: str) -> list[str]:
    """Return the settings of a TOML file as `part.name=value` overrides; raise TengenError.

    Tables are the parts; settings may also stand outside of tables. A list gives several
    overrides: `prior = ["bigmove@160", "metric@20"]`.
    """
    return list(_overrides(read_toml(path), ""))


def _overrides(table: dict[str, Any], part: str) -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _overrides(value, f"{name}.")
            continue
        for item in value if isinstance(value, list) else [value]:
            yield f"{part}{name}={item}"


def file_digests(overrides: Iterable[str]) -> dict[str, str]:
    """Return a short digest of each file that `name=value` overrides refer to, by path as written.

    Networks referred to by name and files of the package are omitted, and so are missing files.
    Raise TengenError if a file cannot be read.
    """
    paths = {path: Path(path).expanduser() for text in overrides if (path := _referred_path(text))}
    return {path: _digest(file) for path, file in paths.items() if file.is_file()}


def require_files(settings: EngineSettings) -> None:
    """Raise TengenError if a network is missing or an opening book cannot be read."""
    play = settings.play
    for name in {play.net, play.net_below, play.human_net} - {"none", "default"}:
        from tengen.engine.nets import net_path  # slow to import

        net_path(name)
    if settings.opening.book not in ("", DEFAULT_BOOK):
        read_book(settings.opening.book)


def _referred_path(override: str) -> str:
    """Return the path that an override refers to, or an empty string."""
    setting, _, value = (part.strip() for part in override.partition("="))
    name = setting.rpartition(".")[2]
    if name == "prior":
        end = value.rfind(f"{_PYTHON_SUFFIX}:")
        return value[: end + len(_PYTHON_SUFFIX)] if end >= 0 else ""
    is_net = name in ("net", "net_below", "human_net") and is_net_file(value)
    is_book = name == "book" and value != DEFAULT_BOOK
    return value if is_net or is_book else ""


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGEST_CHARACTERS]
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
