"""The experiments of paper 001 that are matches."""

import argparse

from tengen.core.errors import TengenError
from tengen.lab.adaptive import contests
from tengen.lab.contests import Contest, run_contests
from tengen.lab.study import Study
from tengen.match.named_files import named_files

TITLES = {
    "weights": "The weight of the net",
    "depth": "Two nets by depth",
    "matches": "Adaptive weights",
    "lambda": "Playout and net in the value of a leaf",
    "both": "Search with a net, and the net alone",
}


def run_matches(arguments: argparse.Namespace) -> int:
    """Play the contests of an experiment, from where it was, and write the report."""
    terms = contests.terms_with_net(arguments)
    entrants = chosen(arguments)
    players = {contest.name: " | ".join(contest.players) for contest in entrants}
    files = named_files(player for contest in entrants for player in contest.players)
    identity = {**terms.identity, "players": players, **files}
    study = Study(arguments.output, TITLES[arguments.experiment], identity)
    print(run_contests(study, entrants, terms))
    return 0


def chosen(arguments: argparse.Namespace) -> list[Contest]:
    """Return the contests of an experiment; raise TengenError."""
    sides = contests.sides_of(arguments)
    opponent = getattr(arguments, "opponent", "") or sides.alone()
    if arguments.experiment == "weights":
        return contests.weights(sides, opponent)
    if arguments.experiment == "depth":
        if arguments.net == arguments.fast:
            raise TengenError("the slow net is the fast one: choose another with --net or --fast")
        return contests.depths(sides, opponent, arguments.fast)
    if arguments.experiment == "lambda":
        return contests.mixes(sides, opponent)
    if arguments.experiment == "both":
        return contests.both(sides)
    return contests.matches(sides, arguments.theta1, arguments.theta2, arguments.other)
