"""Presets: whole sets of settings under one name, for `preset=NAME`.

What is said of their strength was measured; docs/strength.md has the games.
"""

from dataclasses import dataclass

from tengen.core.errors import TengenError


@dataclass(frozen=True)
class Preset:
    """Settings with a name."""

    name: str
    meaning: str
    words: tuple[str, ...]
    measured: str
    """How strong it is, or that nobody knows yet."""


PAPERS = (
    "net=default",
    "kind=rave",
    "playout_share=1",
    "net_turn=-0.0005",
    "net_value=-0.1",
    "net_weight=0.25",
    "net_cap=0.25",
    "prior=bigmove@160,before=50",
    "prior=potential@20,filter=pf9,switch=0.75,depth=0",
    "prior=metric@20,depth=0",
)
"""Adaptive weight V2 (001), p2 and p3 before move 50 (000), half of the root's moves pruned (002),
metric values at the root (003); the patterns of 004 are in the engine anyway."""

SHORT_PLAYOUTS = ("playout_share=1.2", "playout_left=0.0185")
"""They begin to count with 65 points left, and count alone with 11; docs/strength.md has games."""

PRESETS = (
    Preset(
        "laptop",
        "the default: the net of the package; playouts count too when few points are left, "
        "or where they differ from it by more than 50 points",
        ("net=default", *SHORT_PLAYOUTS, "doubt_points=50"),
        "9x9: 38 of 40 against Pachi at 1 s a move (83 - 99%), 199 of 200 against GNU Go at 0.2 s; "
        "13x13: 32 of 32 against GNU Go at 0.1 s; "
        "19x19: 23 of 24 against Pachi at 2 s (80 - 99%), 32 of 32 against GNU Go at 0.3 s",
    ),
    Preset(
        "classic",
        "no net: RAVE with playouts and patterns; what experiments begin with",
        ("net=none",),
        "9x9: 53% (36 - 70) against Pachi in 30 games at 1 s a move; "
        "94% (90 - 97) against GNU Go in 199 games at 5,000 simulations; "
        "19x19, 2 s: 72% (56 - 84) of 36 against GNU Go, 10% (4 - 23) of 41 against Pachi",
    ),
    Preset(
        "papers",
        "the ideas of all five papers at their own settings",
        PAPERS,
        "worth of its moves at equal time 0.40 on 9x9 and 0.28 on 19x19 "
        "(classic 0.60 and 0.45, laptop 0.78 and 0.62)",
    ),
    Preset(
        "fast",
        "a fifth of a second a move",
        ("seconds=0.2",),
        "9x9, 0.2 s against 1 s a move, both `laptop` with the net of part 2: 20% (13 - 30) of 79",
    ),
    Preset(
        "strong",
        "a larger net, KataGo's of 15 blocks: `tengen net get b15c192` brings it",
        ("net=b15c192-int8", "seconds=5"),
        "its net against `laptop` at equal time: 19x19, 1 s a move, 8 of 8 (68 - 100%); "
        "9x9, 0.5 s, 21 of 22 (78 - 99%)",
    ),
)


def preset_named(name: str) -> Preset:
    """Return the preset of that name; raise TengenError if there is none."""
    for preset in PRESETS:
        if preset.name == name.strip().lower():
            return preset
    names = ", ".join(preset.name for preset in PRESETS)
    raise TengenError(f"unknown preset {name!r}: there are {names}")
