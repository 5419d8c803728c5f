"""Profiles of players, and their encoding as an input of KataGo's human-like networks.

These networks learned from games with the ranks of both players, the time control, the date and the
server. A profile names values of these, as KataGo's `humanSLProfile` does.
"""

import math
import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import numpy as np

from tengen.board import BLACK, Color
from tengen.nets.evaluation import Floats
from tengen.util import TengenError

METADATA = 192
"""Length of the encoding."""
RANKS = [*(f"{dan}d" for dan in range(9, 0, -1)), *(f"{kyu}k" for kyu in range(1, 21))]
"""Ranks of profiles, the strongest first."""
PROFILE = re.compile(r"(rank|preaz|proyear)_(\w+)")
MODERN, BEFORE_ALPHAZERO = date(2020, 3, 1), date(2016, 9, 1)
FIRST_YEAR, LAST_YEAR, LAST_OLD_YEAR = 1800, 2023, 2020
"""Years of `proyear`; those up to the last are taken from an older collection."""
KGS, GOGOD, GO4GO = 2, 5, 6
"""Sources of games."""
TIME_UNKNOWN, BYO_YOMI = 75, 79
"""Index of each time control."""
RANK, RATED, TIMES, AREA, DATE, SOURCE = 6, 74, 82, 86, 87, 151
"""Index of the first value of each kind."""
RANK_LENGTH = 34
PERIODS = 32
"""Number of periods of the date, from a week to 80,000 weeks."""
EPOCH = date(1970, 1, 1)


@dataclass(frozen=True)
class PlayerProfile:
    """Input of a human-like network about the players and the game."""

    black_rank: int
    """1 for 9 dan or a professional, 2 for 8 dan, ..."""
    white_rank: int
    day: date
    source: int
    is_online: bool
    """Whether it is a game on a server with byo-yomi that may or may not be rated."""

    def encode(self, to_play: Color, area: int) -> Floats:
        """Return the input of a network: (192,), for the side to move and a board area."""
        return _encode(self, to_play is BLACK, area)


def parse_profile(text: str) -> PlayerProfile:
    """Parse `rank_5k`, `rank_1d_5k` (Black, White), `preaz_9d` or `proyear_1985`.

    Raise TengenError for anything else.
    """
    found = PROFILE.fullmatch(text.strip())
    kind, value = found.groups() if found else ("", "")
    if kind == "proyear" and value.isascii() and value.isdigit():
        year = int(value)
        if FIRST_YEAR <= year <= LAST_YEAR:
            source = GOGOD if year <= LAST_OLD_YEAR else GO4GO
            return PlayerProfile(1, 1, date(year, 6, 1), source, is_online=False)
    if kind in ("rank", "preaz"):
        names = value.split("_")
        if len(names) in (1, 2) and all(name in RANKS for name in names):
            day = MODERN if kind == "rank" else BEFORE_ALPHAZERO
            black, white = RANKS.index(names[0]) + 1, RANKS.index(names[-1]) + 1
            return PlayerProfile(black, white, day, KGS, is_online=True)
    raise TengenError(
        f"unknown player profile {text[:40]!r}: use rank_20k to rank_9d, preaz_20k to preaz_9d"
        f" (both also as rank_BLACK_WHITE), or proyear_{FIRST_YEAR} to proyear_{LAST_YEAR}"
    )


@lru_cache(maxsize=256)
def _encode(profile: PlayerProfile, is_black: bool, area: int) -> Floats:
    row = np.zeros(METADATA, dtype=np.float32)
    row[0:2] = 1  # both players are human
    own, other = profile.black_rank, profile.white_rank
    if not is_black:
        own, other = other, own
    row[RANK : RANK + own] = 1
    row[RANK + RANK_LENGTH : RANK + RANK_LENGTH + other] = 1
    row[RATED] = 0.5 if profile.is_online else 0
    row[BYO_YOMI if profile.is_online else TIME_UNKNOWN] = 1
    main_s, period_s, periods = (1200, 30, 5) if profile.is_online else (0, 0, 0)
    row[TIMES : TIMES + 4] = [
        0.4 * (math.log(main_s + 60) - 6.5),
        0.3 * (math.log(period_s + 1) - 3),
        0.5 * (math.log(periods + 2) - 1.5),
        0.25 * (math.log(2) - 1.5),  # no Canadian byo-yomi
    ]
    row[AREA] = 0.5 * math.log(area / 361)
    weeks = (profile.day - EPOCH).days / 7
    turns = weeks / 80000 ** (np.arange(PERIODS) / (PERIODS - 1))
    row[DATE : DATE + 2 * PERIODS : 2] = np.cos(2 * np.pi * turns)
    row[DATE + 1 : DATE + 2 * PERIODS : 2] = np.sin(2 * np.pi * turns)
    row[SOURCE + profile.source] = 1
    row.flags.writeable = False
    return row
