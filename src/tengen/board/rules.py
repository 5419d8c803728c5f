"""The rules of the game, as a value."""

import math
from dataclasses import dataclass, replace
from enum import IntEnum

from tengen.core.errors import TengenError


class Scoring(IntEnum):
    """What is counted at the end."""

    AREA = 0
    TERRITORY = 1


class Ko(IntEnum):
    """Which repetitions are forbidden; the numbers are those of the kernels."""

    SIMPLE = 0
    POSITIONAL = 1
    SITUATIONAL = 2


class Compensation(IntEnum):
    """What White gets under area scoring for Black's handicap stones."""

    NONE = 0
    STONES = 1
    STONES_LESS_ONE = 2


@dataclass(frozen=True)
class Rules:
    """How a game is played and scored. Komi is part of it, since it decides the result."""

    scoring: Scoring = Scoring.AREA
    ko: Ko = Ko.POSITIONAL
    suicide: bool = False
    compensation: Compensation = Compensation.NONE
    komi: float = 7.5
    """Points added to White's score: any multiple of one half, negative ones too."""
    as_it_stands: bool = False
    """The board is counted as it stands: nobody agrees on dead stones, they must be captured."""

    def __post_init__(self) -> None:
        check_komi(self.komi)

    def with_komi(self, komi: float) -> "Rules":
        """Return the same rules with another komi."""
        return replace(self, komi=komi)

    def white_bonus(self, handicap: int) -> float:
        """Return what White's score gains: komi, and the compensation for handicap stones."""
        if self.scoring is Scoring.TERRITORY or handicap < 2:
            return self.komi
        if self.compensation is Compensation.STONES:
            return self.komi + handicap
        if self.compensation is Compensation.STONES_LESS_ONE:
            return self.komi + handicap - 1
        return self.komi

    @property
    def name(self) -> str:
        """The name of the set these rules are, komi aside, or `custom`."""
        for name, rules in NAMED_RULES.items():
            if rules.with_komi(self.komi) == self:
                return name
        return "custom"


def check_komi(komi: float) -> None:
    """Raise TengenError unless komi is a multiple of one half of a sane size."""
    if not math.isfinite(komi) or abs(komi) > 400 or komi * 2 != int(komi * 2):
        raise TengenError(f"invalid komi {komi}: use a multiple of 0.5 from -400 to 400")


NAMED_RULES: dict[str, Rules] = {
    "chinese": Rules(Scoring.AREA, Ko.POSITIONAL, False, Compensation.STONES, 7.5),
    "japanese": Rules(Scoring.TERRITORY, Ko.SIMPLE, False, Compensation.NONE, 6.5),
    "aga": Rules(Scoring.AREA, Ko.SITUATIONAL, False, Compensation.STONES_LESS_ONE, 7.5),
    "new-zealand": Rules(Scoring.AREA, Ko.SITUATIONAL, True, Compensation.NONE, 7.0),
    "tromp-taylor": Rules(Scoring.AREA, Ko.POSITIONAL, True, Compensation.NONE, 7.5, True),
}

ALIASES = {
    "ogs": "chinese",
    "kgs": "chinese",
    "chinese-ogs": "chinese",
    "chinese-kgs": "chinese",
    "cgos": "tromp-taylor",
    "korean": "japanese",
    "nz": "new-zealand",
    "bga": "aga",
    "french": "aga",
    "ing": "new-zealand",
    "goe": "new-zealand",
}
"""Other names in use. Korean counts as Japanese, Ing as New Zealand: near, not the same."""


def rules_named(name: str) -> Rules:
    """Return the rules of that name, in any case, `_` or blank for `-`; raise TengenError."""
    key = name.strip().lower().replace("_", "-").replace(" ", "-").replace("tromptaylor", "tt")
    key = {"tt": "tromp-taylor", "newzealand": "new-zealand"}.get(key, key)
    key = ALIASES.get(key, key)
    if key not in NAMED_RULES:
        known = ", ".join([*NAMED_RULES, *ALIASES])
        raise TengenError(f"unknown rules {name!r}: use one of {known}")
    return NAMED_RULES[key]
