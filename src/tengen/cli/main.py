"""The `tengen` command: finds the sub-command and imports only that."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from tengen import __version__
from tengen.cli.arguments import INTERRUPTED, LineParser
from tengen.core.errors import TengenError
from tengen.core.words import did_you_mean, sentence

ABOUT = "A Go engine and laboratory that runs on an ordinary laptop."
GROUPS = {
    "play and look": {
        "play": "open the page: play, look inside, analyse; or play in the terminal",
        "analyse": "look over your games for mistakes (for programs: `analysis`)",
        "explain": "show what the engine thinks of a position in a game, and why",
        "view": "show a position as a source sees it: heat maps and landscapes",
        "score": "judge finished games: dead stones, territory, result",
        "presets": "list settings and levels that have a name, and their strength",
    },
    "other programs": {
        "gtp": "speak the Go Text Protocol, for GoGui, Sabaki and match tools",
        "analysis": "speak KataGo's JSON protocol, for KaTrain (for people: `analyse`)",
        "gtp-check": "find out whether an engine keeps the Go Text Protocol",
    },
    "games": {
        "games": "look into collections of game records",
        "book": "make an opening book from games, and look into one",
        "shape": "learn the patterns of strong players from games",
    },
    "measure": {
        "match": "play many games between players, with results one can believe",
        "report": "show the results of a match as a page with tables and plots",
        "tune": "find good values for parameters by games",
        "regress": "run a suite of positions whose right moves are known",
        "bench": "measure the speed of a part",
    },
    "research": {
        "net": "neural nets: bring them in, train them, measure what they know",
        "lab": "run the experiments of the papers, with data, plots and a report",
        "solve": "solve a small board: perfect play, proved",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
"""Each is a module of that name (`_` for `-`) with `add_arguments(parser)` and `run(arguments)`."""

OPTIONS = ("--help", "--version", "-h")
"""What may stand in the place of a command."""

BAD_INPUT = 2
READER_GONE = 141
"""128 and the number of the signal, as shells give it for a broken pipe."""


def build_parser(chosen: ModuleType | None, name: str | None) -> argparse.ArgumentParser:
    """Return the parser; only the chosen sub-command knows its own options."""
    parser = LineParser(
        prog="tengen",
        usage="tengen [--help] [--version] COMMAND ...",
        description=f"{ABOUT}\n\n{_list_of_commands()}",
        epilog="`tengen COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"tengen {__version__}")
    # The list is ours: argparse knows no groups of commands.
    commands = parser.add_subparsers(
        prog="tengen", metavar="COMMAND", dest="command", required=True, help=argparse.SUPPRESS
    )
    for command, help_text in COMMANDS.items():
        sub = commands.add_parser(command, description=sentence(help_text))
        if chosen is not None and command == name:
            chosen.add_arguments(sub)
    return parser


def _list_of_commands() -> str:
    lines = []
    for title, group in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:10} {text}" for name, text in group.items())]
    return "\n".join(lines)


def import_command(name: str) -> ModuleType:
    """Return the module of a sub-command."""
    return importlib.import_module(f"tengen.cli.{name.replace('-', '_')}")


def main(arguments: Sequence[str]) -> int:
    """Run one command line; return the exit code. An empty one asks for help."""
    arguments = arguments or ["--help"]
    if arguments[0] not in (*COMMANDS, *OPTIONS):
        raise TengenError(_unknown(arguments[0]))
    name = next((word for word in arguments if not word.startswith("-")), None)
    module = import_command(name) if name in COMMANDS else None
    parsed = _parse(build_parser(module, name), arguments)
    if module is None:
        raise AssertionError("argparse accepts known commands only")
    return int(module.run(parsed) or 0)


def _unknown(name: str) -> str:
    """Return what to say of a word that is no command."""
    if name.startswith("-"):
        return f"no option {name!r} before a command: see `tengen --help`"
    if os.path.exists(name):
        return f"{name!r} is a file, not a command: try `tengen explain {name}`"
    return f"no command {name!r}: `tengen --help` lists them{did_you_mean(name, COMMANDS)}"


def _parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; settings like `playouts=50` may stand anywhere, between options too."""
    parsed, rest = parser.parse_known_args(arguments)
    if "settings" in parsed:
        parsed.settings += [word for word in rest if _is_setting(word)]
        rest = [word for word in rest if not _is_setting(word)]
    if rest:
        hint = _setting_hint(rest[0]) if "settings" in parsed else ""
        hint = hint or did_you_mean(rest[0].partition("=")[0], _options_of(parser))
        told = f"tengen {parsed.command}: unrecognized arguments: {' '.join(rest)}{hint}"
        parser.exit(2, f"{told} (see `tengen {parsed.command} --help`)\n")
    return parsed


def _options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Return the options of a parser and of its sub-commands."""
    found = {option for action in parser._actions for option in action.option_strings}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found = found.union(*(_options_of(below) for below in action.choices.values()))
    return found


def _setting_hint(word: str) -> str:
    """Tell who writes `--net default` that it is `net=default`."""
    from tengen.engine.settings import setting_names

    name = word.lstrip("-").partition("=")[0].replace("-", "_")
    return f"; {name} is a setting: write {name}=VALUE" if name in setting_names() else ""


def _is_setting(word: str) -> bool:
    return "=" in word and not word.startswith("-")


def entry() -> None:
    """Run the command line of this process: the console script."""
    _open_closed_streams()
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except TengenError as error:
        code = _complain(str(error))
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`tengen ... | head`): end quietly, as other tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = READER_GONE
    except OSError as error:
        code = _complain(f"{error.filename or 'input or output'}: {error.strerror or error}")
    sys.exit(code)


def _open_closed_streams() -> None:
    """Put nothing in the place of streams that were closed before we started (`tengen >&-`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  (open to the end)


def _run(arguments: Sequence[str]) -> int:
    """Run one command line; return the exit code even where argparse leaves by itself."""
    try:
        return main(arguments)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0


def _complain(message: str) -> int:
    print("tengen: " + " ".join(message.splitlines()), file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    entry()
