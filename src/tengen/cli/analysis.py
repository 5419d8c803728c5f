"""`tengen analysis`: KataGo's JSON analysis protocol on standard input and output."""

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING

from tengen.cli.engine_options import (
    FOR_PLAYERS,
    add_engine_options,
    engine_settings,
    words_for_players,
)
from tengen.cli.katago_options import add_katago_options, katago_settings, tell
from tengen.core.counts import positive_int

if TYPE_CHECKING:
    from tengen.analysis.analyst import Defaults
    from tengen.engine.katago_settings import Translated

MOST_AT_ONCE = 4
"""Positions analysed at once by default, where there are as many cores."""
FEWEST_MIB = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    visits_help = "visits a position, where a question names none"
    add_engine_options(parser, visits_help, begins_with=FOR_PLAYERS)
    parser.add_argument(
        "--positions",
        "-analysis-threads",
        type=positive_int,
        metavar="N",
        help=f"positions analysed at once (default: as many as cores, {MOST_AT_ONCE} at most)",
    )
    parser.add_argument(
        "-quit-without-waiting",
        action="store_true",
        help="at the end of input, end the questions that are still open",
    )
    add_katago_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the end of input."""
    from tengen.analysis.loop import serve

    katago = katago_settings(arguments)
    positions = _positions(arguments, katago)
    share = max((os.cpu_count() or 1) // positions, 1)
    usual = () if katago.names_net else words_for_players(arguments)
    threads = min(katago.threads or share, share)
    settings = engine_settings(arguments, [*usual, f"threads={threads}", *katago.words])
    memory_mib = max(settings.search.memory_mib // positions, FEWEST_MIB)
    # Each question for itself.
    settings = settings.with_words([f"memory_mib={memory_mib}", "reuse=no", "ponder=no"])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    with open(sys.stdin.fileno(), "rb", closefd=False) as source:
        defaults = _defaults(arguments, katago, positions)
        serve(settings, defaults, source, sys.stdout, not arguments.quit_without_waiting)
    return 0


def _positions(arguments: argparse.Namespace, katago: "Translated") -> int:
    """Return how many positions are analysed at once: more than cores make nothing faster."""
    cores = os.cpu_count() or 1
    if arguments.positions is not None:
        return int(arguments.positions)
    if katago.positions is None:
        return min(cores, MOST_AT_ONCE)
    if katago.positions > cores:
        tell(f"numAnalysisThreads={katago.positions}: {cores} are used, one for each core")
    return min(katago.positions, cores)


def _defaults(arguments: argparse.Namespace, katago: "Translated", positions: int) -> "Defaults":
    from tengen.analysis.analyst import Defaults
    from tengen.engine.katago_settings import Perspective

    perspective = katago.perspective
    return Defaults(
        visits=arguments.playouts or katago.visits,
        seconds=arguments.seconds or katago.seconds,
        perspective=Perspective.BLACK if perspective is None else perspective,
        positions=positions,
    )
