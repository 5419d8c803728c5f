"""`tengen gtp`: the Go Text Protocol on standard input and output."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.arguments import RULES
from tengen.cli.engine_options import (
    A_MOVE,
    BEGINNINGS,
    FOR_PLAYERS,
    add_engine_options,
    engine_settings,
    settings_text,
    words_for_players,
)
from tengen.cli.katago_options import add_katago_options, katago_settings, tell

if TYPE_CHECKING:
    from tengen.engine.katago_settings import Translated
    from tengen.gtp.log import TalkLog
    from tengen.gtp.loop import Loop

NAMES = {"katago": ("KataGo", "1.15.0"), "leela-zero": ("Leela Zero", "0.17")}
"""Tools that know few engines ask for the name and version, and refuse others."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    add_engine_options(parser, per=A_MOVE, begins_with=FOR_PLAYERS)
    parser.epilog = f"{BEGINNINGS[FOR_PLAYERS]}\n\n{settings_text()}"
    parser.add_argument("--rules", help=f"{RULES} (default chinese); komi comes by GTP")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="keep what is said, with times, in this file"
    )
    parser.add_argument(
        "--as",
        dest="known_as",
        choices=NAMES,
        help="go by that name, for tools that know no other (Lizzie)",
    )
    parser.add_argument(
        "--player",
        choices=("engine", "solver"),
        default="engine",
        help="solver: perfect play on boards of up to 30 points, however long it takes",
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="the solver's table (see `tengen solve`)"
    )
    add_katago_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until `quit` or the end of input."""
    from tengen.gtp.log import TalkLog

    log = TalkLog(arguments.log) if arguments.log else None
    _loop(arguments, log).run()
    return 0


def _tell_unused(katago: "Translated") -> None:
    """Say on stderr which settings of KataGo's hold for the JSON protocol only."""
    if katago.perspective:  # SIDETOMOVE is what GTP's tools expect, and what they get
        tell("not used: reportAnalysisWinratesAs; win rates are those of the side to move")
    if katago.positions is not None:
        tell("not used: numAnalysisThreads; it is for `tengen analysis`")
    if katago.visits is not None and katago.seconds is not None:
        tell("not used: maxTime; with maxVisits the number of visits decides")


def _loop(arguments: argparse.Namespace, log: "TalkLog | None") -> "Loop":
    """Return the connection that the options describe."""
    from tengen.board.rules import rules_named
    from tengen.engine.named_files import require_files

    katago = katago_settings(arguments)
    _tell_unused(katago)
    usual = () if katago.names_net else words_for_players(arguments)
    settings = engine_settings(arguments, [*usual, *katago.all_words()])
    require_files(settings)  # now, not at the first move
    usual_rules = katago.rules or rules_named("chinese")
    rules = rules_named(arguments.rules) if arguments.rules else usual_rules
    from tengen.gtp.loop import Loop
    from tengen.gtp.state import Identity

    identity = Identity(*NAMES[arguments.known_as]) if arguments.known_as else None
    if arguments.player == "engine":
        return Loop(settings, rules, log=log, identity=identity)
    from tengen.cli.solver_engine import SolverEngine

    make_engine = partial(SolverEngine, settings, arguments.table)
    return Loop(settings, rules, make_engine=make_engine, log=log, identity=identity)
