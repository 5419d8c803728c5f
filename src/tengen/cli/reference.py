"""Generates `docs/reference.md`, the reference of commands and settings.

`make reference` writes the page; a test checks that it is up to date.
"""

import argparse
import sys
import textwrap
from collections.abc import Iterator, Sequence

import tengen.protocols.gtp.loop  # noqa: F401  (registers all commands)
from tengen.board import ALIASES, NAMED_RULES
from tengen.cli.engine_options import PARTS, PER_MOVE, add_engine_options
from tengen.cli.main import COMMANDS, import_command
from tengen.cli.parser import CommandParser, HelpFormatter
from tengen.engine import LEVELS, PRESETS
from tengen.protocols.gtp import COMMANDS as GTP_COMMANDS
from tengen.sources import BUILTIN_SOURCES, parameters_of
from tengen.util import data_dir, describe, sentence, value_text
from tengen.view import LAYERS

HEAD = """\
# Reference

Generated from the code by `make reference`; do not edit. `tengen COMMAND --help` prints the same
information. [tutorial.md](tutorial.md) introduces the commands.

- [Commands](#commands) · [Engine options](#engine-options)
- [Settings](#settings) · [Presets](#presets) · [Levels](#levels)
- [Sources](#sources) · [Layers](#layers)
- [Rules](#rules) · [GTP commands](#gtp-commands)
"""
SETTINGS = """\
## Settings

Given as `name=value` on the command line and in the players of a match, in a TOML file
(`--config`), over GTP, and as keyword arguments in Python.
"""
SOURCES = """\
## Sources

`prior=NAME@VISITS,key=value,...` adds a source to the search with that weight in visits. The key
`before=N` restricts it to moves before N, `depth=N` to nodes down to depth N. `FILE.py:NAME` is
your own source.
"""
Row = Sequence[object]
OMITTED = (argparse._HelpAction, argparse._SubParsersAction)
"""Actions that are not listed: help, and sub-commands, which have separate sections."""


def reference() -> str:
    """Return the page."""
    parts = [
        HEAD,
        "## Commands\n",
        *(_command(name, text) for name, text in COMMANDS.items()),
        "## Engine options\n\nAccepted by every command that searches.\n",
        _options(_engine_parser()),
        SETTINGS,
        *(_settings(part, kind) for part, kind in PARTS.items()),
        _presets(),
        _levels(),
        SOURCES,
        *(_settings(name, parameters_of(name)) for name in BUILTIN_SOURCES),
        _layers(),
        _rules(),
        _gtp_commands(),
    ]
    # The path of the data folder depends on the user.
    return "\n".join(parts).replace(str(data_dir()), "DATA")


def _engine_parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="tengen", add_help=False)
    add_engine_options(parser, per=PER_MOVE)
    return parser


def _command(name: str, text: str) -> str:
    parser = CommandParser(prog=f"tengen {name}", description=sentence(text))
    import_command(name).add_arguments(parser)
    return "\n".join(_described(parser, "###"))


def _described(parser: argparse.ArgumentParser, heading: str) -> Iterator[str]:
    """Yield a command, its options and its sub-commands."""
    yield f"{heading} `{parser.prog}`\n"
    yield from map(_paragraph, (parser.description or "").split("\n\n"))
    options = _options(parser)
    if options:
        yield options
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _described(below, heading + "#")


def _paragraph(text: str) -> str:
    """Return a paragraph of a description; an indented one is an example."""
    return f"```sh\n{textwrap.dedent(text)}\n```\n" if text.startswith("  ") else f"{text}\n"


def _options(parser: argparse.ArgumentParser) -> str:
    """Return the options of a command; engine options have a separate section."""
    is_engine = parser.prog == "tengen"
    common = set() if is_engine else {action.dest for action in _engine_parser()._actions}
    has_engine = common <= {action.dest for action in parser._actions} and bool(common)
    lines = []
    for action in parser._actions:
        is_common = has_engine and action.dest in common
        if not is_common and not isinstance(action, OMITTED):
            lines.append(f"- {_spelling(action)}: {_help(action)}")
    if has_engine:
        lines.append("- and the [engine options](#engine-options)")
    return "\n".join(lines) + "\n" if lines else ""


def _spelling(action: argparse.Action) -> str:
    """Return the spelling of an option: `-o, --output OUT`."""
    formatter = HelpFormatter("tengen")
    default = formatter._get_default_metavar_for_optional(action)
    if not action.option_strings:
        return f"`{formatter._metavar_formatter(action, action.dest)(1)[0]}`"
    value = "" if action.nargs == 0 else f" {formatter._format_args(action, default)}"
    return f"`{', '.join(action.option_strings)}{value}`"


def _help(action: argparse.Action) -> str:
    text = HelpFormatter("tengen")._get_help_string(action) or ""
    return " ".join(text.replace("%%", "%").split())


def _table(headings: Sequence[str], rows: Sequence[Row]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _settings(name: str, kind: type) -> str:
    """Return the parameters of a part of the settings, or of a source."""
    about = " ".join((kind.__doc__ or "").split())
    rows = [
        (f"`{field}`", f"`{value_text(default)}`", meaning)
        for field, default, meaning in describe(kind)
    ]
    table = _table(["name", "default", "meaning"], rows) if rows else "No settings.\n"
    return f"### `{name}`\n\n{about}\n\n{table}"


def _presets() -> str:
    rows = [(f"`{one.name}`", one.description, one.strength) for one in PRESETS]
    headings = ["name", "description", "settings", "strength"]
    return f"## Presets\n\nUsed as `preset=NAME`.\n\n{_table(headings, rows)}"


def _levels() -> str:
    rows = [
        (f"`{one.name}`", one.description, _code(" ".join(one.overrides)), one.strength)
        for one in LEVELS
    ]
    table = _table(["name", "description", "measured on"], rows)
    return f"## Levels\n\nUsed as `--level NAME` or `level=NAME`.\n\n{table}"


def _layers() -> str:
    rows = [
        (f"`{one.name}`", one.title, one.meaning, one.needs.name.lower()) for one in LAYERS.values()
    ]
    table = _table(["name", "title", "meaning", "needs"], rows)
    intro = "Shown by `tengen view --source NAME`, on the page, in GoGui and by `see` in Python."
    return f"## Layers\n\n{intro}\n\n{table}"


def _rules() -> str:
    rows = [
        (
            f"`{name}`",
            rules.scoring.name.lower(),
            rules.ko.name.lower(),
            "yes" if rules.suicide else "no",
            f"{rules.komi:g}",
            ", ".join(f"`{other}`" for other, known in ALIASES.items() if known == name),
        )
        for name, rules in NAMED_RULES.items()
    ]
    headings = ["name", "scoring", "superko", "suicide", "komi", "other names"]
    return f"## Rules\n\n{_table(headings, rows)}"


def _gtp_commands() -> str:
    rows = [(f"`{name}`", _first_line(handler)) for name, handler in sorted(GTP_COMMANDS.items())]
    table = _table(["name", "description"], rows)
    intro = "Commands of `tengen gtp`; see [guis.md](guis.md)."
    return f"## GTP commands\n\n{intro}\n\n{table}"


def _first_line(handler: object) -> str:
    function = getattr(handler, "func", handler)  # of a partial
    return (function.__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    sys.stdout.write(reference())
