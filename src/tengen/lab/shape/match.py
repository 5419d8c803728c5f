"""Matches with and without SHAPE prior and opening book at equal time."""

import argparse

from tengen.lab.matches import Comparison, match_options_of, parse_opponents, run_comparisons
from tengen.lab.study import Study
from tengen.util import TengenError

PLAIN = "plain"
WITH = {"prior": "prior", "book": "book", "both": "prior and book"}
IDENTITY = ("pace", "visits", "book", "engine")


def run(arguments: argparse.Namespace) -> int:
    """Play the selected matches and write the report."""
    options = match_options_of(arguments)
    identity = {name: getattr(arguments, name) for name in IDENTITY}
    title = "SHAPE: matches"
    study = Study(arguments.output, title, identity | options.identity)
    print(run_comparisons(study, comparisons(arguments), options))
    return 0


def variants(arguments: argparse.Namespace) -> dict[str, str]:
    """Return Tengen's players: plain, with prior, with book, with both."""
    engine = f"tengen {arguments.pace} {arguments.engine}".strip()
    plain, prior = f"{engine} shape=0", f"{engine} shape={arguments.visits:g}"
    players = {PLAIN: plain, "prior": prior}
    if arguments.book:
        players["book"] = f"{plain} book={arguments.book}"
        players["both"] = f"{prior} book={arguments.book}"
    return players


def comparisons(arguments: argparse.Namespace) -> list[Comparison]:
    """Return all variants against the plain player and against each opponent.

    Raise TengenError for an unknown match.
    """
    players = variants(arguments)
    found = [
        Comparison(name, (text, players[PLAIN]), f"{WITH[name]} vs. none")
        for name, text in players.items()
        if name in WITH
    ]
    for opponent, command in parse_opponents(arguments).items():
        found += [
            Comparison(f"{name}-{opponent}", (text, command), f"{name} vs. {opponent}")
            for name, text in players.items()
        ]
    return _chosen(found, arguments.matches)


def _chosen(found: list[Comparison], names: list[str]) -> list[Comparison]:
    """Return the named comparisons, all if none is named; raise TengenError."""
    known = {comparison.name for comparison in found}
    for name in names:
        if name not in known:
            raise TengenError(f"unknown match {name!r}; known matches: {', '.join(sorted(known))}")
    return [comparison for comparison in found if not names or comparison.name in names]
