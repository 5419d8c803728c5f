"""What chapter 5 of the thesis let play against each other, and what it proposes to try.

A contest is a prior that a candidate has and its opponent has not. `{visits}` stands for the
equivalent visits: eight times the base in the thesis, 160 in Pachi on a large board.
"""

from typing import NamedTuple

from tengen.core.errors import TengenError

UNLIMITED = "x=1e9,y=1"
"""The first tests had the same equivalent visits at every move."""
BEST = "bigmove@{visits},before=50"
"""p2 and p3, x = 3, y = 0.9: the defaults of the source."""


class Contest(NamedTuple):
    """A candidate's prior, and what the thesis found."""

    prior: str
    phantom: bool = True
    """Whether the opponent spends the time too, unless the command line says otherwise."""
    thesis: float | None = None
    """Percent of 100 games won by the candidate, where the text tells it."""
    about: str = ""


TESTS = {
    "test1": Contest(
        f"bigmove@{{visits}},variants=p1+p2+p3,{UNLIMITED}", False, 0, "all moves, no phantom"
    ),
    "test2": Contest(
        f"bigmove@{{visits}},variants=p1+p2+p3,{UNLIMITED}", True, 19, "with the phantom function"
    ),
    "test3": Contest(
        f"bigmove@{{visits}},before=50,variants=p1+p2+p3,{UNLIMITED}", True, 47, "before move 50"
    ),
    "test4": Contest(f"bigmove@{{visits}},before=50,{UNLIMITED}", True, 48, "without p1"),
}
SPANS = {
    f"x{x}": Contest(f"{BEST},x={x},y=1", thesis=57 if x == 3 else None, about="sweep over x")
    for x in (1, 2, 3, 4, 5)
}
SHARES = {
    f"y{y:g}": Contest(f"{BEST},y={y:g}", thesis=59 if y == 0.9 else None, about="sweep over y")
    for y in (0.5, 0.7, 0.8, 0.9, 1.1, 1.5, 2.0, 3.0)
}
PROPOSALS = {
    "value0.6": Contest(f"{BEST},value=0.6", about="prior value 0.6"),
    "value0.8": Contest(f"{BEST},value=0.8", about="prior value 0.8"),
    "before30": Contest("bigmove@{visits},before=30", about="only before move 30"),
    "before80": Contest("bigmove@{visits},before=80", about="before move 80"),
    "depth0": Contest(f"{BEST},depth=0", about="at the root only"),
    "depth1": Contest(f"{BEST},depth=1", about="at the root and its children"),
    "all": Contest(f"{BEST},give=all", about="all equally big moves"),
    "whole": Contest(f"{BEST},give=whole", about="the whole board by its mode"),
    "lines5-8": Contest(f"{BEST},variants=5:1/6:1/7:1/8:1", about="potential on lines 5 to 8"),
    "centre": Contest(f"{BEST},variants=6:1/7:1/8:1/9:1/10:1", about="potential on lines 6 to 10"),
}
BEYOND = {
    "own2": Contest(f"{BEST},own=2,other=1", about="own stones weigh twice"),
    "other2": Contest(f"{BEST},own=1,other=2", about="opponent's stones weigh twice"),
    "liberties": Contest(f"{BEST},weigh=liberties", about="stones by liberties"),
    "strength": Contest(f"{BEST},weigh=strength", about="stones by chain strength"),
    "corner": Contest(f"{BEST},corner=0.5,side=0.2", about="corners and sides preferred"),
    "fight": Contest(f"{BEST},fight=5", about="last fight held still"),
}
GROUPS = {
    "tests": TESTS,
    "x": SPANS,
    "y": SHARES,
    "proposals": PROPOSALS,
    "beyond": BEYOND,
}
CONTESTS = {name: contest for group in GROUPS.values() for name, contest in group.items()}


def chosen_contests(text: str) -> dict[str, Contest]:
    """Return the contests that `tests,y0.9` names, groups and single ones; raise TengenError."""
    chosen: dict[str, Contest] = {}
    for word in text.split(","):
        if word in GROUPS:
            chosen.update(GROUPS[word])
        elif word in CONTESTS:
            chosen[word] = CONTESTS[word]
        else:
            known = ", ".join([*GROUPS, *CONTESTS])
            raise TengenError(f"unknown contest {word!r}: there are {known}")
    return chosen
