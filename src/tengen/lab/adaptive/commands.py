"""Command line of `tengen lab adaptive` (paper 001)."""

import argparse
import sys
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

THETA1, THETA2 = "-0.0045,-0.704,1.205", "0.0015,0.19,0.556"
"""Results of SPSA runs of 13,000 and 7,000 iterations."""

NETS = "2x16,2x32,4x32,6x32,6x64"

JUDGE = "playouts=1000 net=default"


def _sides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--net", default="default", help="network: name or file (default: the bundled network)"
    )
    parser.add_argument("--playouts", type=positive_int, default=400, help="simulations per move")
    parser.add_argument(
        "--seconds", type=float, help="seconds per move for both sides, instead of --playouts"
    )
    parser.add_argument(
        "--engine", default="", help="additional settings of all players, e.g. 'threads=2'"
    )
    add_match_options(parser)


def _against(parser: argparse.ArgumentParser) -> None:
    _sides(parser)
    parser.add_argument(
        "--opponent",
        default="",
        help="opponent, a player as for tengen match (default: the engine without network)",
    )


def _depth(parser: argparse.ArgumentParser) -> None:
    _against(parser)
    parser.add_argument(
        "--fast", default="default", help="network below that depth (default: the bundled network)"
    )


def _matches(parser: argparse.ArgumentParser) -> None:
    _sides(parser)
    parser.add_argument(
        "--theta1", default=THETA1, help=f"a,b,c of V1 (default: --theta1={THETA1})"
    )
    parser.add_argument(
        "--theta2", default=THETA2, help=f"a,b,c of V2 (default: --theta2={THETA2})"
    )
    parser.add_argument(
        "--other",
        action="append",
        default=[],
        metavar="PLAYER",
        help="additional opponent, a player as for tengen match; repeatable",
    )


def _spsa(parser: argparse.ArgumentParser) -> None:
    _sides(parser)
    parser.add_argument(
        "--version",
        choices=("V1", "V2"),
        default="V2",
        help="cap of the weight: 1 for V1, 0.25 for V2",
    )
    parser.add_argument("--theta", default="", help="initial a,b,c (default: depends on --version)")
    parser.add_argument(
        "--iterations",
        type=positive_int,
        default=1000,
        help="SPSA iterations (default: 1000; paper: 13000 and 7000)",
    )
    parser.add_argument(
        "--every",
        type=positive_int,
        default=250,
        help="play the final theta against every Nth intermediate one",
    )
    parser.add_argument(
        "--judge",
        default=f"{sys.executable} -m tengen.cli.main gtp {JUDGE}",
        help=f"GTP engine that evaluates moves (default: tengen gtp {JUDGE})",
    )
    parser.add_argument(
        "--positions",
        type=Path,
        required=True,
        metavar="GAMES",
        help="game records to take positions from, at most 5,000 games: a file, folder, .zip or "
        ".tar.*",
    )


def _sizes(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    # Options after `--held-out GAMES ...` would be ambiguous in the default usage line.
    parser.usage = "tengen lab adaptive sizes GAMES ... --held-out GAMES ... [options]"
    add("learn", metavar="GAMES", nargs="+", help="training data, as for tengen net train")
    add(
        "--held-out",
        metavar="GAMES",
        nargs="+",
        required=True,
        help="held-out game records: a file, folder, .zip or .tar.*",
    )
    add("--nets", default=NETS, help="comma-separated BLOCKSxCHANNELS")
    add("--steps", type=positive_int, default=5000, help="training steps")
    add("--positions", type=positive_int, default=4000, help="held-out positions")
    add(
        "--opponent",
        default="",
        metavar="PLAYER",
        help="opponent of each network's first choice, e.g. 'gnugo --mode gtp --chinese-rules'",
    )
    add(
        "--seconds",
        type=float,
        default=0.2,
        help="seconds per move in matches between neighboring sizes (default: 0.2; 0: no matches)",
    )
    add_match_options(parser)


EXPERIMENTS: Experiments = {
    "sizes": Experiment(
        "compare network sizes: accuracy and strength (table 2.1, figure 2.8)", _sizes
    ),
    "weights": Experiment(
        "compare weights of the network policy (figure 4.1)", _against, "matches.run"
    ),
    "depth": Experiment(
        "use a slow network near the root and a fast one below (figures 4.2, 4.3)",
        _depth,
        "matches.run",
    ),
    "spsa": Experiment(
        "tune the adaptive weight with SPSA (figures 4.5, 4.6)", _spsa, "matches.run_spsa"
    ),
    "matches": Experiment(
        "play adaptive weights against fixed ones (figures 4.4 to 4.13)", _matches
    ),
    "lambda": Experiment("compare mixtures of playout and network value", _against, "matches.run"),
    "both": Experiment("compare search with network and network alone", _sides, "matches.run"),
}

add_arguments = partial(add_experiments, "adaptive", EXPERIMENTS)
run = run_experiment
