"""The levels: ranks, and the calibrated skill of each rank on each board size.

`data/levels.csv` contains the calibration, written by `tengen lab levels`.
"""

import csv
import functools
import math
from dataclasses import dataclass
from pathlib import Path

from tengen.engine.levels.parameters import MAX_SKILL, MIN_SKILL
from tengen.util import TengenError

TABLE = Path(__file__).parents[2] / "data" / "levels.csv"
LEVEL_COLUMNS = ("size", "rank", "skill", "elo", "error", "games")
MAX_KYU, MAX_DAN = 30, 9
STRONGEST, AUTO = "strongest", "auto"
SKILL_PREFIX = "skill:"
"""`level=skill:12.5` plays with this skill, whatever its rank."""
DESCRIPTIONS = (
    (23, "a beginner who knows the rules"),
    (18, "knows basic shapes, reads little"),
    (14, "reads simple captures"),
    (11, "recognizes big moves"),
    (9, "a casual player"),
    (6, "an experienced casual player"),
    (3, "a club player"),
    (1, "a strong club player"),
    (-MAX_DAN, "a dan player"),
)
"""Descriptions with the strongest kyu rank that they apply to; dan ranks are 0 and below."""


@dataclass(frozen=True)
class CalibratedLevel:
    """The calibration of a level on one board size."""

    size: int
    rank: str
    skill: float
    elo: float
    """Elo relative to 10k on the same board size."""
    error: float
    """Standard error of the Elo, relative to the same."""
    games: int
    """Games of the two measured players between which the level lies."""


@dataclass(frozen=True)
class Level:
    """A playing strength, named by its rank."""

    name: str
    description: str

    @property
    def overrides(self) -> tuple[str, ...]:
        """The settings of the level as `name=value`."""
        return (f"level={self.name}",)

    @property
    def rank(self) -> str:
        """The rank in words: `15 kyu`."""
        grades = {"k": "kyu", "d": "dan"}
        is_rank = self.name[:-1].isdecimal()
        return f"{self.name[:-1]} {grades[self.name[-1]]}" if is_rank else self.name

    @property
    def is_rank(self) -> bool:
        """Whether the level is a rank, not `auto` or `strongest`."""
        return self.name not in (AUTO, STRONGEST)

    @property
    def games(self) -> dict[int, int]:
        """Games that measured the level, by board size; empty for `auto` and `strongest`."""
        levels = [table[self.name] for table in calibration().values() if self.name in table]
        return {one.size: one.games for one in levels if one.games}

    @property
    def strength(self) -> str:
        """What the level was measured on: `9x9 (200 games)`; empty for `auto` and `strongest`."""
        sizes = [f"{size}x{size} ({games} games)" for size, games in self.games.items()]
        return ", ".join(sizes) or ("not measured" if self.is_rank else "")


def rank_name(number: float) -> str:
    """Return the rank with a number: 1 is 1d, 0 is 1k, -9 is 10k."""
    whole = round(number)
    return f"{whole}d" if whole > 0 else f"{1 - whole}k"


def rank_number(name: str) -> int:
    """Return the number of a rank: 1 for 1d, 0 for 1k, -9 for 10k."""
    number = int(name[:-1])
    return number if name[-1] == "d" else 1 - number


def _description(number: int) -> str:
    kyu = 1 - number
    return next(text for limit, text in DESCRIPTIONS if kyu >= limit)


MIN_RANK, MAX_RANK = 1 - MAX_KYU, MAX_DAN
RANKS = tuple(rank_name(number) for number in range(MIN_RANK, MAX_RANK + 1))
"""From weak to strong."""
LEVELS = (
    *(Level(name, _description(rank_number(name))) for name in RANKS),
    Level(AUTO, "adapts to you: wins about half of the games"),
    Level(STRONGEST, "as strong as settings and clock allow"),
)
"""From weak to strong."""


def level_named(name: str) -> Level:
    """Return a level by name; raise TengenError if it does not exist."""
    wanted = name.strip().lower()
    for level in LEVELS:
        if level.name == wanted:
            return level
    if given_skill(wanted) is not None:
        return Level(wanted, "a player of the calibration")
    raise TengenError(
        f"unknown level {name!r}: use {RANKS[0]} to 1k, 1d to {RANKS[-1]}, {AUTO} or {STRONGEST}"
    )


def given_skill(name: str) -> float | None:
    """Return the skill in `skill:12.5`, or None."""
    if not name.startswith(SKILL_PREFIX):
        return None
    try:
        skill = float(name[len(SKILL_PREFIX) :])
    except ValueError:
        return None
    return skill if MIN_SKILL <= skill <= MAX_SKILL else None


@functools.lru_cache(maxsize=8)
def calibration(path: Path = TABLE) -> dict[int, dict[str, CalibratedLevel]]:
    """Return the calibrated levels by board size and rank."""
    table: dict[int, dict[str, CalibratedLevel]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            level = CalibratedLevel(
                int(row["size"]),
                row["rank"],
                float(row["skill"]),
                float(row["elo"]),
                float(row["error"]),
                int(row["games"]),
            )
            table.setdefault(level.size, {})[level.rank] = level
    return table


def nearest_size(rows: int, columns: int) -> int:
    """Return the calibrated board size nearest to a board in the number of points."""
    side = math.sqrt(rows * columns)
    return min(calibration(), key=lambda size: abs(size - side))


def rank_skill(number: float, rows: int, columns: int) -> float:
    """Return the skill of a rank, interpolated between whole ranks."""
    table = calibration()[nearest_size(rows, columns)]
    number = min(max(number, MIN_RANK), MAX_RANK)
    below = math.floor(number)
    low, high = (table[rank_name(min(one, MAX_RANK))].skill for one in (below, below + 1))
    return low + (high - low) * (number - below)


def rank_elo(number: float, rows: int, columns: int) -> float:
    """Return the Elo of a rank relative to 10k, interpolated between whole ranks."""
    table = calibration()[nearest_size(rows, columns)]
    number = min(max(number, MIN_RANK), MAX_RANK)
    below = math.floor(number)
    low, high = (table[rank_name(min(one, MAX_RANK))].elo for one in (below, below + 1))
    return low + (high - low) * (number - below)
