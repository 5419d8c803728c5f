"""The reference of commands and settings, made from the code: `docs/reference.md`.

`make reference` writes it; a test sees that it is up to date.
"""

import argparse
import sys
import textwrap
from collections.abc import Iterator, Sequence

import tengen.gtp.loop  # noqa: F401  (fills the table of commands)
from tengen.board.rules import ALIASES, NAMED_RULES
from tengen.cli.arguments import HelpFormatter, LineParser
from tengen.cli.engine_options import A_MOVE, PARTS, add_engine_options
from tengen.cli.main import COMMANDS, import_command
from tengen.core.folders import data_folder
from tengen.core.parameters import describe
from tengen.core.words import sentence
from tengen.engine.levels import LEVELS
from tengen.engine.presets import PRESETS
from tengen.gtp.session import COMMANDS as GTP_COMMANDS
from tengen.knowledge.catalogue import CATALOGUE, parameters_of
from tengen.view import LAYERS

HEAD = """\
# Reference

Made from the code by `make reference`; do not edit it by hand. `tengen COMMAND --help` says the
same. [tutorial.md](tutorial.md) shows the commands at work.

- [Commands](#commands) · [Options of the engine](#options-of-the-engine)
- [Settings](#settings) · [Presets](#presets) · [Levels](#levels)
- [Sources in the search](#sources-in-the-search) · [What can be seen](#what-can-be-seen)
- [Rules](#rules) · [GTP commands](#gtp-commands)
"""
SETTINGS = """\
## Settings

`name=value` on the command line, in a TOML file (`--config`), in a player of a match,
over GTP, and as named arguments in Python.
"""
SOURCES = """\
## Sources in the search

`prior=NAME@VISITS,key=value,...` adds one with that weight; `before=N` asks it before move N only,
`depth=N` down to that depth. `FILE.py:NAME` is one of your own.
"""
Row = Sequence[object]
UNTOLD = (argparse._HelpAction, argparse._SubParsersAction)
"""Every command has the one, and the other is told with the sub-commands."""


def reference() -> str:
    """Return the whole page."""
    parts = [
        HEAD,
        "## Commands\n",
        *(_command(name, text) for name, text in COMMANDS.items()),
        "## Options of the engine\n\nOf every command that plays or searches.\n",
        _options(_engine_parser()),
        SETTINGS,
        *(_settings(part, kind) for part, kind in PARTS.items()),
        _presets(),
        _levels(),
        SOURCES,
        *(_settings(name, parameters_of(name)) for name in CATALOGUE),
        _layers(),
        _rules(),
        _gtp_commands(),
    ]
    # What stands in a user's home differs from one to the next.
    return "\n".join(parts).replace(str(data_folder()), "DATA")


def _engine_parser() -> argparse.ArgumentParser:
    parser = LineParser(prog="tengen", add_help=False)
    add_engine_options(parser, per=A_MOVE)
    return parser


def _command(name: str, text: str) -> str:
    parser = LineParser(prog=f"tengen {name}", description=sentence(text))
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
    """Return a paragraph of a description; one that is set in is an example."""
    return f"```sh\n{textwrap.dedent(text)}\n```\n" if text.startswith("  ") else f"{text}\n"


def _options(parser: argparse.ArgumentParser) -> str:
    """Return the options of one command; those of the engine are told once, elsewhere."""
    is_engine = parser.prog == "tengen"
    common = set() if is_engine else {action.dest for action in _engine_parser()._actions}
    has_engine = common <= {action.dest for action in parser._actions} and bool(common)
    lines = []
    for action in parser._actions:
        is_told = has_engine and action.dest in common
        if not is_told and not isinstance(action, UNTOLD):
            lines.append(f"- {_written(action)}: {_help(action)}")
    if has_engine:
        lines.append("- and the [options of the engine](#options-of-the-engine)")
    return "\n".join(lines) + "\n" if lines else ""


def _written(action: argparse.Action) -> str:
    """Return an option as it is written: `-o, --output OUT`."""
    formatter = HelpFormatter("tengen")
    default = formatter._get_default_metavar_for_optional(action)
    if not action.option_strings:
        return f"`{formatter._metavar_formatter(action, action.dest)(1)[0]}`"
    value = "" if action.nargs == 0 else f" {formatter._format_args(action, default)}"
    return f"`{', '.join(action.option_strings)}{value}`"


def _help(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").split())


def _table(headings: Sequence[str], rows: Sequence[Row]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _settings(name: str, kind: type) -> str:
    """Return the parameters of one part, or of one source."""
    about = " ".join((kind.__doc__ or "").split())
    rows = [(f"`{field}`", f"`{default}`", meaning) for field, default, meaning in describe(kind)]
    table = _table(["name", "default", "meaning"], rows) if rows else "No settings.\n"
    return f"### `{name}`\n\n{about}\n\n{table}"


def _presets() -> str:
    rows = [
        (f"`{one.name}`", one.meaning, _code(" ".join(one.words)), one.measured) for one in PRESETS
    ]
    headings = ["name", "what it is", "settings", "strength"]
    return f"## Presets\n\nUsed as `preset=NAME`.\n\n{_table(headings, rows)}"


def _levels() -> str:
    rows = [
        (f"`{one.name}`", one.meaning, _code(" ".join(one.words)), one.measured) for one in LEVELS
    ]
    table = _table(["name", "what it is", "settings", "wins against the one below, 9x9"], rows)
    return f"## Levels\n\nUsed as `--level NAME` or `level=NAME`.\n\n{table}"


def _layers() -> str:
    rows = [
        (f"`{one.name}`", one.title, one.meaning, one.needs.name.lower()) for one in LAYERS.values()
    ]
    table = _table(["name", "title", "meaning", "needs"], rows)
    intro = "By `tengen view --source NAME`, on the page, in GoGui and by `see` in Python."
    return f"## What can be seen\n\n{intro}\n\n{table}"


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
    table = _table(["name", "what it does"], rows)
    intro = "What `tengen gtp` understands, in [other programs](guis.md) or typed by hand."
    return f"## GTP commands\n\n{intro}\n\n{table}"


def _first_line(handler: object) -> str:
    function = getattr(handler, "func", handler)  # a partial has no words of its own
    return (function.__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    sys.stdout.write(reference())
