"""KataGo's settings in Tengen's words, for tools that were made for KataGo.

What means the same here is taken over; the rest is told back as unknown, so that nobody believes
that it had an effect.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from tengen.board.rules import Rules, rules_named
from tengen.core.errors import TengenError

MOST_VISITS = 10**9


class Perspective(IntEnum):
    """Whose win rates and scores are told."""

    SIDETOMOVE = 0
    BLACK = 1
    WHITE = 2


@dataclass
class Translated:
    """What settings of KataGo's come to here."""

    words: list[str] = field(default_factory=list)
    """Settings of the engine, `name=value`, without those that stand below."""
    visits: int | None = None
    seconds: float | None = None
    threads: int | None = None
    """Of one search."""
    positions: int | None = None
    """How many positions are analysed at once."""
    perspective: Perspective | None = None
    rules: Rules | None = None
    unknown: list[str] = field(default_factory=list)
    """Names of which Tengen knows nothing."""

    @property
    def names_net(self) -> bool:
        """Whether the net is told."""
        return any(word.startswith("play.net=") for word in self.words)

    def all_words(self) -> list[str]:
        """Return all settings of the engine; not more threads than cores, which gain nothing."""
        words = list(self.words)
        if self.threads is not None:
            words.append(f"threads={min(self.threads, os.cpu_count() or 1)}")
        if self.visits is not None:
            words.append(f"playouts={self.visits}")
        if self.seconds is not None:
            words.append(f"seconds={max(self.seconds, 0.01):g}")
        return words


def translate(values: Mapping[str, object]) -> Translated:
    """Return what KataGo's settings mean here; raise TengenError for values that make no sense."""
    found = Translated()
    for name, value in values.items():
        if name in TAKEN:
            TAKEN[name](found, name, value)
        elif name in WORDS:
            found.words.append(f"{WORDS[name]}={_plain(value)}")
        elif name in UTILITIES:
            found.words.append(f"{UTILITIES[name]}={_number(name, value) / UTILITY_WIDTH:g}")
        elif not _is_off(name, value):
            found.unknown.append(name)
    return found


def our_name(name: str) -> str | None:
    """Return what a setting of KataGo's is called here, if it is but a number or a switch."""
    return WORDS.get(name) or DIRECT.get(name) or UTILITIES.get(name)


def katago_value(name: str, value: object) -> object:
    """Return the value of a setting of ours as KataGo's setting of that name has it."""
    return value * UTILITY_WIDTH if name in UTILITIES and isinstance(value, float) else value


def read_config(path: str) -> dict[str, str]:
    """Return the settings of a KataGo config file; raise TengenError if it cannot be read.

    Lines are `name = value`; `#` begins a comment. `@include` is not followed.
    """
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
    return _pairs(text.splitlines(), path)


def parse_overrides(text: str) -> dict[str, str]:
    """Return the settings of `-override-config`: `name=value,name=value`; raise TengenError."""
    return _pairs(text.split(","), "-override-config")


def _pairs(lines: list[str], place: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        bare = line.partition("#")[0].strip()
        if not bare or bare.startswith("@"):
            continue
        name, equals, value = bare.partition("=")
        if not equals:
            raise TengenError(f"{place}: write settings as name=value, not {bare[:60]!r}")
        found[name.strip()] = value.strip().strip('"')
    return found


# What single settings come to


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(name: str, value: object) -> float:
    try:
        number = float(_plain(value))
    except ValueError:
        number = float("nan")
    if not number == number or isinstance(value, bool):
        raise TengenError(f"{name} wants a number, not {value!r}")
    return number


def _count(name: str, value: object) -> int:
    number = _number(name, value)
    if not number >= 1:
        raise TengenError(f"{name} wants a number from 1 up, not {value!r}")
    return int(min(number, MOST_VISITS))


def _visits(found: Translated, name: str, value: object) -> None:
    found.visits = min(found.visits or MOST_VISITS, _count(name, value))


def _seconds(found: Translated, name: str, value: object) -> None:
    seconds = _number(name, value)
    if seconds <= 0:
        raise TengenError(f"{name} wants a number above 0, not {value!r}")
    found.seconds = min(seconds, 86400.0)


def _positions(found: Translated, name: str, value: object) -> None:
    found.positions = _count(name, value)


def _threads(found: Translated, name: str, value: object) -> None:
    found.threads = _count(name, value)


def _perspective(found: Translated, name: str, value: object) -> None:
    key = str(value).strip().upper().replace("_", "")
    if key not in Perspective.__members__:
        raise TengenError(f"{name} is one of {', '.join(Perspective.__members__)}, not {value!r}")
    found.perspective = Perspective[key]


def _rules(found: Translated, name: str, value: object) -> None:
    found.rules = rules_named(str(value))


def _resignation(found: Translated, name: str, value: object) -> None:
    if _plain(value).lower() in ("false", "0", "no"):
        found.words.append("resign=0")


def _resign_threshold(found: Translated, name: str, value: object) -> None:
    """KataGo counts from -1 (lost) to 1 (won), we count win rates."""
    share = (1 + _number(name, value)) / 2
    if not any(word == "resign=0" for word in found.words):
        found.words.append(f"resign={min(max(share, 0.0), 0.5):g}")


def _seed(found: Translated, name: str, value: object) -> None:
    """KataGo's seed is any text; here it is a number, and 0 a new one for each game."""
    text = _plain(value)
    is_number = text.isascii() and text.isdigit() and len(text) < 20
    seed = int(text) if is_number else sum(map(ord, text))
    found.words.append(f"seed={seed % (2**31 - 1) or 2**31 - 1}")


TAKEN: dict[str, Callable[[Translated, str, object], None]] = {
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
}
DIRECT = {
    "maxVisits": "play.playouts",
    "maxPlayouts": "play.playouts",
    "maxTime": "play.seconds",
    "numSearchThreads": "search.threads",
}
"""Where a value can be read back, for `kata-get-param`."""
WORDS = {
    "ponderingEnabled": "play.ponder",
    "lagBuffer": "play.lag",
}
"""Settings that have another name here, and no other meaning."""
UTILITIES = {
    "cpuctExploration": "search.puct_exploration",
    "fpuReductionMax": "search.puct_reduction",
    "wideRootNoise": "search.wide_root",
    "analysisWideRootNoise": "search.wide_root",
}
"""Settings that are differences of value."""
UTILITY_WIDTH = 2.0
"""KataGo's values go from -1 to 1, ours from 0 to 1."""


def _is_off(name: str, value: object) -> bool:
    """Tell whether a setting asks for what is so anyway: no noise in the policy of the root."""
    return name == "rootNoiseEnabled" and _plain(value).lower() in ("0", "0.0", "false")
