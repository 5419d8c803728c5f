"""Player specifications, and the entrants of a match.

| specification                        | player                                              |
|--------------------------------------|-----------------------------------------------------|
| `tengen playouts=5000 seed=1`        | Tengen in this process                              |
| `settings.toml`                      | Tengen in this process, settings from a file        |
| `my_player.py:choose`                | a Python function in a file, in this process        |
| any other text (`tengen gtp ...` too)| the command line of a GTP engine                    |
| `EngineSettings`                     | Tengen in this process                              |
| an engine object                     | this engine, in this process                        |
| a function of a position             | this function, in this process                      |

Worker processes need specifications that can be pickled: functions must be defined in a module.
"""

import hashlib
import inspect
import shlex
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tengen.engine import EngineSettings, file_digests, read_settings_file
from tengen.match.player import GtpPlayer, Player, split_command
from tengen.match.settings import MatchSettings
from tengen.sources import load_source
from tengen.util import TengenError

PlayerSpec = Any
"""A text, `EngineSettings`, an engine or a function, as in the table above."""
FILES = "files"
"""Key of the file digests in the identity of a match."""
_START_NOTICE_S = 10.0
"""Delay before a message that a player is still starting."""


# Specifications


def settings_path(spec: PlayerSpec) -> str | None:
    """Return the path of the TOML file that a specification names, or None."""
    words = split_command(spec) if isinstance(spec, str) else []
    return words[0] if len(words) == 1 and words[0].endswith(".toml") else None


def function_path(spec: PlayerSpec) -> str | None:
    """Return `FILE.py:NAME` if a specification has this form, or None."""
    words = split_command(spec) if isinstance(spec, str) else []
    return words[0] if len(words) == 1 and ".py:" in words[0] else None


def is_in_process(spec: PlayerSpec) -> bool:
    """Return whether a player runs in this process rather than as a GTP engine."""
    if not isinstance(spec, str) or function_path(spec) or settings_path(spec):
        return True
    words = split_command(spec)
    return words[0] == "tengen" and words[1:2] != ["gtp"]


def spec_overrides(spec: PlayerSpec) -> list[str]:
    """Return the settings of an in-process player as `name=value`; raise TengenError."""
    if isinstance(spec, str):
        if function_path(spec):
            return []
        path = settings_path(spec)
        return split_command(spec)[1:] if path is None else read_settings_file(path)
    settings = spec if isinstance(spec, EngineSettings) else getattr(spec, "settings", None)
    return settings.overrides() if isinstance(settings, EngineSettings) else []


def spec_text(spec: PlayerSpec) -> str:
    """Return a specification as one line of text."""
    if isinstance(spec, str):
        return spec
    if words := spec_overrides(spec):
        return shlex.join(["tengen", *words])
    if isinstance(spec, EngineSettings):
        return "tengen"
    named = spec if inspect.isroutine(spec) or inspect.isclass(spec) else type(spec)
    return f"{named.__module__}.{named.__qualname__}"


def make_player(spec: PlayerSpec) -> Player:
    """Create a player; raise TengenError for an invalid specification.

    A GTP engine starts with its first game. An engine given as text uses one thread by default,
    since games run in parallel.
    """
    if isinstance(spec, str) and not is_in_process(spec):
        return GtpPlayer(spec)
    # Imported here so that matches between GTP engines do not load the engine.
    from tengen.match.player import EnginePlayer, FunctionPlayer, engine_player

    if isinstance(spec, EngineSettings):
        return engine_player(spec)
    if isinstance(spec, str):
        if path := function_path(spec):
            return FunctionPlayer(load_source(path).function)
        return engine_player(EngineSettings().with_overrides(["threads=1", *spec_overrides(spec)]))
    if hasattr(spec, "think"):
        return EnginePlayer(spec)
    if callable(spec):
        return FunctionPlayer(spec)
    raise TengenError(f"not a player: {spec!r}")


# Entrants


@dataclass(frozen=True)
class Entrant:
    """A player of a match: label and specification."""

    label: str
    spec: PlayerSpec
    name: str = ""
    """The player's own name; not part of the plan."""
    version: str = ""

    @property
    def identity(self) -> list[str]:
        """Label and specification, with the content of a settings file or function."""
        content: list[str] = []
        if settings_path(self.spec):
            content = spec_overrides(self.spec)
        elif inspect.isfunction(self.spec):
            content = _source_digest(self.spec)
        return [self.label, spec_text(self.spec), *content]


def _source_digest(function: Callable[..., object]) -> list[str]:
    """Return a hash of a function's source code, if available."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return []
    return [hashlib.blake2b(source.encode(), digest_size=8).hexdigest()]


def probe_players(
    specs: Sequence[PlayerSpec], labels: Sequence[str | None], settings: MatchSettings
) -> tuple[Entrant, ...]:
    """Start each player once and set up the board; raise TengenError if that fails.

    Players without a label get their own name, or their specification if names are equal.
    """
    found = [_probe(spec, settings) for spec in specs]
    names = [" ".join(filter(None, (entrant.name, entrant.version))) for entrant in found]
    chosen = [
        label or (name if names.count(name) == 1 else spec_text(spec))
        for label, name, spec in zip(labels, names, specs, strict=True)
    ]
    numbered = [
        f"{label} ({chosen[:place].count(label) + 1})" if label in chosen[:place] else label
        for place, label in enumerate(chosen)
    ]
    check_labels(numbered)
    return tuple(
        Entrant(label, spec, entrant.name, entrant.version)
        for label, spec, entrant in zip(numbered, specs, found, strict=True)
    )


def check_labels(labels: Sequence[str]) -> None:
    """Raise TengenError if two players have the same label."""
    repeated = {label for label in labels if labels.count(label) > 1}
    if repeated:
        raise TengenError(f"two players are named {min(repeated)!r}: give them different names")


def _probe(spec: PlayerSpec, settings: MatchSettings) -> Entrant:
    text = spec_text(spec)
    player = make_player(spec)
    try:
        with _start_notice(text, settings.start_timeout_s):
            player.new_game(settings, seed=1)
        return Entrant("", spec, player.name, player.version)
    except TengenError as error:
        raise TengenError(f"player {text!r}: {error}") from None
    finally:
        player.close()


@contextmanager
def _start_notice(text: str, limit_s: float) -> Iterator[None]:
    """Print a message if a player takes long to start."""
    message = f"tengen: waiting for {text!r} to start (at most {limit_s:.0f} s per command)"
    timer = threading.Timer(_START_NOTICE_S, print, [message], {"file": sys.stderr, "flush": True})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# Files used by players: results with other file contents belong to another player.


def file_identity(specs: Iterable[PlayerSpec]) -> dict[str, dict[str, str]]:
    """Return {"files": digests} of the files that in-process players use; empty if none."""
    found: dict[str, str] = {}
    for spec in filter(is_in_process, specs):
        found |= file_digests(spec_overrides(spec))
        if path := function_path(spec):
            found |= file_digests([f"prior={path}"])
    return {FILES: found} if found else {}


def changed_files(stored: object, wanted: Mapping[str, Any]) -> str:
    """Return a message if two identities differ only in file contents, else an empty string."""
    if not isinstance(stored, Mapping):
        return ""
    if any(stored.get(key) != wanted.get(key) for key in {*stored, *wanted} - {FILES}):
        return ""
    old, new = stored.get(FILES, {}), wanted.get(FILES, {})
    changed = ", ".join(path for path in new if new[path] != old.get(path))
    if changed and not old:
        return f"the contents of {changed} were not recorded; "
    return f"{changed} has changed; restore it, or " if changed else ""
