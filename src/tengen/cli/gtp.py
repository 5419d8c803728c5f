"""`tengen gtp`: the Go Text Protocol on standard input and output."""

import argparse

from tengen.cli.engine_options import add_engine_options, engine_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    add_engine_options(parser)
    parser.add_argument("--rules", default="chinese", help="default chinese; komi comes by GTP")


def run(arguments: argparse.Namespace) -> int:
    """Serve until `quit` or the end of input."""
    from tengen.board.rules import rules_named

    settings = engine_settings(arguments)
    rules = rules_named(arguments.rules)
    from tengen.gtp.loop import Loop

    Loop(settings, rules).run()
    return 0
