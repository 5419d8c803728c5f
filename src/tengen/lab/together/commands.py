"""Command line of `tengen lab together` (all papers)."""

import argparse
from functools import partial
from pathlib import Path

from tengen.lab.options import (
    Experiment,
    Experiments,
    add_experiments,
    add_games,
    add_match_options,
    add_opponents,
    run_experiment,
)
from tengen.util import positive_int

STARTS = "tengen,papers,low"
SIZES = "comma-separated board sizes from 5 to 19"


def _labels(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("labels", type=Path, metavar="LABELS", help="folder of labeled games")


def _players(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--net", default="default", help="network file (default: the bundled network)"
    )
    parser.add_argument("--without", default="", help="ideas to omit, e.g. metric,filter")
    parser.add_argument(
        "--cost-seconds", type=float, default=2.0, help="CPU seconds per cost measurement"
    )


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds", type=float, help="seconds per move for all players, instead of --playouts"
    )
    parser.add_argument("--playouts", type=positive_int, default=400, help="simulations per move")
    _players(parser)
    add_opponents(parser)
    add_match_options(parser, size="9,19", test=None, board=SIZES)


def _choices(parser: argparse.ArgumentParser) -> None:
    _labels(parser)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU seconds per position")
    parser.add_argument(
        "--visits",
        type=int,
        default=0,
        help="simulations per position instead of CPU seconds (default: 0, none)",
    )
    parser.add_argument("--positions", type=int, default=200, help="positions per board size")
    parser.add_argument(
        "--all-games",
        action="store_true",
        help="include positions that networks trained on this folder have seen (all but one in 20)",
    )
    parser.add_argument(
        "--before",
        type=int,
        default=0,
        help="use only positions before this move (default: 0, any)",
    )
    _players(parser)
    parser.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="NAME:SETTINGS",
        help="player to compare instead of the ideas; the first is the baseline; repeatable: "
        "'light:patterns=0 shape=0'",
    )
    parser.add_argument("--size", default="9,19", help=f"{SIZES}")
    parser.add_argument("--seed", type=int, default=1, help="random seed")


def _losses(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_games(parser)
    add("--judge", default="b15c192", help="network that judges the moves")
    add(
        "--player",
        action="append",
        required=True,
        metavar="NAME:PLAYER",
        help="player as for tengen match; the first is the baseline; repeatable: "
        "'mine:tengen playouts=1000', 'gnugo:gnugo --mode gtp'",
    )
    add("--size", type=int, default=19, help="board size")
    add("--positions", type=int, default=120, help="positions")
    add("--each", type=positive_int, default=4, help="maximum positions per game")
    add("--first", type=int, default=4, help="first move number")
    add("--last", type=int, default=0, help="last move number (default: 0, end of the game)")
    add("--seed", type=int, default=1, help="random seed")


def _tune(parser: argparse.ArgumentParser) -> None:
    _labels(parser)
    add, pace = parser.add_argument, "seconds=0.5 stop_early=no"
    add("--net", default="default", help="network file, or none (default: the bundled network)")
    add("--starts", default=STARTS, help="comma-separated starting points")
    add("--iterations", type=positive_int, default=1000, help="iterations per starting point")
    add("--step", type=float, default=3.0, help="SPSA step size")
    add("--batch", type=positive_int, default=8, help="positions per iteration")
    add("--simulations", type=positive_int, default=400, help="simulations per position")
    add("--positions", type=int, default=300, help="positions to draw from")
    add("--pace", default=pace, help="search effort in the match")
    add_match_options(parser, board="board size from 5 to 19")


EXPERIMENTS: Experiments = {
    "compare": Experiment(
        "play a round robin of no idea, each idea alone, all, and all but one", _compare
    ),
    "choices": Experiment(
        "judge the moves of the same players with a strong network", _choices, "losses.run_choices"
    ),
    "losses": Experiment(
        "measure the points lost by the moves of any players, including other programs", _losses
    ),
    "tune": Experiment("tune all weights with SPSA on judged moves, then play a match", _tune),
}

add_arguments = partial(add_experiments, "together", EXPERIMENTS)
run = run_experiment
