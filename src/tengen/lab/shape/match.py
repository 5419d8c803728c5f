"""Do the prior and the book win games? At equal time, each until a sequential test decides."""

import argparse
import shutil

from tengen.core.errors import TengenError
from tengen.lab.contests import Contest, run_contests
from tengen.lab.study import Study
from tengen.lab.terms import terms_of

OPPONENTS = {
    "gnugo": "gnugo --mode gtp --chinese-rules --capture-all-dead",
    "pachi": "pachi -r chinese threads=1 pondering=0",
}
"""Other programs, if they are installed."""
PLAIN = "plain"
IDENTITY = ("pace", "visits", "book", "engine")


def run(arguments: argparse.Namespace) -> int:
    """Play all pairings that were asked for and write the report."""
    terms = terms_of(arguments)
    identity = {name: getattr(arguments, name) for name in IDENTITY}
    title = "SHAPE: do prior and book win games?"
    study = Study(arguments.output, title, identity | terms.identity)
    print(run_contests(study, contests(arguments), terms))
    return 0


def variants(arguments: argparse.Namespace) -> dict[str, str]:
    """Return Tengen's players: without patterns, with the prior, with the book, with both."""
    engine = f"tengen {arguments.pace} {arguments.engine}".strip()
    plain, prior = f"{engine} shape=0", f"{engine} shape={arguments.visits:g}"
    players = {PLAIN: plain, "prior": prior}
    if arguments.book:
        players["book"] = f"{plain} book={arguments.book}"
        players["both"] = f"{prior} book={arguments.book}"
    return players


def contests(arguments: argparse.Namespace) -> list[Contest]:
    """Return who meets whom: every variant the plain player, and all of them each program."""
    players = variants(arguments)
    found = [
        Contest(name, (text, players[PLAIN]), f"with the {name} - without")
        for name, text in players.items()
        if name != PLAIN
    ]
    for opponent in arguments.opponents:
        command = _command_of(opponent)
        found += [
            Contest(f"{name}-{opponent}", (text, command), f"{name} - {opponent}")
            for name, text in players.items()
        ]
    return found


def _command_of(opponent: str) -> str:
    """Return how a program is started; raise TengenError if there is none."""
    if opponent not in OPPONENTS:
        raise TengenError(f"unknown opponent {opponent!r}: there are {', '.join(OPPONENTS)}")
    if shutil.which(OPPONENTS[opponent].split()[0]) is None:
        raise TengenError(f"{opponent} is not installed: leave it out of --opponents")
    return OPPONENTS[opponent]
