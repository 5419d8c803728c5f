"""Command line of `tengen lab levels`."""

import argparse
from pathlib import Path

from tengen.lab.options import Experiment, Experiments, add_experiments, counts, run_experiment

SIZES, GAMES, MAX_SKILLS = "9,13,19", "200,100,60", "32,30,28"


def _ranks(text: str) -> list[str]:
    from tengen.engine import RANKS  # imports NumPy

    ranks = text.split(",")
    if len(ranks) < 2 or not set(ranks) <= set(RANKS):
        raise argparse.ArgumentTypeError(f"ranks must be at least two such as 10k,9k, got {text!r}")
    return sorted(ranks, key=RANKS.index)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--size", type=counts, default=counts(SIZES), help=f"board sizes (default: {SIZES})"
    )
    parser.add_argument(
        "--games",
        type=counts,
        default=counts(GAMES),
        help=f"games of each pairing, for each size (default: {GAMES})",
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed")


def _calibrate(parser: argparse.ArgumentParser) -> None:
    _common(parser)
    parser.add_argument(
        "--max-skill",
        type=counts,
        default=counts(MAX_SKILLS),
        metavar="N",
        help=f"skill of the strongest player, for each size (default: {MAX_SKILLS})",
    )
    parser.add_argument(
        "--anchor",
        action="append",
        default=[],
        metavar="NAME:COMMAND",
        help="command of an anchor, instead of the default one; repeatable",
    )
    parser.add_argument(
        "--table",
        type=Path,
        metavar="FILE",
        help="also write the table of levels to FILE, for example src/tengen/data/levels.csv",
    )


def _check(parser: argparse.ArgumentParser) -> None:
    _common(parser)
    parser.add_argument(
        "--ranks", type=_ranks, metavar="RANK,...", help="levels to check (default: all)"
    )


EXPERIMENTS: Experiments = {
    "calibrate": Experiment(
        "play the calibration games of the levels and compute the skill of each rank", _calibrate
    ),
    "check": Experiment(
        "play each level against the next one, and with handicap on 19x19",
        _check,
        "calibrate.run_check",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the experiments."""
    add_experiments("levels", EXPERIMENTS, parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the selected experiment."""
    return run_experiment(arguments)
