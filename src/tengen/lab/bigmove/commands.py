"""`tengen lab bigmove`: the experiments of paper 000, and what each takes."""

import argparse
from pathlib import Path

from tengen.lab.experiments import Experiments, add_experiments, run_experiment
from tengen.lab.terms import add_terms


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contests",
        default="tests,x,y",
        help="groups (tests, x, y, proposals, beyond) or single ones, with commas (tests,x,y)",
    )
    parser.add_argument("--playouts", type=int, default=400, help="simulations a move (400)")
    parser.add_argument(
        "--seconds", type=float, help="instead: seconds a move, the same for both sides"
    )
    parser.add_argument(
        "--phantom",
        choices=("thesis", "yes", "no"),
        default="thesis",
        help="whether the opponent computes the modes and throws them away: as the thesis had "
        "it, always, never (thesis); at fixed simulations it changes nothing",
    )
    parser.add_argument("--visits", type=float, default=160, help="equivalent visits (160)")
    parser.add_argument("--opponent", default="tengen", help="a player as for tengen match")
    parser.add_argument("--engine", default="", help="more settings for both sides: 'threads=2'")
    add_terms(parser, size="19", komi=6.5, openings="empty")


def _solvers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", help="only these, with ; between (all)")
    parser.add_argument(
        "--iterations",
        default="1,5,10,50,100,500,1000",
        help="how many solutions to time together (1,5,10,50,100,500,1000)",
    )
    parser.add_argument(
        "--most", type=float, default=20.0, help="seconds one measurement may take (20)"
    )
    parser.add_argument("--tolerance", type=float, default=1e-6, help="residual (1e-6)")


def _gallery(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    parser.add_argument("--games", type=int, default=1000, help="to look through (1000)")
    parser.add_argument("--positions", type=int, default=4, help="common positions (4)")
    parser.add_argument("--late", type=int, default=2, help="where the centre calls (2)")
    parser.add_argument("--method", default="tengen", help="of `tengen bench bigmove` (tengen)")


def _predict(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    parser.add_argument("--games", type=int, default=500, help="how many (500)")
    parser.add_argument("--moves", type=int, default=60, help="of each game (60)")


def _inherit(parser: argparse.ArgumentParser) -> None:
    _records(parser)
    parser.add_argument("--games", type=int, default=25, help="how many (25)")
    parser.add_argument("--moves", type=int, default=50, help="of each game (50)")
    parser.add_argument(
        "--residual",
        type=float,
        action="append",
        metavar="X",
        help="how exact modes are; may be given several times (1e-6, 1e-4 and 1e-3)",
    )


def _records(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("../shared/games/pro.tar.xz"),
        help="game records: a file, folder or archive (../shared/games/pro.tar.xz)",
    )


EXPERIMENTS: Experiments = {
    "solvers": ("chapter 4: which eigenvector method is fastest?", _solvers),
    "gallery": ("modes and suggested moves on fuseki positions of real games", _gallery),
    "predict": ("how often is the experts' move among the k biggest?", _predict),
    "inherit": ("what does it save to begin with the last position's mode?", _inherit),
    "match": ("chapter 5: does the prior win games?", _match),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the experiments."""
    add_experiments(parser, "bigmove", EXPERIMENTS)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment that was asked for."""
    return run_experiment("bigmove", arguments)
