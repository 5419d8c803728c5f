"""Matches with and without the big-move prior (paper 000, chapter 5)."""

import argparse
from typing import NamedTuple

from tengen.lab import matches
from tengen.lab.matches import match_options_of
from tengen.lab.study import Study
from tengen.util import TengenError

UNLIMITED = "x=1e9,y=1"
"""The first tests of the thesis used the same equivalent visits for every move."""
BEST = "bigmove@{visits},before=50"
"""p2 and p3 with x = 3 and y = 0.9, the defaults of the source."""


class PriorVariant(NamedTuple):
    """The candidate's prior and the result of the thesis."""

    prior: str
    phantom: bool = True
    """Whether the opponent spends the same time (phantom function) by default."""
    thesis: float | None = None
    """Percentage of 100 games won by the candidate, if the thesis reports it."""
    about: str = ""


TESTS = {
    "test1": PriorVariant(
        f"bigmove@{{visits}},variants=p1+p2+p3,{UNLIMITED}",
        False,
        0,
        "all moves, without phantom function",
    ),
    "test2": PriorVariant(
        f"bigmove@{{visits}},variants=p1+p2+p3,{UNLIMITED}",
        True,
        19,
        "all moves, with phantom function",
    ),
    "test3": PriorVariant(
        f"bigmove@{{visits}},before=50,variants=p1+p2+p3,{UNLIMITED}", True, 47, "before move 50"
    ),
    "test4": PriorVariant(f"bigmove@{{visits}},before=50,{UNLIMITED}", True, 48, "without p1"),
}
SPANS = {
    f"x{x}": PriorVariant(f"{BEST},x={x},y=1", thesis=57 if x == 3 else None, about="sweep over x")
    for x in (1, 2, 3, 4, 5)
}
SHARES = {
    f"y{y:g}": PriorVariant(
        f"{BEST},y={y:g}", thesis=59 if y == 0.9 else None, about="sweep over y"
    )
    for y in (0.5, 0.7, 0.8, 0.9, 1.1, 1.5, 2.0, 3.0)
}
PROPOSALS = {
    "value0.6": PriorVariant(f"{BEST},value=0.6", about="prior value 0.6"),
    "value0.8": PriorVariant(f"{BEST},value=0.8", about="prior value 0.8"),
    "before30": PriorVariant("bigmove@{visits},before=30", about="only before move 30"),
    "before80": PriorVariant("bigmove@{visits},before=80", about="before move 80"),
    "depth0": PriorVariant(f"{BEST},depth=0", about="at the root only"),
    "depth1": PriorVariant(f"{BEST},depth=1", about="at the root and its children"),
    "all": PriorVariant(f"{BEST},targets=all", about="all moves that share the maximum"),
    "whole": PriorVariant(f"{BEST},targets=whole", about="whole board by its mode"),
    "lines5-8": PriorVariant(f"{BEST},variants=5:1/6:1/7:1/8:1", about="potential on lines 5 to 8"),
    "center": PriorVariant(
        f"{BEST},variants=6:1/7:1/8:1/9:1/10:1", about="potential on lines 6 to 10"
    ),
}
BEYOND = {
    "own2": PriorVariant(f"{BEST},own=2,other=1", about="own stones count twice"),
    "other2": PriorVariant(f"{BEST},own=1,other=2", about="opponent's stones count twice"),
    "liberties": PriorVariant(
        f"{BEST},stone_weight=liberties", about="stones weighted by liberties"
    ),
    "strength": PriorVariant(
        f"{BEST},stone_weight=strength", about="stones weighted by chain strength"
    ),
    "corner": PriorVariant(f"{BEST},corner=0.5,side=0.2", about="corners and sides preferred"),
    "fight": PriorVariant(f"{BEST},fight_radius=5", about="last fight fixed"),
}
GROUPS = {"tests": TESTS, "x": SPANS, "y": SHARES, "proposals": PROPOSALS, "beyond": BEYOND}
VARIANTS = {name: variant for group in GROUPS.values() for name, variant in group.items()}


def chosen_variants(text: str) -> dict[str, PriorVariant]:
    """Return the variants named by text such as `tests,y0.9`; raise TengenError."""
    chosen: dict[str, PriorVariant] = {}
    for word in text.split(","):
        if word in GROUPS:
            chosen.update(GROUPS[word])
        elif word in VARIANTS:
            chosen[word] = VARIANTS[word]
        else:
            known = ", ".join([*GROUPS, *VARIANTS])
            raise TengenError(f"unknown match {word!r}: use one of {known}")
    return chosen


FULL_SIZE = (
    "tengen lab bigmove match -o big-full --matches tests,x,y,proposals,beyond --games 1000 "
    "--seconds 2 --workers 0 --cluster tcp://HOST:8786"
)
"""Command for a cluster; 100 games per setting, as in the thesis, give intervals of 10 points."""


def players(arguments: argparse.Namespace, variant: PriorVariant) -> tuple[str, str]:
    """Return the two players of a variant."""
    pace = (
        f"seconds={arguments.seconds:g}" if arguments.seconds else f"playouts={arguments.playouts}"
    )
    prior = variant.prior.format(visits=f"{arguments.visits:g}")
    candidate = f"tengen {pace} {arguments.engine} prior={prior}"
    if arguments.opponent != "tengen":
        return candidate, arguments.opponent
    wanted = variant.phantom if arguments.phantom == "thesis" else arguments.phantom == "yes"
    phantom = f" prior={prior},phantom=yes" if wanted and arguments.seconds else ""
    return candidate, f"tengen {pace} {arguments.engine}{phantom}"


def comparisons_of(
    arguments: argparse.Namespace, variants: dict[str, PriorVariant]
) -> list[matches.Comparison]:
    """Return comparisons for variants."""
    return [
        matches.Comparison(name, players(arguments, variant), variant.about, variant.thesis)
        for name, variant in variants.items()
    ]


def run(arguments: argparse.Namespace) -> int:
    """Play the matches and write the report after each."""
    chosen = comparisons_of(arguments, chosen_variants(arguments.matches))
    options = match_options_of(arguments)
    study = Study(arguments.output, "The big move: matches", _identity(arguments))
    note = ("Full size", f"Command for a cluster: {FULL_SIZE}")
    matches.run_comparisons(study, chosen, options, note)
    print(matches.write_comparisons(study, comparisons_of(arguments, VARIANTS), note))
    return 0


def _identity(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the settings that cannot change when the study is resumed."""
    names = ("playouts", "seconds", "phantom", "visits", "opponent", "engine")
    return {
        **{name: getattr(arguments, name) for name in names},
        **match_options_of(arguments).identity,
    }
