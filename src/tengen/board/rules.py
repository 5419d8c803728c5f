"""Rules of the game, named rule sets, and conversion from and to KataGo's JSON rules."""

import json
import math
from dataclasses import dataclass, replace
from enum import IntEnum

from tengen.util import TengenError


class Scoring(IntEnum):
    """What is counted at the end of the game."""

    AREA = 0
    TERRITORY = 1


class Ko(IntEnum):
    """Forbidden repetitions; the values are those of the kernels."""

    SIMPLE = 0
    POSITIONAL = 1
    SITUATIONAL = 2


class Compensation(IntEnum):
    """Points for White per handicap stone under area scoring: none, N or N - 1."""

    NONE = 0
    STONES = 1
    STONES_LESS_ONE = 2


@dataclass(frozen=True)
class Rules:
    """How a game is played and scored, including komi.

    Examples
    --------
    >>> rules = rules_named("japanese").with_komi(0.5)
    >>> rules.scoring.name, rules.komi, rules.name
    ('TERRITORY', 0.5, 'japanese')
    """

    scoring: Scoring = Scoring.AREA
    ko: Ko = Ko.POSITIONAL
    suicide: bool = False
    compensation: Compensation = Compensation.NONE
    komi: float = 7.5
    """Points added to White's score: a multiple of 0.5, possibly negative."""
    requires_capture: bool = False
    """Whether all stones on the final board count as alive: dead ones must be captured."""

    def __post_init__(self) -> None:
        check_komi(self.komi)

    def with_komi(self, komi: float) -> "Rules":
        """Return the same rules with another komi."""
        return replace(self, komi=komi)

    def white_bonus(self, handicap: int) -> float:
        """Return the points added to White's score: komi and compensation for handicap stones."""
        if self.scoring is Scoring.TERRITORY or handicap < 2:
            return self.komi
        if self.compensation is Compensation.STONES:
            return self.komi + handicap
        if self.compensation is Compensation.STONES_LESS_ONE:
            return self.komi + handicap - 1
        return self.komi

    @property
    def name(self) -> str:
        """The name of the rule set, ignoring komi, or `custom`."""
        for name, rules in NAMED_RULES.items():
            if rules.with_komi(self.komi) == self:
                return name
        return "custom"


def check_komi(komi: float) -> None:
    """Raise TengenError unless komi is a multiple of 0.5 from -400 to 400."""
    if not math.isfinite(komi) or abs(komi) > 400 or komi * 2 != int(komi * 2):
        raise TengenError(f"komi must be a multiple of 0.5 from -400 to 400, got {komi}")


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
"""Other names. Korean and Ing rules are approximated by Japanese and New Zealand rules."""


def rules_named(name: str) -> Rules:
    """Return a named rule set.

    Parameters
    ----------
    name : str
        ``chinese``, ``japanese``, ``aga``, ``new-zealand``, ``tromp-taylor``, or another common
        name of these; case does not matter, nor do `_`, `-` and spaces.

    Returns
    -------
    Rules

    Raises
    ------
    TengenError
        If there is no rule set of that name.

    Examples
    --------
    >>> rules_named("Tromp Taylor").suicide
    True
    """
    key = name.strip().lower().replace("_", "-").replace(" ", "-").replace("tromptaylor", "tt")
    key = {"tt": "tromp-taylor", "newzealand": "new-zealand"}.get(key, key)
    key = ALIASES.get(key, key)
    if key not in NAMED_RULES:
        known = ", ".join([*NAMED_RULES, *ALIASES])
        raise TengenError(f"unknown rules {name!r}: use one of {known}")
    return NAMED_RULES[key]


# KataGo's JSON rules

BONUS_NAMES = {
    "0": Compensation.NONE,
    "N": Compensation.STONES,
    "N-1": Compensation.STONES_LESS_ONE,
}
_AREA_KOMI, _TERRITORY_KOMI = NAMED_RULES["chinese"].komi, NAMED_RULES["japanese"].komi
"""Defaults of KataGo, whose JSON rules do not include komi."""
_BOOLEANS = {"true": True, "false": False}
_CONFIG_NAMES = {
    "koRule": "ko",
    "scoringRule": "scoring",
    "taxRule": "tax",
    "multiStoneSuicideLegal": "suicide",
    "button": "hasButton",
}
"""Names of the same fields in KataGo's configuration files."""


def rules_to_katago(rules: Rules) -> dict[str, object]:
    """Return the rules as KataGo's JSON object."""
    return {
        "ko": rules.ko.name,
        "scoring": rules.scoring.name,
        "tax": "NONE" if rules.scoring is Scoring.AREA else "SEKI",
        "suicide": rules.suicide,
        "hasButton": False,
        "whiteHandicapBonus": next(k for k, v in BONUS_NAMES.items() if v is rules.compensation),
        "friendlyPassOk": not rules.requires_capture,
    }


def rules_from_katago(text: str) -> Rules:
    """Parse KataGo's JSON rules; raise TengenError for unknown or unsupported rules."""
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise TengenError(f"invalid JSON in rules: {error.msg}") from None
    if not isinstance(given, dict):
        raise TengenError("rules must be a name or a JSON object")
    given = {_CONFIG_NAMES.get(name, name): value for name, value in given.items()}
    try:
        scoring = Scoring[str(given.get("scoring", "AREA")).upper()]
        rules = Rules(
            scoring=scoring,
            ko=Ko[str(given.get("ko", "POSITIONAL")).upper()],
            suicide=_BOOLEANS[str(given.get("suicide", False)).lower()],
            compensation=BONUS_NAMES[str(given.get("whiteHandicapBonus", "0")).upper()],
            komi=_TERRITORY_KOMI if scoring is Scoring.TERRITORY else _AREA_KOMI,
            requires_capture=scoring is Scoring.AREA
            and not _BOOLEANS[str(given.get("friendlyPassOk", True)).lower()],
        )
    except KeyError as error:
        raise TengenError(f"unknown rule {error.args[0]}") from None
    _check_supported(given, rules_to_katago(rules))
    return rules


def _check_supported(given: dict[str, object], played: dict[str, object]) -> None:
    """Raise TengenError for unknown fields and for unsupported values of tax and button."""
    for name in given.keys() - played.keys():
        raise TengenError(f"unknown rule {name!r}: use one of {', '.join(played)}")
    for name in ("tax", "hasButton"):
        value, supported = given.get(name, played[name]), played[name]
        if str(value).upper() != str(supported).upper():
            raise TengenError(f"{name} {value} is not supported: use {supported}")
