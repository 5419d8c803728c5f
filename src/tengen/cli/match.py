"""`tengen match`: play many games between players and store them."""

import argparse
from dataclasses import fields, replace
from pathlib import Path

from rich.console import Console

from tengen.board.handicap import KOMI as HANDICAP_KOMI
from tengen.cli.arguments import RULES
from tengen.cli.going_on import telling_how_to_go_on
from tengen.core.counts import any_float
from tengen.core.errors import TengenError
from tengen.match.config import MODES, MatchConfig, override, read_config
from tengen.match.play import play_match
from tengen.match.table import live_table
from tengen.match.workers import check_workers

DEFAULT = MatchConfig()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Tell argparse what the command takes."""
    parser.add_argument(
        "players",
        nargs="+",
        metavar="PLAYER",
        help="a GTP command line, or 'tengen NAME=VALUE ...' or its TOML file for Tengen itself; "
        "one TOML file alone describes a whole match",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help="where the games are kept"
    )
    parser.add_argument(
        "--names", metavar="A,B", help="what to call the players, with commas between"
    )
    parser.add_argument("--mode", choices=MODES, help="for three players and more")
    parser.add_argument("--games", type=int, help=f"for each pairing (default {DEFAULT.games})")
    parser.add_argument("--size", help=f"9 or 7x9, columns first (default {DEFAULT.size})")
    parser.add_argument(
        "--handicap",
        metavar="N",
        type=int,
        help="stones that Black gets on the star points, 2 to 9; White moves first (default none)",
    )
    parser.add_argument(
        "--komi",
        type=any_float,
        help=f"default: that of the rules, {HANDICAP_KOMI:g} with a handicap; what the rules give "
        "White for handicap stones comes on top",
    )
    parser.add_argument("--rules", help=f"{RULES} (default {DEFAULT.rules})")
    parser.add_argument(
        "--time",
        help="for each move 1s/move, for the game 10m, with byo-yomi 10m+3x30s, Canadian overtime "
        f"10m+30s/5 or Fischer's increment 5m+10s (default {DEFAULT.time})",
    )
    parser.add_argument(
        "--lag", metavar="TIME", help=f"how far a clock may be overdrawn (default {DEFAULT.lag})"
    )
    parser.add_argument(
        "--move-timeout", metavar="TIME", help=f"without --time (default {DEFAULT.move_timeout})"
    )
    parser.add_argument(
        "--openings",
        help="empty, random:N, an SGF file or folder, or PATH:N; with a handicap the first two",
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="stop as soon as this is decided; write --sprt=-5,0 for an Elo below zero",
    )
    parser.add_argument("--judge", help=f"who scores the boards (default {DEFAULT.judge})")
    parser.add_argument("--seed", type=int, help=f"of openings and games (default {DEFAULT.seed})")
    parser.add_argument("--workers", type=int, default=1, help="games at a time (default 1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler: tcp://...")


def config_of(arguments: argparse.Namespace) -> MatchConfig:
    """Return the match that the command line asks for; options go before the file."""
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
        raise TengenError(f"{arguments.output} is a folder: name a file for the games")
    config, show = config_of(arguments), live_table(Console())
    with telling_how_to_go_on(arguments.output):
        play_match(config, arguments.output, arguments.workers, arguments.cluster, show)
    return 0
