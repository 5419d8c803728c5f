"""Other programs that an experiment's players meet: `--opponent NAME:COMMAND`, any number."""

import argparse
import shlex
import shutil
from collections.abc import Sequence

from tengen.core.errors import TengenError


def add_opponents(parser: argparse.ArgumentParser) -> None:
    """Describe the option."""
    parser.add_argument(
        "--opponent",
        action="append",
        default=[],
        metavar="NAME:COMMAND",
        help="another program: 'gnugo:gnugo --mode gtp --chinese-rules'",
    )


def opponents_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the programs that were asked for; raise TengenError if one cannot be started."""
    found = named(arguments.opponent, "NAME:COMMAND")
    for name, command in found.items():
        check_program(name, command)
    return found


def check_program(name: str, command: str) -> None:
    """Raise TengenError if a player's command cannot be started here."""
    program = _program(command)
    if program != "tengen" and shutil.which(program) is None:
        raise TengenError(f"{name}: there is no program {program!r} here")


def _program(command: str) -> str:
    try:
        return shlex.split(command)[0]
    except ValueError as error:
        raise TengenError(f"{command!r} is no command: {error}") from None


def named(texts: Sequence[str], form: str) -> dict[str, str]:
    """Read texts of the form `NAME:REST`; raise TengenError."""
    found = {}
    for text in texts:
        name, colon, rest = text.partition(":")
        if not (name and colon and rest.strip()):
            raise TengenError(f"write it as {form}, not {text!r}")
        found[name] = rest
    return found
