"""The weights of all ideas, to be tuned together: where each is looked for, and from where."""

from dataclasses import replace

from tengen.core.errors import TengenError
from tengen.lab.together.ideas import NOTHING
from tengen.tune.parameter import Parameter

PLAYER = (
    "prior=bigmove@{bigmove},before={bigmove_before} "
    "prior=potential@{potential},filter=pf9,use=prior,switch=0.75,depth={potential_depth} "
    "prior=metric@{metric},depth=0"
)
"""The ideas that are no settings of their own; the others are added as `name=value`."""

PARAMETERS = (
    Parameter("tactics", 0, 80),
    Parameter("patterns", 0, 80),
    Parameter("distance", 0, 40),
    Parameter("lines", 0, 80),
    Parameter("shape", 0, 240),
    Parameter("bigmove", 0.1, 160),
    Parameter("bigmove_before", 2, 60, whole=True),
    Parameter("potential", 0.1, 80),
    Parameter("potential_depth", 0, 6, whole=True),
    Parameter("metric", 0.1, 80),
)
"""Equivalent visits, and the limits of move and depth. A source takes no weight of nothing."""
NET_PARAMETERS = (
    Parameter("net_weight", 0, 1),
    Parameter("playout_share", 0, 1),
)
"""The net's share of the policy, and the playout's of a leaf's value (lambda)."""

STARTS: dict[str, tuple[float, ...]] = {
    "ours": (20, 14, 7, 20, 80, 5, 20, 5, 0, 5, 0.9, 0.05),
    "papers": (20, 14, 7, 20, 80, 160, 50, 20, 6, 20, 0.25, 0.7),
    "little": (5, 5, 5, 5, 10, 5, 10, 5, 0, 5, 0.75, 0.5),
}
"""Values to begin with, in the order of the parameters."""


def parameters_from(start: str, has_net: bool) -> tuple[Parameter, ...]:
    """Return the parameters with their values at that start; raise TengenError if unknown."""
    if start not in STARTS:
        raise TengenError(f"unknown start {start!r}: there are {', '.join(STARTS)}")
    wanted = PARAMETERS + (NET_PARAMETERS if has_net else ())
    values = STARTS[start][: len(wanted)]
    return tuple(replace(p, start=value) for p, value in zip(wanted, values, strict=True))


def template(pace: str, net: str) -> str:
    """Return the player, with places for the weights."""
    return f"tengen {pace} threads=1 memory_mib=64 {NOTHING} net={net} {PLAYER}"
