"""The `tengen` command: finds the sub-command and imports only that."""

import argparse
import importlib
import signal
import sys
from collections.abc import Sequence
from types import ModuleType

from tengen import __version__
from tengen.core.errors import TengenError

COMMANDS = {
    "play": "play a game in the terminal",
    "gtp": "speak the Go Text Protocol, for GoGui, Sabaki and match tools",
    "score": "judge finished games: dead stones, territory, result",
    "explain": "show what the engine thinks of a position in a game, and why",
    "games": "look into collections of game records",
    "match": "play many games between players, with results one can believe",
    "report": "show the results of a match as a page with tables and plots",
    "tune": "find good values for parameters by games",
    "regress": "run a suite of positions whose right moves are known",
    "gtp-check": "find out whether an engine keeps the Go Text Protocol",
    "bench": "measure the speed of a part",
}
"""Each is a module of that name (`_` for `-`) with `add_arguments(parser)` and `run(arguments)`."""

BAD_INPUT = 2
INTERRUPTED = 130


def build_parser(chosen: ModuleType | None, name: str | None) -> argparse.ArgumentParser:
    """Return the parser; only the chosen sub-command knows its own options."""
    parser = argparse.ArgumentParser(
        prog="tengen",
        description="A Go engine and laboratory that runs on an ordinary laptop.",
        epilog="`tengen COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"tengen {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for command, help_text in COMMANDS.items():
        # argparse reads % as a format
        sub = commands.add_parser(command, help=help_text, description=help_text.capitalize())
        if chosen is not None and command == name:
            chosen.add_arguments(sub)
    return parser


def import_command(name: str) -> ModuleType:
    """Return the module of a sub-command."""
    return importlib.import_module(f"tengen.cli.{name.replace('-', '_')}")


def main(arguments: Sequence[str]) -> int:
    """Run one command line; return the exit code."""
    name = next((word for word in arguments if not word.startswith("-")), None)
    module = import_command(name) if name in COMMANDS else None
    parsed = build_parser(module, name).parse_args(arguments)
    if module is None:
        raise AssertionError("argparse accepts known commands only")
    return int(module.run(parsed) or 0)


def entry() -> None:
    """Run the command line of this process: the console script."""
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except TengenError as error:
        print(f"tengen: {error}", file=sys.stderr)
        code = BAD_INPUT
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`tengen ... | head`): end quietly, as other tools do.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        sys.stderr.close()
        code = 128 + signal.SIGPIPE
    sys.exit(code)


if __name__ == "__main__":
    entry()
