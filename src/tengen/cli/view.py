"""`tengen view`: draw what a source computes for a position, in the terminal or as a picture."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.engine_options import add_engine_options, engine_settings
from tengen.cli.options import add_database, add_position_arguments, read_position
from tengen.util import TengenError, positive_int

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.search import SearchReport
    from tengen.view import ViewContext

DEFAULT_SOURCE = "bigmove"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_position_arguments(parser, is_required=False)
    parser.add_argument(
        "--source",
        action="append",
        metavar="NAME",
        help=f"a source of --list, or FILE.py:NAME (default: {DEFAULT_SOURCE}); repeat to draw "
        "several side by side",
    )
    parser.add_argument("--list", action="store_true", help="list the sources")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write a picture, .svg or .png (default: print text)"
    )
    parser.add_argument(
        "--width",
        type=positive_int,
        metavar="PIXELS",
        help="width of a .png (default: 1.5 times that of the .svg)",
    )
    parser.add_argument(
        "--surface", action="store_true", help="draw a surface instead of a heat map"
    )
    parser.add_argument("--json", action="store_true", help="print the values as JSON")
    add_database(parser)
    add_engine_options(parser, "simulations for the sources search.* (default: limited by time)")


def run(arguments: argparse.Namespace) -> int:
    """Draw the sources, or list them."""
    if arguments.list:
        _print_list(arguments.json)
        return 0
    if arguments.file is None:
        raise TengenError("no game record given: name a file, or use --list")
    if arguments.surface and arguments.output is None:
        raise TengenError("--surface requires a picture: add -o FILE.svg or -o FILE.png")
    _show(arguments, arguments.source or [DEFAULT_SOURCE])
    return 0


def _show(arguments: argparse.Namespace, names: list[str]) -> None:
    from tengen.view import check_format, draw_layers, make_layer, save

    output = None if arguments.output is None else Path(arguments.output)
    if output is not None:
        check_format(output)
    position = read_position(arguments).position
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
    """Return the context of the layers, with a search if one of them needs it."""
    from tengen.view import Need, ViewContext, find_layer

    settings = engine_settings(arguments)
    is_searched = any(find_layer(name).needs == Need.SEARCH for name in names)
    report = _search(settings, position) if is_searched else None
    return ViewContext(settings, report, Path(arguments.database))


def _search(settings: Any, position: "Position") -> "SearchReport":
    from tengen.engine import create_engine

    return create_engine(settings).analyze(position, settings.play.limit())


def _print_layers(layers: list[Any]) -> None:
    from tengen.util import Console
    from tengen.view import text_map

    console = Console(highlight=False)
    for layer in layers:
        console.print(text_map(layer), end="\n\n")


def _print_list(as_json: bool) -> None:
    from rich.table import Table

    from tengen.util import Console
    from tengen.view import LAYERS

    if as_json:
        print(json.dumps([info.as_dict() for info in LAYERS.values()]))
        return
    table = Table(box=None, pad_edge=False)
    for title in ("source", "needs", "meaning"):
        table.add_column(title, overflow="fold", no_wrap=title != "meaning")
    for info in LAYERS.values():
        table.add_row(info.name, "" if not info.needs else info.needs.name.lower(), info.meaning)
    Console(highlight=False).print(table)
