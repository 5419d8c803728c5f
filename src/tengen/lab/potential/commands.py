"""`tengen lab potential`: the experiments with potential filters (paper 002)."""

import argparse
from pathlib import Path
from typing import Any

from tengen.core.counts import positive_int
from tengen.core.words import sentence
from tengen.lab.options import add_output, add_terms, board_sizes

SubParsers = Any
"""What argparse gives to add experiments to; its own name for it is private."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the experiments."""
    experiments = parser.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    _add_sweep(experiments)
    _add_tree(experiments)
    _add_landscape(experiments)


def _add_sweep(experiments: SubParsers) -> None:
    summary = "each filter against a plain player, for each board size and switching point"
    sweep = experiments.add_parser("sweep", help=summary, description=sentence(summary))
    add = sweep.add_argument
    add_output(sweep, "potential-sweep")
    add("--filters", default="all", help="with commas between (default: the ten of the paper)")
    add("--sizes", default="9", help="board sizes with commas between (default 9)")
    add("--shares", help="switching points to begin with, as shares of the board's points")
    add(
        "--least",
        type=positive_int,
        default=20,
        help="games for every switching point (default 20)",
    )
    add(
        "--games",
        type=positive_int,
        default=400,
        help="games for one that stays open (default 400)",
    )
    add("--margin", type=float, default=0.05, help="what the test tells apart (default 0.05)")
    add("--minutes", type=float, help="stop after so long; run again to go on")
    add(
        "--playouts",
        type=positive_int,
        default=100,
        help="for each candidate (default 100, the paper's)",
    )
    add("--komi", type=float, help="default: such that plain players come near the paper's rates")
    add("--colour", choices=("black", "white"), default="black", help="who filters (default black)")
    add("--fill-eyes", action="store_true", help="let the players fill their own eyes")
    add("--stencil", default="horn", help="of the slope: horn, four or steepest (default horn)")
    add("--seed", type=int, default=1, help="of all that is drawn at random (default 1)")
    add("--workers", type=int, default=1, help="trunks at a time (default 1)")
    add("--cluster", metavar="ADDRESS", help="of a Dask scheduler: tcp://...")
    sweep.set_defaults(run_experiment=_sweep)


def _add_tree(experiments: SubParsers) -> None:
    summary = "at equal simulations and time, does a filter still help RAVE with heavy playouts?"
    tree = experiments.add_parser("tree", help=summary, description=sentence(summary))
    add = tree.add_argument
    add_output(tree, "potential-tree")
    add("--parts", default="simulations,time", help="what is equal (default: both in turn)")
    add("--filter", default="pf9", help="of the paper's ten (default pf9)")
    add("--switch", type=float, default=0.75, help="number of moves or share (default 0.75)")
    uses = ("filter", "prior", "both")
    add("--use", choices=uses, default="filter", help="as what (default filter)")
    add("--visits", type=float, default=20.0, help="of the prior (default 20)")
    add("--depth", type=int, default=1000, help="of the tree, the root is 0 (default: all)")
    add("--kind", choices=("rave", "uct"), default="rave", help="of search (default rave)")
    add("--engine", default="", help="more settings for both sides")
    add("--simulations", type=positive_int, default=1000, help="a move (default 1000)")
    add("--seconds", type=float, default=0.2, help="a move (default 0.2)")
    add_terms(tree, games=1000, test="0,40")
    tree.set_defaults(run_experiment=_tree)


def _add_landscape(experiments: SubParsers) -> None:
    summary = "draw a position as each filter sees it: overhead view and landscape"
    landscape = experiments.add_parser("landscape", help=summary, description=sentence(summary))
    add = landscape.add_argument
    add("record", nargs="?", type=Path, metavar="FILE", help="a game; default: two stones on 9x9")
    add_output(landscape, "potential-landscape")
    add("--move", type=positive_int, help="before this move of FILE (default: at the end)")
    add("--stencil", default="horn", help="of the slope: horn, four or steepest (default horn)")
    add("--switch", type=float, default=0.0, help="switching point (default 0: always on)")
    landscape.set_defaults(run_experiment=_landscape)


def run(arguments: argparse.Namespace) -> int:
    """Run one experiment."""
    return int(arguments.run_experiment(arguments))


def _sweep(arguments: argparse.Namespace) -> int:
    from tengen.board.colour import BLACK, WHITE
    from tengen.lab.potential import sweep_study
    from tengen.lab.potential.sweep import Effort, SweepRules
    from tengen.match.workers import check_workers

    check_workers(arguments.workers, arguments.cluster)
    rules = SweepRules(
        playouts=arguments.playouts,
        colour=BLACK if arguments.colour == "black" else WHITE,
        fills_eyes=arguments.fill_eyes,
        stencil=arguments.stencil,
        seed=arguments.seed,
        komi=arguments.komi,
    )
    effort = Effort(
        filters=sweep_study.filters_named(arguments.filters),
        sizes=tuple(board_sizes(arguments.sizes, smallest=2)),
        shares=sweep_study.shares_named(arguments.shares),
        least=arguments.least,
        most=arguments.games,
        margin=arguments.margin,
        minutes=arguments.minutes,
    )
    page = sweep_study.run(arguments.output, rules, effort, arguments.workers, arguments.cluster)
    print(f"wrote {page}")
    return 0


def _tree(arguments: argparse.Namespace) -> int:
    from dataclasses import fields

    from tengen.lab.potential import tree
    from tengen.lab.terms import terms_of

    chosen = {field.name: getattr(arguments, field.name) for field in fields(tree.TreeRules)}
    rules = tree.TreeRules(**chosen)
    parts = arguments.parts.split(",")
    page = tree.run(arguments.output, rules, parts, terms_of(arguments))
    print(f"wrote {page}")
    return 0


def _landscape(arguments: argparse.Namespace) -> int:
    from tengen.lab.potential import landscape

    position = landscape.position_from(arguments.record, arguments.move)
    page = landscape.run(arguments.output, position, arguments.stencil, arguments.switch)
    print(f"wrote {page}")
    return 0
