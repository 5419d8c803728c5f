"""The ideas of the five papers as settings of one engine, and the players made of them."""

from dataclasses import dataclass

from tengen.core.errors import TengenError

NOTHING = "tactics=0 patterns=0 distance=0 lines=0 shape=0 net=none"
"""No knowledge beyond the playouts: every move is an even game."""
BUILT_IN = "tactics=20 patterns=14 distance=7 lines=20"
"""The engine's own small priors, which are no paper's idea."""
NONE, ALL = "none", "all"


@dataclass(frozen=True)
class Idea:
    """An idea: what it is, and the words that switch it on."""

    about: str
    words: str
    beside: str = ""
    """More words when others are on too: how it shares with them."""


def ideas(net: str = "default") -> dict[str, Idea]:
    """Return the ideas by name, with the settings of their papers or of our findings."""
    return {
        "engine": Idea("the engine's own priors", BUILT_IN),
        "bigmove": Idea("paper 000: p2 and p3, before move 50", "prior=bigmove@160,before=50"),
        "potential": Idea(
            "paper 002: pf9 as a prior", "prior=potential@20,filter=pf9,use=prior,switch=0.75"
        ),
        "filter": Idea(
            "paper 002: pf9 prunes half of the moves at the root and below it",
            "prior=potential@20,filter=pf9,use=filter,switch=0.75,depth=1",
        ),
        "metric": Idea("paper 003: the mix of formula 17, at the root", "prior=metric@20,depth=0"),
        "shape": Idea("paper 004: patterns of strong players", "shape=80"),
        "net": Idea(
            "paper 001: a net's policy mixed with the priors, its value for the leaves",
            f"net={net}",
            beside="net_weight=0.75",
        ),
    }


def players(pace: str, net: str = "default", without: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the players by name: nothing, each idea alone, all of them, all but one.

    `pace` is `seconds=1` or `playouts=500`; ideas named in `without` are left out altogether.
    """
    known = ideas(net)
    for name in without:
        if name not in known:
            raise TengenError(f"unknown idea {name!r}: there are {', '.join(known)}")
    kept = {name: idea for name, idea in known.items() if name not in without}

    def player(names: list[str]) -> str:
        words = [kept[name].words for name in names]
        if len(names) > 1:
            words += [kept[name].beside for name in names if kept[name].beside]
        return " ".join(["tengen", pace, NOTHING, *words])

    found = {NONE: player([]), **{name: player([name]) for name in kept}}
    if len(kept) > 1:
        found[ALL] = player(list(kept))
    if len(kept) > 2:
        found |= {f"-{name}": player([k for k in kept if k != name]) for name in kept}
    return found
