"""Presets: named sets of settings, for `preset=NAME`.

The strength figures are results in `results/strength/matches.csv`, shown in docs/strength.md.
"""

from dataclasses import dataclass

from tengen.util import TengenError


@dataclass(frozen=True)
class Preset:
    """A named set of settings."""

    name: str
    description: str
    overrides: tuple[str, ...]
    """Settings as `name=value`."""
    strength: str = ""
    """Match results, with 95% intervals."""


PAPERS = (
    "net=default",
    "algorithm=rave",
    "playout_share=1",
    "net_turn=-0.0005",
    "net_value=-0.1",
    "net_weight=0.25",
    "net_max_weight=0.25",
    "prior=bigmove@160,before=50",
    "prior=potential@20,filter=pf9,switch=0.75,depth=0",
    "prior=metric@20,depth=0",
)
"""Adaptive weight V2 (paper 001), p2 and p3 before move 50 (000), pruning of half of the root moves
(002), metric values at the root (003); the shape patterns of 004 are on by default."""

LATE_PLAYOUTS = ("playout_share=1.2", "playout_left=0.0185")
"""Playouts start to count when 65 points are left, and replace the network's value at 11."""

PRESETS = (
    Preset(
        "laptop",
        "default: the bundled network; playouts also count late in the game and where they differ "
        "from the network by more than 50 points",
        ("net=default", *LATE_PLAYOUTS, "disagreement_points=50"),
        "9x9, 100 visits per move: 100.0% (83.9 to 100.0) of 20 games against GNU Go",
    ),
    Preset(
        "classic",
        "no network: RAVE with playouts and patterns; the baseline of experiments",
        ("net=none",),
        "9x9, 1,000 visits per move: 95.0% (76.4 to 99.1) of 20 games against GNU Go",
    ),
    Preset("papers", "the methods of all five papers with their published settings", PAPERS),
    Preset("fast", "0.2 seconds per move", ("seconds=0.2",)),
    Preset(
        "strong",
        "a larger network, KataGo's b15c192; install it with `tengen net get b15c192`",
        ("net=b15c192-int8", "seconds=5"),
    ),
)


def preset_named(name: str) -> Preset:
    """Return a preset by name; raise TengenError if it does not exist."""
    for preset in PRESETS:
        if preset.name == name.strip().lower():
            return preset
    names = ", ".join(preset.name for preset in PRESETS)
    raise TengenError(f"unknown preset {name!r}: use one of {names}")
