"""Command line of `tengen lab bigmove` (paper 000)."""

import argparse
from functools import partial
from pathlib import Path

from tengen.lab.options import (
    Experiment,
    Experiments,
    add_experiments,
    add_match_options,
    run_experiment,
)
from tengen.util import positive_int


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--matches",
        default="tests,x,y",
        help="comma-separated groups (tests, x, y, proposals, beyond) or single matches ",
    )
    parser.add_argument("--playouts", type=positive_int, default=400, help="simulations per move")
    parser.add_argument(
        "--seconds", type=float, help="seconds per move for both sides, instead of --playouts"
    )
    parser.add_argument(
        "--phantom",
        choices=("thesis", "yes", "no"),
        default="thesis",
        help="whether the opponent computes the modes and discards them (phantom function): as in "
        "the thesis, always or never (default: thesis); no effect at fixed simulations",
    )
    parser.add_argument("--visits", type=float, default=160, help="equivalent visits of the prior")
    parser.add_argument(
        "--opponent", default="tengen", help="opponent, a player as for tengen match"
    )
    parser.add_argument(
        "--engine", default="", help="additional settings of both sides, e.g. 'threads=2'"
    )
    add_match_options(parser, size="19", komi=6.5, openings="empty")


def _solvers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", help="semicolon-separated methods (default: all)")
    parser.add_argument(
        "--iterations",
        default="1,5,10,50,100,500,1000",
        help="numbers of solutions to time together",
    )
    parser.add_argument("--most", type=float, default=20.0, help="maximum seconds per measurement")
    parser.add_argument(
        "--tolerance", type=float, default=1e-6, help="residual of a solution (default: 1e-6)"
    )


def _gallery(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    add = parser.add_argument
    add("--games", type=positive_int, default=1000, help="games to search")
    add("--positions", type=int, default=4, help="common positions")
    add("--late", type=int, default=2, help="late positions whose biggest move is in the center")
    add("--method", default="tengen", help="eigenvector method")


def _predict(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    parser.add_argument("--games", type=positive_int, default=500, help="games")
    parser.add_argument("--moves", type=positive_int, default=60, help="moves per game")


def _inherit(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    parser.add_argument("--games", type=positive_int, default=25, help="games")
    parser.add_argument("--moves", type=positive_int, default=50, help="moves per game")
    parser.add_argument(
        "--residual",
        type=float,
        action="append",
        metavar="X",
        help="residual of the modes; repeatable (default: 1e-6, 1e-4 and 1e-3)",
    )


def _records(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--records",
        type=Path,
        required=True,
        metavar="GAMES",
        help="game records of strong players: a file, folder, .zip or .tar.*",
    )


EXPERIMENTS: Experiments = {
    "solvers": Experiment("compare eigenvector methods by CPU time (chapter 4)", _solvers),
    "gallery": Experiment(
        "draw modes and suggested moves for opening positions of real games", _gallery
    ),
    "predict": Experiment("measure how often experts play one of the k biggest moves", _predict),
    "inherit": Experiment(
        "measure the savings of starting from the previous position's mode",
        _inherit,
        "predict.run_inherit",
    ),
    "match": Experiment("play matches with and without the prior (chapter 5)", _match),
}

add_arguments = partial(add_experiments, "bigmove", EXPERIMENTS)
run = run_experiment
