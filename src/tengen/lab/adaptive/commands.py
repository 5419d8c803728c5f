"""`tengen lab adaptive`: the experiments of paper 001, and what each takes."""

import argparse
import sys
from functools import partial
from pathlib import Path

from tengen.core.counts import positive_float, positive_int
from tengen.lab.experiments import Experiments, add_experiments
from tengen.lab.options import add_terms

START1, START2 = "-0.002,-0.5,0.8", "-0.0005,-0.1,0.25"
"""Where SPSA starts: the paper prints no theta."""
THETA1, THETA2 = "-0.0045,-0.704,1.205", "0.0015,0.19,0.556"
"""What it found in 13,000 and 7,000 iterations: docs/findings/adaptive-nets.md."""

NETS = "2x16,2x32,4x32,6x32,6x64"

JUDGE = "playouts=1000 net=default"


def _sides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--net", default="default", help="its name or a file (default: the package's)"
    )
    parser.add_argument(
        "--playouts", type=positive_int, default=400, help="simulations a move (default 400)"
    )
    parser.add_argument("--seconds", type=float, help="instead: seconds a move, for both sides")
    parser.add_argument("--engine", default="", help="more settings for all sides: 'threads=2'")
    add_terms(parser)


def _against(parser: argparse.ArgumentParser) -> None:
    _sides(parser)
    parser.add_argument(
        "--opponent",
        default="",
        help="a player as for tengen match (default: the engine without net)",
    )


def _depth(parser: argparse.ArgumentParser) -> None:
    _against(parser)
    parser.add_argument(
        "--fast", default="default", help="the net below that depth (default: the package's)"
    )


def _matches(parser: argparse.ArgumentParser) -> None:
    _sides(parser)
    parser.add_argument("--theta1", default=THETA1, help=f"a,b,c of V1 (default --theta1={THETA1})")
    parser.add_argument("--theta2", default=THETA2, help=f"a,b,c of V2 (default --theta2={THETA2})")
    parser.add_argument(
        "--other",
        action="append",
        default=[],
        metavar="PLAYER",
        help="another engine to meet, as for tengen match; may be given several times",
    )


def _spsa(parser: argparse.ArgumentParser) -> None:
    _sides(parser)
    parser.add_argument(
        "--version", choices=("V1", "V2"), default="V2", help="capped at 1 or at 0.25 (default V2)"
    )
    parser.add_argument(
        "--theta", default="", help=f"a,b,c to start from (default --theta={START1} or {START2})"
    )
    parser.add_argument(
        "--iterations",
        type=positive_int,
        default=1000,
        help="of SPSA (default 1000; theirs 13000, 7000)",
    )
    parser.add_argument(
        "--every",
        type=positive_int,
        default=250,
        help="the last theta meets one in so many on the way (default 250)",
    )
    parser.add_argument(
        "--judge",
        default=f"{sys.executable} -m tengen.cli.main gtp {JUDGE}",
        help=f"a GTP engine that values moves (default tengen gtp {JUDGE})",
    )
    parser.add_argument(
        "--positions",
        type=Path,
        required=True,
        metavar="GAMES",
        help="game records to take positions from, of 5,000 games at the most: a file, folder or "
        "archive",
    )


def _sizes(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    # Not the usual order: what follows `--unseen GAMES` would be taken for more of them.
    parser.usage = "tengen lab adaptive sizes GAMES ... --unseen GAMES ... [options]"
    add("learn", metavar="GAMES", nargs="+", help="to learn from, as for tengen net train")
    add(
        "--unseen",
        metavar="GAMES",
        nargs="+",
        required=True,
        help="records that none of the nets learns from: file, folder, .zip or .tar.*",
    )
    add("--nets", default=NETS, help=f"BLOCKSxCHANNELS with commas between (default {NETS})")
    add("--hours", type=positive_float, default=0.25, help="to train each (default 0.25)")
    add("--steps", type=int, default=0, help="end after so many steps (default 0: no limit)")
    add("--positions", type=positive_int, default=4000, help="to ask about (default 4000)")
    add(
        "--opponent",
        default="",
        metavar="PLAYER",
        help="whom the first choice of each meets: 'gnugo --mode gtp --chinese-rules'",
    )
    add(
        "--seconds",
        type=float,
        default=0.2,
        help="a move when each net meets the one before it (default 0.2; 0: they do not meet)",
    )
    add_terms(parser)


EXPERIMENTS: Experiments = {
    "sizes": ("table 2.1, figure 2.8: what depth and width of a net are worth", _sizes),
    "weights": ("figure 4.1: how much should the net's policy weigh?", _against),
    "depth": ("figures 4.2, 4.3: a slow net near the root, a fast one below", _depth),
    "spsa": ("figures 4.5, 4.6: an adaptive weight found by a stronger engine's word", _spsa),
    "matches": ("figures 4.4 to 4.13: adaptive weights against everything", _matches),
    "lambda": ("how much of a leaf's value should be the playout's?", _against),
    "both": ("search with a net against the net alone", _sides),
}


add_arguments = partial(add_experiments, "adaptive", EXPERIMENTS)


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment that was asked for."""
    if arguments.experiment == "sizes":
        from tengen.lab.adaptive import sizes

        return sizes.run(arguments)
    if arguments.experiment == "spsa":
        from tengen.lab.adaptive.spsa import run_spsa

        return run_spsa(arguments)
    from tengen.lab.adaptive.matches import run_matches

    return run_matches(arguments)
