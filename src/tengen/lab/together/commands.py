"""`tengen lab together`: the ideas of all papers in one engine."""

import argparse
from functools import partial
from pathlib import Path

from tengen.core.counts import positive_int
from tengen.lab.experiments import Experiments, add_experiments, run_experiment
from tengen.lab.options import add_opponents, add_terms

STARTS = "ours,papers,little"
SIZES = "boards with commas between, from 5 to 19"


def _labels(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("labels", type=Path, metavar="LABELS", help="a folder of labelled games")


def _players(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--net", default="default", help="a net's file (default: the package's)")
    parser.add_argument("--without", default="", help="ideas to leave out: metric,filter")
    parser.add_argument(
        "--cost-seconds", type=float, default=2.0, help="to measure each cost with (default 2)"
    )


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, help="a move, the same for all")
    parser.add_argument(
        "--playouts", type=positive_int, default=400, help="instead: simulations (default 400)"
    )
    _players(parser)
    add_opponents(parser)
    add_terms(parser, size="9,19", test=None, board=SIZES)


def _choices(parser: argparse.ArgumentParser) -> None:
    _labels(parser)
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="of the processor a position (default 0.5)"
    )
    parser.add_argument("--positions", type=int, default=200, help="of each size (default 200)")
    parser.add_argument(
        "--all-games",
        action="store_true",
        help="those too that a net taught with this folder has learned from (one in twenty is not)",
    )
    parser.add_argument(
        "--before", type=int, default=0, help="only before this move (default 0: any)"
    )
    _players(parser)
    parser.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="NAME:SETTINGS",
        help="instead of the ideas, players of your own, the first to compare with: "
        "'light:patterns=0 shape=0'",
    )
    parser.add_argument("--size", default="9,19", help=f"{SIZES} (default 9,19)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (default 1)")


def _losses(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("games", nargs="+", metavar="GAMES", help="records: file, folder, .zip or .tar.*")
    add("--judge", default="b15c192", help="the net whose word counts (default b15c192)")
    add(
        "--player",
        action="append",
        required=True,
        metavar="NAME:PLAYER",
        help="as for tengen match, the first to compare with: 'mine:tengen playouts=1000' or "
        "'gnugo:gnugo --mode gtp'",
    )
    add("--size", type=int, default=19, help="of the board (default 19)")
    add("--positions", type=int, default=120, help="in all (default 120)")
    add("--each", type=positive_int, default=4, help="positions of a game at the most (default 4)")
    add("--first", type=int, default=4, help="after so many moves at the earliest (default 4)")
    add("--last", type=int, default=0, help="before so many moves (default 0: to the end)")
    add("--seed", type=int, default=1, help="of the choice (default 1)")


def _tune(parser: argparse.ArgumentParser) -> None:
    _labels(parser)
    add, pace = parser.add_argument, "seconds=0.5 stop_early=no"
    add("--net", default="default", help="a net's file, or none (default: the package's)")
    add("--starts", default=STARTS, help=f"where to begin (default {STARTS})")
    add("--iterations", type=positive_int, default=1000, help="from each start (default 1000)")
    add("--step", type=float, default=3.0, help="of SPSA (default 3)")
    add("--batch", type=positive_int, default=8, help="positions an iteration (default 8)")
    add("--simulations", type=positive_int, default=400, help="a position (default 400)")
    add("--positions", type=int, default=300, help="to draw from (default 300)")
    add("--pace", default=pace, help=f"of the match (default {pace})")
    add_terms(parser, board="of the board, from 5 to 19")


EXPERIMENTS: Experiments = {
    "compare": ("nothing, each idea alone, all, all but one: a round robin", _compare),
    "choices": ("the same players: what a strong net says of their moves", _choices),
    "losses": ("any players, other programs too: the points that their moves lose", _losses),
    "tune": ("all weights at once by SPSA on such moves, then a match", _tune),
}

add_arguments = partial(add_experiments, "together", EXPERIMENTS)
run = partial(run_experiment, "together")
