"""`tengen lab bigmove`: the experiments of paper 000, and what each takes."""

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contests",
        default="tests,x,y",
        help="groups (tests, x, y, proposals, beyond) or single ones, with commas (tests,x,y)",
    )
    parser.add_argument("--games", type=int, default=100, help="for each contest (100)")
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
    parser.add_argument("--size", default="19")
    parser.add_argument("--komi", type=float, default=6.5)
    parser.add_argument("--openings", default="empty", help="as for tengen match (empty)")
    parser.add_argument("--sprt", default="", metavar="ELO0,ELO1", help="stop when decided")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="games at a time (1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler: tcp://...")


EXPERIMENTS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "match": ("chapter 5: does the prior win games?", _match),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the experiments."""
    experiments = parser.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    for name, (summary, describe) in EXPERIMENTS.items():
        experiment = experiments.add_parser(name, help=summary, description=summary.capitalize())
        experiment.add_argument(
            "-o",
            "--output",
            type=Path,
            default=Path(f"bigmove-{name}"),
            help=f"the folder to write to, and to go on in (bigmove-{name})",
        )
        describe(experiment)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment that was asked for."""
    experiment = importlib.import_module(f"tengen.lab.bigmove.{arguments.experiment}")
    return int(experiment.run(arguments))
