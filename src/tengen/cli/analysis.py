"""`tengen analysis`: serve KataGo's JSON analysis protocol on standard input and output."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from tengen.cli.engine_options import (
    PLAYER_PRESET,
    add_engine_options,
    add_katago_options,
    engine_settings,
    katago_settings,
    player_defaults,
    warn,
)
from tengen.util import positive_int

if TYPE_CHECKING:
    from tengen.engine import TranslatedSettings
    from tengen.protocols.analysis import QueryDefaults

MAX_DEFAULT_POSITIONS = 4
"""Positions analyzed in parallel by default, if there are as many cores."""
MIN_MEMORY_MIB = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    visits_help = "visits per position for queries without maxVisits (default: limited by time)"
    add_engine_options(parser, visits_help, default_preset=PLAYER_PRESET)
    parser.add_argument(
        "--positions",
        "-analysis-threads",
        type=positive_int,
        metavar="N",
        help="positions analyzed in parallel (default: number of cores, at most "
        f"{MAX_DEFAULT_POSITIONS})",
    )
    parser.add_argument(
        "-quit-without-waiting",
        action="store_true",
        help="terminate open queries at the end of input instead of finishing them",
    )
    add_katago_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the end of input."""
    from tengen.protocols.analysis import serve

    katago = katago_settings(arguments)
    positions = _positions(arguments, katago)
    share = max((os.cpu_count() or 1) // positions, 1)
    defaults = () if katago.sets_net else player_defaults(arguments)
    threads = min(katago.threads or share, share)
    settings = engine_settings(arguments, [*defaults, f"threads={threads}", *katago.overrides])
    memory_mib = max(settings.search.memory_mib // positions, MIN_MEMORY_MIB)
    # Queries are independent of each other.
    settings = settings.with_overrides(
        [f"memory_mib={memory_mib}", "subtree_reuse=no", "ponder=no"]
    )
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    with open(sys.stdin.fileno(), "rb", closefd=False) as source:
        query_defaults = _query_defaults(arguments, katago, positions)
        serve(settings, query_defaults, source, sys.stdout, not arguments.quit_without_waiting)
    return 0


def _positions(arguments: argparse.Namespace, katago: "TranslatedSettings") -> int:
    """Return the number of positions analyzed in parallel, at most the number of cores."""
    cores = os.cpu_count() or 1
    if arguments.positions is not None:
        return int(arguments.positions)
    if katago.positions is None:
        return min(cores, MAX_DEFAULT_POSITIONS)
    if katago.positions > cores:
        warn(f"numAnalysisThreads={katago.positions} reduced to {cores}, the number of cores")
    return min(katago.positions, cores)


def _query_defaults(
    arguments: argparse.Namespace, katago: "TranslatedSettings", positions: int
) -> "QueryDefaults":
    from tengen.engine import Perspective
    from tengen.protocols.analysis import QueryDefaults

    perspective = katago.perspective
    return QueryDefaults(
        visits=arguments.playouts or katago.visits,
        seconds=arguments.seconds or katago.seconds,
        perspective=Perspective.BLACK if perspective is None else perspective,
        positions=positions,
    )
