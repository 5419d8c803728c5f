"""Chapter 5 of the thesis: does the prior win games?"""

import argparse

from tengen.lab import contests as shared
from tengen.lab.bigmove.contests import CONTESTS, Contest, chosen_contests
from tengen.lab.study import Study
from tengen.lab.terms import terms_of

FULL_SIZE = (
    "tengen lab bigmove match -o big-full --contests tests,x,y,proposals,beyond --games 1000 "
    "--seconds 2 --workers 0 --cluster tcp://HOST:8786"
)
"""What a cluster should run: the thesis's hundred games a setting leave 10 points of doubt."""


def players(arguments: argparse.Namespace, contest: Contest) -> tuple[str, str]:
    """Return the two players of a contest."""
    pace = (
        f"seconds={arguments.seconds:g}" if arguments.seconds else f"playouts={arguments.playouts}"
    )
    prior = contest.prior.format(visits=f"{arguments.visits:g}")
    candidate = f"tengen {pace} {arguments.engine} prior={prior}"
    if arguments.opponent != "tengen":
        return candidate, arguments.opponent
    wanted = contest.phantom if arguments.phantom == "thesis" else arguments.phantom == "yes"
    phantom = f" prior={prior},phantom=yes" if wanted and arguments.seconds else ""
    return candidate, f"tengen {pace} {arguments.engine}{phantom}"


def entrants(arguments: argparse.Namespace, contests: dict[str, Contest]) -> list[shared.Contest]:
    """Return contests with their players."""
    return [
        shared.Contest(name, players(arguments, contest), contest.about, contest.thesis)
        for name, contest in contests.items()
    ]


def run(arguments: argparse.Namespace) -> int:
    """Play the contests, one after the other, and write the report after each."""
    chosen = entrants(arguments, chosen_contests(arguments.contests))
    terms = terms_of(arguments)
    study = Study(arguments.output, "The big move: matches", _identity(arguments))
    note = ("The full size", f"On a cluster: {FULL_SIZE}")
    shared.run_contests(study, chosen, terms, note)
    print(shared.write_contests(study, entrants(arguments, CONTESTS), note))
    return 0


def _identity(arguments: argparse.Namespace) -> dict[str, object]:
    """Return what all contests of a folder share; more games and contests may be added."""
    names = ("playouts", "seconds", "phantom", "visits", "opponent", "engine")
    return {**{name: getattr(arguments, name) for name in names}, **terms_of(arguments).identity}
