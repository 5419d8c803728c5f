"""`tengen lab together`: the ideas of all papers in one engine."""

import argparse

from tengen.lab.experiments import Experiments, add_experiments, run_experiment
from tengen.lab.terms import add_terms


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, help="a move, the same for all")
    parser.add_argument("--playouts", type=int, default=400, help="instead: simulations (400)")
    parser.add_argument("--net", default="default", help="the net (default)")
    parser.add_argument("--without", default="", help="ideas to leave out: metric,filter")
    parser.add_argument(
        "--opponent",
        action="append",
        default=[],
        metavar="NAME:COMMAND",
        help="another program: 'gnugo:gnugo --mode gtp --chinese-rules'",
    )
    parser.add_argument(
        "--cost-seconds", type=float, default=2.0, help="to measure each cost with (2)"
    )
    add_terms(parser, size="9,19", has_test=False)


EXPERIMENTS: Experiments = {
    "compare": ("nothing, each idea alone, all, all but one: a round robin", _compare),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the experiments."""
    add_experiments(parser, "together", EXPERIMENTS)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment that was asked for."""
    return run_experiment("together", arguments)
