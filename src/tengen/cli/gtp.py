"""`tengen gtp`: the Go Text Protocol on standard input and output."""

import argparse
from pathlib import Path

from tengen.cli.engine_options import add_engine_options, engine_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    add_engine_options(parser)
    parser.add_argument("--rules", default="chinese", help="default chinese; komi comes by GTP")
    parser.add_argument(
        "--player",
        choices=("engine", "solver"),
        default="engine",
        help="solver: perfect play on boards of up to 30 points, however long it takes",
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="the solver's table (see `tengen solve`)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until `quit` or the end of input."""
    from tengen.board.rules import rules_named

    settings = engine_settings(arguments)
    rules = rules_named(arguments.rules)
    from tengen.gtp.loop import Loop

    if arguments.player == "solver":
        from tengen.cli.solver_engine import SolverEngine

        Loop(settings, rules, make_engine=lambda: SolverEngine(settings, arguments.table)).run()
    else:
        Loop(settings, rules).run()
    return 0
