"""Other programs that an experiment's players meet: `--opponent NAME:COMMAND`, any number."""

import argparse
import shutil
from collections.abc import Sequence

from tengen.core.errors import TengenError
from tengen.match.factory import is_in_process, make_player
from tengen.match.player import split_command


def opponents_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the programs that were asked for; raise TengenError if one cannot be started."""
    found = named(arguments.opponent, "NAME:COMMAND")
    for name, command in found.items():
        check_program(name, command)
    return found


def check_program(name: str, command: str) -> None:
    """Raise TengenError if a player, as `tengen match` takes it, cannot be started here."""
    program = split_command(command)[0]
    if is_in_process(command):
        _make(name, command)
    elif program != "tengen" and shutil.which(program) is None:
        raise TengenError(f"{name}: there is no program {program!r} here")


def _make(name: str, command: str) -> None:
    try:
        make_player(command).close()
    except TengenError as error:
        raise TengenError(f"{name}: {error}") from None


def named(texts: Sequence[str], form: str) -> dict[str, str]:
    """Read texts of the form `NAME:REST`, each with a name of its own; raise TengenError."""
    found: dict[str, str] = {}
    for text in texts:
        name, colon, rest = text.partition(":")
        if not (name and colon and rest.strip()):
            raise TengenError(f"write it as {form}, not {text!r}")
        if name in found:
            raise TengenError(f"two are called {name!r}: give each a name of its own")
        found[name] = rest
    return found
