"""Do the prior and the book win games? At equal time, each until a sequential test decides."""

import argparse

from tengen.core.errors import TengenError
from tengen.lab.contests import Contest, run_contests
from tengen.lab.opponents import opponents_of
from tengen.lab.study import Study
from tengen.lab.terms import terms_of

PLAIN = "plain"
WITH = {"prior": "with the prior", "book": "with the book", "both": "with prior and book"}
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
    """Return who meets whom: every variant the plain player, and all of them each program.

    Raises TengenError for contests that there are not.
    """
    players = variants(arguments)
    found = [
        Contest(name, (text, players[PLAIN]), f"{WITH[name]} - without")
        for name, text in players.items()
        if name in WITH
    ]
    for opponent, command in opponents_of(arguments).items():
        found += [
            Contest(f"{name}-{opponent}", (text, command), f"{name} - {opponent}")
            for name, text in players.items()
        ]
    return _chosen(found, arguments.contests)


def _chosen(found: list[Contest], names: list[str]) -> list[Contest]:
    """Return the contests of these names, all if none is named; raise TengenError."""
    known = {contest.name for contest in found}
    for name in names:
        if name not in known:
            raise TengenError(f"there is no contest {name!r}: there are {', '.join(sorted(known))}")
    return [contest for contest in found if not names or contest.name in names]
