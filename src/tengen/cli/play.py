"""`tengen play`: a game against the engine, on a page or in the terminal."""

import argparse
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.arguments import RULES
from tengen.cli.engine_options import (
    A_MOVE,
    FOR_PLAYERS,
    add_engine_options,
    engine_settings,
    words_for_players,
)
from tengen.core.counts import any_float

if TYPE_CHECKING:
    from tengen.board.colour import Colour
    from tengen.board.position import Position
    from tengen.engine.settings import EngineSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    add_engine_options(parser, per=A_MOVE, begins_with=FOR_PLAYERS)
    parser.add_argument("--text", action="store_true", help="in the terminal instead of a page")
    parser.add_argument("--size", default="9", help="9, 13, 19, or 7x9: columns x rows (default 9)")
    parser.add_argument("--colour", "--color", default="black", help="yours (default black)")
    parser.add_argument("--komi", type=any_float, default=None, help="default: that of the rules")
    parser.add_argument("--rules", default="chinese", help=f"{RULES} (default chinese)")
    parser.add_argument("--handicap", type=int, default=0, help="stones you get (default 0)")
    page = parser.add_argument_group("the page")
    page.add_argument("--no-browser", action="store_true", help="only print the address")
    page.add_argument(
        "--port", type=_port, default=8361, help="or the next free one (default 8361)"
    )
    page.add_argument(
        "--host", default="127.0.0.1", help="for others too: 0.0.0.0 (default: this machine only)"
    )
    page.add_argument("--token", help="what visitors from the network need (default: a new one)")
    help_text = "where matches, tunings and lab reports are (default: here)"
    page.add_argument("--experiments", type=Path, default=Path(), metavar="FOLDER", help=help_text)
    page.add_argument(
        "--games",
        type=Path,
        metavar="FILE",
        help="a games database to look into (default: what `tengen games import` made)",
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"invalid port {text!r}: from 0 to 65535")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Play one game in the terminal, or serve the page until Ctrl-C."""
    from tengen.board.colour import Colour
    from tengen.web.messages import New
    from tengen.web.setting import first_position

    colour = Colour.parse(arguments.colour)
    asked = New(
        size=arguments.size,
        colour=colour.name.lower(),
        handicap=arguments.handicap,
        komi=arguments.komi,
        rules=arguments.rules,
    )
    position = first_position(asked)
    if not arguments.text:
        from tengen.cli.play_page import serve_page

        return serve_page(arguments, asked)
    settings = engine_settings(arguments, words_for_players(arguments))
    return _play_text(position, colour, settings)


def _play_text(position: "Position", colour: "Colour", settings: "EngineSettings") -> int:
    from rich.console import Console

    from tengen.engine.engine import Engine
    from tengen.terminal.game import TextGame

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            # Bytes that are no text, or text that the terminal cannot show, end no game.
            stream.reconfigure(errors="replace")
    TextGame(position, colour, Engine(settings), Console(highlight=False)).play()
    return 0
