"""`tengen match`: play matches and store the games."""

import argparse
from dataclasses import fields, replace
from pathlib import Path

from tengen.board import HANDICAP_KOMI
from tengen.cli.options import RULES_HELP, resume_hint
from tengen.match import (
    MODES,
    SCORERS,
    MatchConfig,
    check_workers,
    live_table,
    override,
    play_match,
    read_config,
)
from tengen.util import Console, TengenError, finite_float

DEFAULT = MatchConfig()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "players",
        nargs="+",
        metavar="PLAYER",
        help="GTP command line, 'tengen NAME=VALUE ...', settings file or FILE.py:FUNCTION; a "
        "single TOML file describes a whole match",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        required=True,
        help="match file; an existing one is resumed",
    )
    parser.add_argument("--names", metavar="A,B", help="names of the players, separated by commas")
    parser.add_argument(
        "--mode", choices=MODES, help="pairings of three or more players (default: round-robin)"
    )
    parser.add_argument(
        "--games", type=int, metavar="N", help=f"games per pairing (default: {DEFAULT.games})"
    )
    parser.add_argument(
        "--size", help=f"board size: 9, or COLUMNSxROWS such as 7x9 (default: {DEFAULT.size})"
    )
    parser.add_argument(
        "--handicap",
        metavar="N",
        type=int,
        help="handicap stones of Black, 2 to 9; White moves first (default: none)",
    )
    parser.add_argument(
        "--komi",
        type=finite_float,
        help=f"komi (default: that of the rules, {HANDICAP_KOMI:g} with a handicap); the "
        "compensation for handicap stones is added",
    )
    parser.add_argument("--rules", help=f"{RULES_HELP} (default: {DEFAULT.rules})")
    parser.add_argument(
        "--time",
        help="time control: 1s/move, 10m per game, 10m+3x30s byo-yomi, 10m+30s/5 Canadian, "
        f"5m+10s Fischer (default: {DEFAULT.time})",
    )
    parser.add_argument(
        "--lag", metavar="TIME", help=f"tolerated overrun of a clock (default: {DEFAULT.lag})"
    )
    parser.add_argument(
        "--move-timeout",
        metavar="TIME",
        help=f"time limit per move without --time (default: {DEFAULT.move_timeout})",
    )
    parser.add_argument(
        "--openings",
        help="empty, random:N, PATH of game records, or PATH:N for N moves (default: empty)",
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="stop when this sequential test decides; write negative Elo as --sprt=-5,0",
    )
    parser.add_argument(
        "--scoring",
        metavar="NAME",
        help=f"scoring of final boards: {' or '.join(SCORERS)} (default: {DEFAULT.scoring})",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help=f"random seed (default: {DEFAULT.seed})"
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="parallel games")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="address of a Dask scheduler (tcp://HOST:PORT)"
    )


def config_of(arguments: argparse.Namespace) -> MatchConfig:
    """Return the match that the command line describes; options override the file."""
    players, names = arguments.players, arguments.names
    if len(players) == 1 and players[0].endswith(".toml"):
        config = read_config(Path(players[0]))
    else:
        config = replace(DEFAULT, players=tuple(players))
    if names is not None:
        config = replace(config, names=tuple(names.split(",")))
    options = [
        field.name for field in fields(MatchConfig) if field.name not in ("players", "names")
    ]
    given = {name: getattr(arguments, name) for name in options}
    chosen = {name: value for name, value in given.items() if value is not None}
    return override(config, chosen, "command line")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    check_workers(arguments.workers, arguments.cluster)
    if arguments.output.is_dir():
        raise TengenError(f"{arguments.output} is a folder: give the name of a match file")
    config, show = config_of(arguments), live_table(Console())
    with resume_hint(arguments.output):
        play_match(config, arguments.output, arguments.workers, arguments.cluster, show)
    return 0
