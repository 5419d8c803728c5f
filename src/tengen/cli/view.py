"""`tengen view`: show a position as a source sees it, in the terminal or as a picture."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.engine_options import add_engine_options, engine_settings
from tengen.cli.games_import import add_database
from tengen.cli.moment import add_moment, read_moment
from tengen.core.counts import positive_int
from tengen.core.errors import TengenError

if TYPE_CHECKING:
    from tengen.board.position import Position
    from tengen.search.report import SearchReport
    from tengen.view import ViewContext

USUAL = "bigmove"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    add_moment(parser, is_required=False)
    parser.add_argument(
        "--source",
        action="append",
        metavar="NAME",
        help=f"what to see, as --list has it, or FILE.py:NAME for your own (default {USUAL}); "
        "several stand side by side",
    )
    parser.add_argument("--list", action="store_true", help="tell which sources there are")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="a picture, .svg or .png (default: the terminal)"
    )
    parser.add_argument(
        "--width",
        type=positive_int,
        metavar="PIXELS",
        help="of a .png (default: half as much again as the .svg)",
    )
    parser.add_argument("--surface", action="store_true", help="as a landscape in space")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    add_database(parser)
    add_engine_options(parser, "simulations of the search, for the sources search.*")


def run(arguments: argparse.Namespace) -> int:
    """Show what was asked for; return the exit code."""
    if arguments.list:
        _print_list(arguments.json)
        return 0
    if arguments.file is None:
        raise TengenError("name a game record to look at, or use --list")
    if arguments.surface and arguments.output is None:
        raise TengenError("a surface needs a picture: name one with -o FILE.svg or FILE.png")
    _show(arguments, arguments.source or [USUAL])
    return 0


def _show(arguments: argparse.Namespace, names: list[str]) -> None:
    from tengen.view import make_layer
    from tengen.view.picture import check_format, draw_layers, save

    output = None if arguments.output is None else Path(arguments.output)
    if output is not None:
        check_format(output)
    position = read_moment(arguments).position
    context = _context(arguments, position, names)
    layers = [make_layer(name, position, context) for name in names]
    if arguments.json:
        print(json.dumps([layer.as_dict() for layer in layers]))
    if output is not None:
        save(draw_layers(layers, arguments.surface), output, arguments.width)
        if not arguments.json:
            print(output)
    elif not arguments.json:
        _print_layers(layers)


def _context(
    arguments: argparse.Namespace, position: "Position", names: list[str]
) -> "ViewContext":
    """Return what the layers need; search only if one of them wants it."""
    from tengen.view import Need, ViewContext
    from tengen.view.catalogue import find_layer

    settings = engine_settings(arguments)
    is_searched = any(find_layer(name).needs == Need.SEARCH for name in names)
    report = _search(settings, position) if is_searched else None
    return ViewContext(settings, report, Path(arguments.database))


def _search(settings: Any, position: "Position") -> "SearchReport":
    from tengen.engine.engine import Engine

    return Engine(settings).analyse(position, settings.play.limit())


def _print_layers(layers: list[Any]) -> None:
    from rich.console import Console

    from tengen.view.text import text_map

    console = Console(highlight=False)
    for layer in layers:
        console.print(text_map(layer), end="\n\n")


def _print_list(as_json: bool) -> None:
    from rich.console import Console
    from rich.table import Table

    from tengen.view import LAYERS

    if as_json:
        print(json.dumps([info.as_dict() for info in LAYERS.values()]))
        return
    table = Table(box=None, pad_edge=False)
    for title in ("source", "needs", "what its numbers mean"):
        table.add_column(title, overflow="fold", no_wrap=title != "what its numbers mean")
    for info in LAYERS.values():
        table.add_row(info.name, "" if not info.needs else info.needs.name.lower(), info.meaning)
    Console(highlight=False).print(table)
