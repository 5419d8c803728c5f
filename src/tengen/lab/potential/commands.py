"""Command line of `tengen lab potential` (paper 002)."""

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


def _sweep(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--filters", default="all", help="comma-separated filters (default: all ten)")
    add("--sizes", default="9", help="comma-separated board sizes")
    add("--shares", help="initial switching points as shares of the board's points")
    add("--least", type=positive_int, default=20, help="minimum games per switching point")
    add(
        "--games",
        type=positive_int,
        default=400,
        help="maximum games per undecided switching point",
    )
    add("--margin", type=float, default=0.05, help="half-width of the test, as a win rate")
    add("--minutes", type=float, help="stop after this time; run again to resume")
    add(
        "--playouts",
        type=positive_int,
        default=100,
        help="playouts per candidate (default: 100, as in the paper)",
    )
    add(
        "--komi",
        type=float,
        help="komi (default: brings plain players close to the paper's win rates)",
    )
    add("--color", choices=("black", "white"), default="black", help="filtering side")
    add("--fill-eyes", action="store_true", help="allow players to fill their own eyes")
    add("--stencil", default="horn", help="stencil of the slope: horn, four or steepest")
    add("--seed", type=int, default=1, help="random seed")
    add("--workers", type=int, default=1, help="concurrent trunks")
    add("--cluster", metavar="ADDRESS", help="address of a Dask scheduler: tcp://HOST:PORT")


def _tree(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--parts",
        default="simulations,time",
        help="what is equal: simulations, time or both (default: both in turn)",
    )
    add("--filter", default="pf9", help="filter")
    add(
        "--switch",
        type=float,
        default=0.75,
        help="switching point: number of moves or share of the board",
    )
    uses = ("filter", "prior", "both")
    add("--use", choices=uses, default="filter", help="use as filter, prior or both")
    add("--visits", type=float, default=20.0, help="equivalent visits of the prior")
    add(
        "--depth",
        type=int,
        default=1000,
        help="maximum depth in the tree, 0 is the root (default: unlimited)",
    )
    add("--kind", choices=("rave", "uct"), default="rave", help="kind of search")
    add("--engine", default="", help="additional settings of both sides")
    add("--simulations", type=positive_int, default=1000, help="simulations per move")
    add("--seconds", type=float, default=0.2, help="seconds per move")
    add_match_options(parser, games=1000, test="0,40")


def _landscape(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "record",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="game record (default: two stones on 9x9)",
    )
    add(
        "--move",
        type=positive_int,
        help="show the position before this move of FILE (default: the end)",
    )
    add("--stencil", default="horn", help="stencil of the slope: horn, four or steepest")
    add("--switch", type=float, default=0.0, help="switching point (default: 0, always active)")


EXPERIMENTS: Experiments = {
    "sweep": Experiment(
        "play each filter against a plain player, by board size and switching point",
        _sweep,
        "sweep_report.run",
    ),
    "tree": Experiment(
        "test a filter in a RAVE tree at equal simulations and at equal time", _tree
    ),
    "landscape": Experiment(
        "draw the potential and slope of a position and the moves each filter keeps", _landscape
    ),
}

add_arguments = partial(add_experiments, "potential", EXPERIMENTS)
run = run_experiment
