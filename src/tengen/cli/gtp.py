"""`tengen gtp`: serve the Go Text Protocol on standard input and output."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.engine_options import (
    PER_MOVE,
    PLAYER_PRESET,
    PRESET_NOTES,
    add_engine_options,
    add_katago_options,
    engine_settings,
    katago_settings,
    player_defaults,
    settings_text,
    warn,
)
from tengen.cli.options import RULES_HELP

if TYPE_CHECKING:
    from tengen.engine import TranslatedSettings
    from tengen.protocols.gtp import GtpLog, GtpLoop

NAMES = {"katago": ("KataGo", "1.15.0"), "leela-zero": ("Leela Zero", "0.17")}
"""Names and versions for programs that accept only certain engines."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_engine_options(parser, per=PER_MOVE, default_preset=PLAYER_PRESET)
    parser.epilog = f"{PRESET_NOTES[PLAYER_PRESET]}\n\n{settings_text()}"
    parser.add_argument("--rules", help=f"{RULES_HELP} (default: chinese); komi is set over GTP")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="append all input and output to a file, with times"
    )
    parser.add_argument(
        "--as",
        dest="known_as",
        choices=NAMES,
        help="report this name and version, for programs that require it (Lizzie)",
    )
    parser.add_argument(
        "--player",
        choices=("engine", "solver"),
        default="engine",
        help="solver: perfect play on boards of up to 30 points, without time limit ",
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="table of the solver (see `tengen solve`)"
    )
    add_katago_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until `quit` or the end of input."""
    from tengen.protocols.gtp import GtpLog

    log = GtpLog(arguments.log) if arguments.log else None
    _loop(arguments, log).run()
    return 0


def _warn_ignored(katago: "TranslatedSettings") -> None:
    """Print the KataGo settings that have no effect over GTP."""
    if katago.perspective:  # SIDETOMOVE is the default over GTP
        warn("ignored: reportAnalysisWinratesAs (win rates are those of the side to move)")
    if katago.positions is not None:
        warn("ignored: numAnalysisThreads (only for `tengen analysis`)")
    if katago.visits is not None and katago.seconds is not None:
        warn("ignored: maxTime (maxVisits takes precedence)")


def _loop(arguments: argparse.Namespace, log: "GtpLog | None") -> "GtpLoop":
    """Return the GTP loop for the options."""
    from tengen.board import rules_named
    from tengen.engine import require_files

    katago = katago_settings(arguments)
    _warn_ignored(katago)
    defaults = () if katago.sets_net else player_defaults(arguments)
    settings = engine_settings(arguments, [*defaults, *katago.all_overrides()])
    require_files(settings)  # report missing files before the first move
    default_rules = katago.rules or rules_named("chinese")
    rules = rules_named(arguments.rules) if arguments.rules else default_rules
    from tengen.protocols.gtp import GtpLoop, Identity

    identity = Identity(*NAMES[arguments.known_as]) if arguments.known_as else None
    if arguments.player == "engine":
        return GtpLoop(settings, rules, log=log, identity=identity)
    from tengen.engine import SolverEngine

    make_engine = partial(SolverEngine, table=arguments.table)
    return GtpLoop(settings, rules, make_engine=make_engine, log=log, identity=identity)
