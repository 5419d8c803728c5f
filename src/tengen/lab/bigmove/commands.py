"""`tengen lab bigmove`: the experiments of paper 000, and what each takes."""

import argparse
from functools import partial
from pathlib import Path

from tengen.core.counts import positive_int
from tengen.lab.experiments import Experiments, add_experiments, run_experiment
from tengen.lab.options import add_terms


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contests",
        default="tests,x,y",
        help="groups (tests, x, y, proposals, beyond) or single ones, with commas between "
        "(default tests,x,y)",
    )
    parser.add_argument(
        "--playouts", type=positive_int, default=400, help="simulations a move (default 400)"
    )
    parser.add_argument(
        "--seconds", type=float, help="instead: seconds a move, the same for both sides"
    )
    parser.add_argument(
        "--phantom",
        choices=("thesis", "yes", "no"),
        default="thesis",
        help="whether the opponent computes the modes and throws them away: as the thesis had "
        "it, always, never (default thesis); at fixed simulations it changes nothing",
    )
    parser.add_argument("--visits", type=float, default=160, help="equivalent visits (default 160)")
    parser.add_argument(
        "--opponent", default="tengen", help="a player as for tengen match (default tengen)"
    )
    parser.add_argument("--engine", default="", help="more settings for both sides: 'threads=2'")
    add_terms(parser, size="19", komi=6.5, openings="empty")


def _solvers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", help="only these, with ; between (default: all)")
    parser.add_argument(
        "--iterations",
        default="1,5,10,50,100,500,1000",
        help="how many solutions to time together (default 1,5,10,50,100,500,1000)",
    )
    parser.add_argument(
        "--most", type=float, default=20.0, help="seconds one measurement may take (default 20)"
    )
    parser.add_argument(
        "--tolerance", type=float, default=1e-6, help="residual of a solution (default 1e-6)"
    )


def _gallery(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    add = parser.add_argument
    add("--games", type=positive_int, default=1000, help="to look through (default 1000)")
    add("--positions", type=int, default=4, help="common positions (default 4)")
    add("--late", type=int, default=2, help="positions where the centre calls (default 2)")
    add("--method", default="tengen", help="of `tengen bench bigmove` (default tengen)")


def _predict(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    parser.add_argument("--games", type=positive_int, default=500, help="how many (default 500)")
    parser.add_argument("--moves", type=positive_int, default=60, help="of each game (default 60)")


def _inherit(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    parser.add_argument("--games", type=positive_int, default=25, help="how many (default 25)")
    parser.add_argument("--moves", type=positive_int, default=50, help="of each game (default 50)")
    parser.add_argument(
        "--residual",
        type=float,
        action="append",
        metavar="X",
        help="how exact modes are; may be given several times (default 1e-6, 1e-4 and 1e-3)",
    )


def _records(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--records",
        type=Path,
        required=True,
        metavar="GAMES",
        help="game records of strong players: a file, folder or archive",
    )


EXPERIMENTS: Experiments = {
    "solvers": ("chapter 4: which eigenvector method is fastest?", _solvers),
    "gallery": ("modes and suggested moves on fuseki positions of real games", _gallery),
    "predict": ("how often is the experts' move among the k biggest?", _predict),
    "inherit": ("what does it save to begin with the last position's mode?", _inherit),
    "match": ("chapter 5: does the prior win games?", _match),
}

add_arguments = partial(add_experiments, "bigmove", EXPERIMENTS)
run = partial(run_experiment, "bigmove")
