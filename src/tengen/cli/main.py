"""The `tengen` command: dispatches to sub-commands, importing only the one that runs."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from tengen import __version__
from tengen.cli.parser import BAD_INPUT, INTERRUPTED, CommandParser
from tengen.util import TengenError, clean_streams, did_you_mean, missing_extra, sentence

ABOUT = "Tengen is a Go engine and research lab that runs on a laptop."
GROUPS = {
    "play and analyze": {
        "play": "play against the engine in the browser or the terminal",
        "review": "find the mistakes in your games",
        "explain": "show the engine's analysis of one position",
        "view": "draw what a source computes for a position",
        "score": "score finished games",
        "problem": "solve life-and-death problems",
        "presets": "list presets and levels with their measured strength",
    },
    "use with other programs": {
        "gtp": "serve the Go Text Protocol (GoGui, Sabaki, match tools)",
        "analysis": "serve KataGo's JSON analysis protocol (KaTrain)",
        "gtp-check": "check an engine for GTP conformance",
    },
    "manage games": {
        "games": "summarize, import, search and export game records",
        "book": "build and inspect opening books",
        "shape": "learn and inspect pattern tables",
    },
    "measure": {
        "match": "play matches between engines",
        "report": "write the report of a match",
        "tune": "tune parameters by playing games",
        "regress": "run a regression test suite",
        "bench": "measure speed",
        "selfcheck": "check this installation",
    },
    "research": {
        "net": "import, train, quantize and evaluate neural networks",
        "lab": "run the experiments of the papers",
        "solve": "solve small boards",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
"""Each is a module of that name (`_` for `-`) with `add_arguments(parser)` and `run(arguments)`."""
RENAMED = {
    ("analyse",): "review",
    ("analyze",): "review",
    ("net", "quantise"): "net quantize",
    ("lab", "small-boards"): "lab metric",
}
"""Former spellings of commands and sub-commands."""

OPTIONS = ("--help", "--version", "-h")
"""Options accepted in place of a command."""

BROKEN_PIPE = 141
"""128 plus the signal number, as in shells."""


def build_parser(chosen: ModuleType | None, name: str | None) -> argparse.ArgumentParser:
    """Return the parser; only the chosen sub-command has its own options."""
    parser = CommandParser(
        prog="tengen",
        usage="tengen [--help] [--version] COMMAND ...",
        description=f"{ABOUT}\n\n{_command_list()}",
        epilog="Run `tengen COMMAND --help` for the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"tengen {__version__}")
    # argparse cannot group commands, so the description lists them.
    commands = parser.add_subparsers(
        prog="tengen", metavar="COMMAND", dest="command", required=True, help=argparse.SUPPRESS
    )
    for command, help_text in COMMANDS.items():
        sub = commands.add_parser(command, description=sentence(help_text))
        if chosen is not None and command == name:
            chosen.add_arguments(sub)
    return parser


def _command_list() -> str:
    groups = [
        "\n".join([f"{title}:", *(f"  {name:10} {text}" for name, text in group.items())])
        for title, group in GROUPS.items()
    ]
    return "\n\n".join(groups)


def import_command(name: str) -> ModuleType:
    """Return the module of a sub-command."""
    return importlib.import_module(f"tengen.cli.{name.replace('-', '_')}")


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return the exit code; an empty one prints the help."""
    arguments = arguments or ["--help"]
    for old, new in RENAMED.items():
        if tuple(arguments[: len(old)]) == old:
            raise TengenError(f"`tengen {' '.join(old)}` is now `tengen {new}`")
    if arguments[0] not in (*COMMANDS, *OPTIONS):
        raise TengenError(_unknown_command(arguments[0]))
    name = next((word for word in arguments if not word.startswith("-")), None)
    module = import_command(name) if name in COMMANDS else None
    parsed = _parse(build_parser(module, name), arguments)
    if module is None:
        raise AssertionError("argparse accepts known commands only")
    return int(module.run(parsed) or 0)


def _unknown_command(name: str) -> str:
    if name.startswith("-"):
        return f"unknown option {name!r}: see `tengen --help`"
    if os.path.exists(name):
        return f"{name!r} is a file, not a command: try `tengen explain {name}`"
    return f"unknown command {name!r}: see `tengen --help`{did_you_mean(name, COMMANDS)}"


def _parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; settings such as `playouts=50` are accepted anywhere."""
    parsed, rest = parser.parse_known_args(arguments)
    if "settings" in parsed:
        parsed.settings += [word for word in rest if _is_setting(word)]
        rest = [word for word in rest if not _is_setting(word)]
    if rest:
        hint = _setting_hint(rest[0]) if "settings" in parsed else ""
        hint = hint or did_you_mean(rest[0].partition("=")[0], _options_of(parser))
        message = f"tengen {parsed.command}: unrecognized arguments: {' '.join(rest)}{hint}"
        parser.exit(BAD_INPUT, f"{message} (see `tengen {parsed.command} --help`)\n")
    return parsed


def _options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Return the options of a parser and of its sub-commands."""
    found = {option for action in parser._actions for option in action.option_strings}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found = found.union(*(_options_of(below) for below in action.choices.values()))
    return found


def _setting_hint(word: str) -> str:
    """Return a hint for `--net default`, which is written `net=default`."""
    from tengen.engine import setting_names

    name = word.lstrip("-").partition("=")[0].replace("-", "_")
    return f"; {name} is a setting: write {name}=VALUE" if name in setting_names() else ""


def _is_setting(word: str) -> bool:
    return "=" in word and not word.startswith("-")


def entry() -> None:
    """Run the command line of this process (the console script)."""
    _replace_closed_streams()
    clean_streams()
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except TengenError as error:
        code = _print_error(str(error))
    except ModuleNotFoundError as error:
        reason = missing_extra(error)
        if reason is None:
            raise
        code = _print_error(reason)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe (`tengen ... | head`): exit quietly, as other tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = BROKEN_PIPE
    except OSError as error:
        code = _print_error(f"{error.filename or 'input or output'}: {error.strerror or error}")
    sys.exit(code)


def _replace_closed_streams() -> None:
    """Replace standard streams that were closed before the start (`tengen >&-`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  (open until exit)


def _run(arguments: Sequence[str]) -> int:
    """Run one command line; return the exit code even if argparse exits."""
    try:
        return main(arguments)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0


def _print_error(message: str) -> int:
    print("tengen: " + " ".join(message.splitlines()), file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    entry()
