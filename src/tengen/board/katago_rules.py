"""Rules as KataGo writes them: one JSON object."""

import json

from tengen.board.rules import NAMED_RULES, Compensation, Ko, Rules, Scoring
from tengen.core.errors import TengenError

KO_NAMES = {"SIMPLE": Ko.SIMPLE, "POSITIONAL": Ko.POSITIONAL, "SITUATIONAL": Ko.SITUATIONAL}
BONUS_NAMES = {
    "0": Compensation.NONE,
    "N": Compensation.STONES,
    "N-1": Compensation.STONES_LESS_ONE,
}
AREA_KOMI, TERRITORY_KOMI = NAMED_RULES["chinese"].komi, NAMED_RULES["japanese"].komi
"""Such an object says nothing of komi: these are KataGo's defaults, and ours."""
YES_OR_NO = {"true": True, "false": False}
OTHER_NAMES = {
    "koRule": "ko",
    "scoringRule": "scoring",
    "taxRule": "tax",
    "multiStoneSuicideLegal": "suicide",
    "button": "hasButton",
}
"""What KataGo's configuration calls the same fields."""


def rules_to_katago(rules: Rules) -> dict[str, object]:
    """Return the rules as KataGo's object; taxes and button are never used."""
    return {
        "ko": rules.ko.name,
        "scoring": rules.scoring.name,
        "tax": "NONE" if rules.scoring is Scoring.AREA else "SEKI",
        "suicide": rules.suicide,
        "hasButton": False,
        "whiteHandicapBonus": next(k for k, v in BONUS_NAMES.items() if v is rules.compensation),
        "friendlyPassOk": not rules.as_it_stands,
    }


def rules_from_katago(text: str) -> Rules:
    """Read KataGo's object; raise TengenError for what we do not know."""
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise TengenError(f"invalid JSON in rules: {error.msg}") from None
    if not isinstance(given, dict):
        raise TengenError("rules must be a name or a JSON object")
    given = {OTHER_NAMES.get(name, name): value for name, value in given.items()}
    try:
        scoring = Scoring[str(given.get("scoring", "AREA")).upper()]
        rules = Rules(
            scoring=scoring,
            ko=KO_NAMES[str(given.get("ko", "POSITIONAL")).upper()],
            suicide=YES_OR_NO[str(given.get("suicide", False)).lower()],
            compensation=BONUS_NAMES[str(given.get("whiteHandicapBonus", "0")).upper()],
            komi=TERRITORY_KOMI if scoring is Scoring.TERRITORY else AREA_KOMI,
            as_it_stands=scoring is Scoring.AREA
            and not YES_OR_NO[str(given.get("friendlyPassOk", True)).lower()],
        )
    except KeyError as error:
        raise TengenError(f"unknown rule {error.args[0]}") from None
    _refuse_other(given, rules_to_katago(rules))
    return rules


def _refuse_other(given: dict[str, object], played: dict[str, object]) -> None:
    """Raise TengenError for what is no rule, and for a tax or a button that is not played here."""
    for name in given.keys() - played.keys():
        raise TengenError(f"unknown rule {name!r}: there are {', '.join(played)}")
    for name in ("tax", "hasButton"):
        value, ours = given.get(name, played[name]), played[name]
        if str(value).upper() != str(ours).upper():
            raise TengenError(f"{name} {value} is not played here: it is {ours}")
