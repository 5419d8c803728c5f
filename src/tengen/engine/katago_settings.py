"""Translation of KataGo's settings, for tools written for KataGo.

Settings with an equivalent are translated; the names of all others are returned as unknown.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from tengen.board import Rules, rules_named
from tengen.util import TengenError

MAX_VISITS = 10**9


class Perspective(IntEnum):
    """The side whose win rates and scores are reported."""

    SIDETOMOVE = 0
    BLACK = 1
    WHITE = 2


@dataclass
class TranslatedSettings:
    """The equivalents of KataGo's settings."""

    overrides: list[str] = field(default_factory=list)
    """Engine settings as `name=value`, without the fields below."""
    visits: int | None = None
    seconds: float | None = None
    threads: int | None = None
    """Threads per search."""
    positions: int | None = None
    """Number of positions analyzed in parallel."""
    perspective: Perspective | None = None
    rules: Rules | None = None
    human_profile: str | None = None
    """Player profile of human-like networks."""
    unknown: list[str] = field(default_factory=list)
    """Names without an equivalent."""

    @property
    def sets_net(self) -> bool:
        """Whether the network is set."""
        return any(override.startswith("play.net=") for override in self.overrides)

    def all_overrides(self) -> list[str]:
        """Return all engine settings as `name=value`, with at most one thread per core."""
        overrides = list(self.overrides)
        if self.threads is not None:
            overrides.append(f"threads={min(self.threads, os.cpu_count() or 1)}")
        if self.visits is not None:
            overrides.append(f"playouts={self.visits}")
        if self.seconds is not None:
            overrides.append(f"seconds={max(self.seconds, 0.01):g}")
        if self.human_profile is not None:
            overrides.append(f"{HUMAN_PROFILE}={self.human_profile}")
        return overrides


def translate(values: Mapping[str, object]) -> TranslatedSettings:
    """Translate KataGo's settings; raise TengenError for invalid values."""
    result = TranslatedSettings()
    for name, value in values.items():
        if name in CONVERTERS:
            CONVERTERS[name](result, name, value)
        elif name in SAME_VALUE:
            result.overrides.append(f"{SAME_VALUE[name]}={_text(value)}")
        elif name in UTILITIES:
            value = _parse_number(name, value) / UTILITY_RANGE
            result.overrides.append(f"{UTILITIES[name]}={value:g}")
        elif not _is_disabled_noise(name, value):
            result.unknown.append(name)
    return result


def tengen_name(name: str) -> str | None:
    """Return the name of the equivalent setting, if its value can be read back."""
    return SAME_VALUE.get(name) or READABLE.get(name) or UTILITIES.get(name)


def katago_value(name: str, value: object) -> object:
    """Convert a value of the equivalent setting to that of KataGo's setting."""
    return value * UTILITY_RANGE if name in UTILITIES and isinstance(value, float) else value


def read_config(path: str) -> dict[str, str]:
    """Read a KataGo config file; raise TengenError if it cannot be read.

    Lines have the form `name = value`, comments start with `#`. `@include` is ignored.
    """
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
    return _parse_pairs(text.splitlines(), path)


def parse_overrides(text: str) -> dict[str, str]:
    """Parse the value of `-override-config`, `name=value,name=value`; raise TengenError."""
    return _parse_pairs(text.split(","), "-override-config")


def _parse_pairs(lines: list[str], origin: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in lines:
        stripped = line.partition("#")[0].strip()
        if not stripped or stripped.startswith("@"):
            continue
        name, equals, value = stripped.partition("=")
        if not equals:
            raise TengenError(
                f"{origin}: settings must be given as name=value, got {stripped[:60]!r}"
            )
        values[name.strip()] = value.strip().strip('"')
    return values


# Conversion of single settings


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_number(name: str, value: object) -> float:
    try:
        number = float(_text(value))
    except ValueError:
        number = float("nan")
    if not number == number or isinstance(value, bool):
        raise TengenError(f"{name} must be a number, got {value!r}")
    return number


def _parse_count(name: str, value: object) -> int:
    number = _parse_number(name, value)
    if not number >= 1:
        raise TengenError(f"{name} must be at least 1, got {value!r}")
    return int(min(number, MAX_VISITS))


def _visits(result: TranslatedSettings, name: str, value: object) -> None:
    result.visits = min(result.visits or MAX_VISITS, _parse_count(name, value))


def _seconds(result: TranslatedSettings, name: str, value: object) -> None:
    seconds = _parse_number(name, value)
    if seconds <= 0:
        raise TengenError(f"{name} must be positive, got {value!r}")
    result.seconds = min(seconds, 86400.0)


def _positions(result: TranslatedSettings, name: str, value: object) -> None:
    result.positions = _parse_count(name, value)


def _threads(result: TranslatedSettings, name: str, value: object) -> None:
    result.threads = _parse_count(name, value)


def _perspective(result: TranslatedSettings, name: str, value: object) -> None:
    key = str(value).strip().upper().replace("_", "")
    if key not in Perspective.__members__:
        choices = ", ".join(Perspective.__members__)
        raise TengenError(f"{name} must be one of {choices}, got {value!r}")
    result.perspective = Perspective[key]


def _rules(result: TranslatedSettings, name: str, value: object) -> None:
    result.rules = rules_named(str(value))


def _resignation(result: TranslatedSettings, name: str, value: object) -> None:
    if _text(value).lower() in ("false", "0", "no"):
        result.overrides.append("resign=0")


def _resign_threshold(result: TranslatedSettings, name: str, value: object) -> None:
    """Convert a utility from -1 to 1 to a win rate."""
    win_rate = (1 + _parse_number(name, value)) / 2
    if "resign=0" not in result.overrides:
        result.overrides.append(f"resign={min(max(win_rate, 0.0), 0.5):g}")


def _seed(result: TranslatedSettings, name: str, value: object) -> None:
    """Convert KataGo's seed, any text, to a positive integer."""
    text = _text(value)
    is_number = text.isascii() and text.isdigit() and len(text) < 20
    seed = int(text) if is_number else sum(map(ord, text))
    result.overrides.append(f"seed={seed % (2**31 - 1) or 2**31 - 1}")


def _human_profile(result: TranslatedSettings, name: str, value: object) -> None:
    text = str(value).strip()
    profile = "" if text in NO_PROFILE else text
    result.human_profile = profile


NO_PROFILE = ("", "_", '""')
"""Values that unset the profile."""
HUMAN_PROFILE = "play.human_profile"
CONVERTERS: dict[str, Callable[[TranslatedSettings, str, object], None]] = {
    "maxVisits": _visits,
    "maxPlayouts": _visits,
    "maxTime": _seconds,
    "numAnalysisThreads": _positions,
    "numSearchThreads": _threads,
    "numSearchThreadsPerAnalysisThread": _threads,
    "reportAnalysisWinratesAs": _perspective,
    "rules": _rules,
    "allowResignation": _resignation,
    "resignThreshold": _resign_threshold,
    "searchRandSeed": _seed,
    "humanSLProfile": _human_profile,
}
READABLE = {
    "maxVisits": "play.playouts",
    "maxPlayouts": "play.playouts",
    "maxTime": "play.seconds",
    "numSearchThreads": "search.threads",
    "humanSLProfile": HUMAN_PROFILE,
}
"""Converted settings whose value can be read back by `kata-get-param`."""
SAME_VALUE = {
    "ponderingEnabled": "play.ponder",
    "lagBuffer": "play.lag",
}
"""Settings with another name but the same value."""
UTILITIES = {
    "cpuctExploration": "search.puct_exploration",
    "fpuReductionMax": "search.fpu_reduction",
    "wideRootNoise": "search.wide_root_noise",
    "analysisWideRootNoise": "search.wide_root_noise",
}
"""Settings in units of utility."""
UTILITY_RANGE = 2.0
"""KataGo's utilities range from -1 to 1, Tengen's values from 0 to 1."""


def _is_disabled_noise(name: str, value: object) -> bool:
    """Return whether a setting disables policy noise at the root, which Tengen does not have."""
    return name == "rootNoiseEnabled" and _text(value).lower() in ("0", "0.0", "false")
