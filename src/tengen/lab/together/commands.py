"""`tengen lab together`: the ideas of all papers in one engine."""

import argparse
from pathlib import Path

from tengen.lab.experiments import Experiments, add_experiments, run_experiment
from tengen.lab.opponents import add_opponents
from tengen.lab.terms import add_terms

STARTS = "ours,papers,little"


def _labels(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("labels", type=Path, metavar="LABELS", help="a folder of labelled games")


def _players(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--net", default="default", help="the net (default)")
    parser.add_argument("--without", default="", help="ideas to leave out: metric,filter")
    parser.add_argument(
        "--cost-seconds", type=float, default=2.0, help="to measure each cost with (2)"
    )


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, help="a move, the same for all")
    parser.add_argument("--playouts", type=int, default=400, help="instead: simulations (400)")
    _players(parser)
    add_opponents(parser)
    add_terms(parser, size="9,19", test=None)


def _choices(parser: argparse.ArgumentParser) -> None:
    _labels(parser)
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="of the processor a position (0.5)"
    )
    parser.add_argument("--positions", type=int, default=200, help="of each size (200)")
    parser.add_argument(
        "--all-games",
        action="store_true",
        help="those too that a net taught with this folder has learned from (one in twenty is not)",
    )
    parser.add_argument("--before", type=int, default=0, help="only before this move (0: any)")
    _players(parser)
    parser.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="NAME:SETTINGS",
        help="instead of the ideas, players of your own, the first to compare with: "
        "'light:patterns=0 shape=0'",
    )
    parser.add_argument("--size", default="9,19", help="(9,19)")
    parser.add_argument("--seed", type=int, default=1, help="(1)")


def _tune(parser: argparse.ArgumentParser) -> None:
    _labels(parser)
    parser.add_argument("--net", default="default", help="the net, or none (default)")
    parser.add_argument("--starts", default=STARTS, help=f"where to begin ({STARTS})")
    parser.add_argument("--iterations", type=int, default=1000, help="from each start (1000)")
    parser.add_argument("--step", type=float, default=3.0, help="of SPSA (3)")
    parser.add_argument("--batch", type=int, default=8, help="positions an iteration (8)")
    parser.add_argument("--simulations", type=int, default=400, help="a position (400)")
    parser.add_argument("--positions", type=int, default=300, help="to draw from (300)")
    parser.add_argument(
        "--pace", default="seconds=0.5 stop_early=no", help="of the match (seconds=0.5)"
    )
    add_terms(parser)


EXPERIMENTS: Experiments = {
    "compare": ("nothing, each idea alone, all, all but one: a round robin", _compare),
    "choices": ("the same players: what a strong net says of their moves", _choices),
    "tune": ("all weights at once by SPSA on such moves, then a match", _tune),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the experiments."""
    add_experiments(parser, "together", EXPERIMENTS)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment that was asked for."""
    return run_experiment("together", arguments)
