"""Do the prior and the book win games? At equal time, each until a sequential test decides."""

import argparse
import shutil

from rich.console import Console

from tengen.core.errors import TengenError
from tengen.lab.study import Study
from tengen.match.config import MatchConfig
from tengen.match.runner import Status, run_match
from tengen.match.stats import Decision, elo_interval, pair_interval
from tengen.match.store import Store
from tengen.match.table import elo_text, live_table, percent
from tengen.match.tally import pair_counts, score_of_player
from tengen.match.workers import open_workers

DECISIONS = {Decision.OPEN: "open", Decision.H0: "not stronger", Decision.H1: "stronger"}
OPPONENTS = {
    "gnugo": "gnugo --mode gtp --chinese-rules",
    "pachi": "pachi",
}
"""Other programs, if they are installed."""
PLAIN = "plain"
IDENTITY = ("pace", "visits", "book", "size", "komi", "openings", "sprt", "seed", "engine")


def run(arguments: argparse.Namespace) -> int:
    """Play all pairings that were asked for and write the report."""
    study = Study(
        arguments.output,
        "SHAPE: do prior and book win games?",
        {name: getattr(arguments, name) for name in IDENTITY},
    )
    rows = []
    for name, opponent in _pairings(arguments):
        status = _play(arguments, name, opponent)
        rows.append(_row(name, opponent, status))
        study.show([rows[-1]], f"{name} against {opponent}")
        study.write_report()
    print(study.folder / "report.html")
    return 0


def variants(arguments: argparse.Namespace) -> dict[str, str]:
    """Return Tengen's players: plain, with the prior, with the book, with both."""
    plain = f"tengen {arguments.pace} {arguments.engine}".strip()
    prior = f"prior=shape@{arguments.visits:g}"
    players = {PLAIN: plain, "prior": f"{plain} {prior}"}
    if arguments.book:
        players["book"] = f"{plain} book={arguments.book}"
        players["both"] = f"{plain} {prior} book={arguments.book}"
    return players


def _pairings(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Return who meets whom: every variant the plain player, and all of them each program."""
    names = list(variants(arguments))
    pairings = [(name, PLAIN) for name in names if name != PLAIN]
    for opponent in arguments.opponents:
        if opponent not in OPPONENTS:
            raise TengenError(f"unknown opponent {opponent!r}: there are {', '.join(OPPONENTS)}")
        if shutil.which(OPPONENTS[opponent].split()[0]) is None:
            raise TengenError(f"{opponent} is not installed: leave it out of --opponents")
        pairings += [(name, opponent) for name in names]
    return pairings


def _play(arguments: argparse.Namespace, name: str, opponent: str) -> Status:
    players = variants(arguments)
    config = MatchConfig(
        players=(players[name], players.get(opponent, OPPONENTS.get(opponent, ""))),
        names=(name, opponent),
        games=arguments.number,
        size=arguments.size,
        komi=arguments.komi,
        openings=arguments.openings,
        sprt=arguments.sprt,
        seed=arguments.seed,
        time=arguments.time,
    )
    store = Store(arguments.output / f"{name}-{opponent}.sqlite")
    try:
        workers = open_workers(arguments.workers, None)
        with live_table(Console()) as watch:
            return run_match(config.plan(), store, config.limits(), workers, watch)
    finally:
        store.close()


def _row(name: str, opponent: str, status: Status) -> dict[str, object]:
    score = score_of_player(status.rows, 0)
    rate = pair_interval(pair_counts(status.rows, 0))
    return {
        "player": name,
        "opponent": opponent,
        "games": score.games,
        "wins": score.wins,
        "score": percent(rate),
        "Elo": elo_text(elo_interval(rate)),
        "test": DECISIONS[status.decision],
    }
