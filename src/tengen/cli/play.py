"""`tengen play`: a game against the engine."""

import argparse
import io
import sys

from tengen.cli.engine_options import add_engine_options, engine_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    add_engine_options(parser)
    parser.add_argument("--text", action="store_true", help="in the terminal (the only way yet)")
    parser.add_argument("--size", default="9", help="9, 13, 19, or 7x9 (default 9)")
    parser.add_argument("--colour", "--color", default="black", help="yours (default black)")
    parser.add_argument("--komi", type=float, default=None, help="default: that of the rules")
    parser.add_argument("--rules", default="chinese", help="default chinese")
    parser.add_argument("--handicap", type=int, default=0, help="stones you get (default 0)")


def run(arguments: argparse.Namespace) -> int:
    """Play one game."""
    from rich.console import Console

    from tengen.board.colour import Colour
    from tengen.board.handicap import fixed_handicap_points
    from tengen.board.points import parse_size
    from tengen.board.position import Position
    from tengen.board.rules import rules_named

    settings = engine_settings(arguments)
    rules = rules_named(arguments.rules)
    if arguments.komi is not None:
        rules = rules.with_komi(arguments.komi)
    elif arguments.handicap:
        rules = rules.with_komi(0.5)
    position = Position(*parse_size(arguments.size), rules)
    colour = Colour.parse(arguments.colour)
    if arguments.handicap:
        points = fixed_handicap_points(position.rows, position.columns, arguments.handicap)
        position.place_handicap(points)

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            # Bytes that are no text, or text that the terminal cannot show, end no game.
            stream.reconfigure(errors="replace")
    from tengen.engine.engine import Engine
    from tengen.terminal.game import TextGame

    TextGame(position, colour, Engine(settings), Console(highlight=False)).play()
    return 0
