"""The level `auto`: estimates the rank of a player from the results of their games.

The estimate is a normal distribution over ranks. Each game multiplies it by the probability of the
result, with the Elo of the calibrated levels.
"""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tengen.engine.levels.table import MAX_RANK, MIN_RANK, rank_elo, rank_name
from tengen.util import TengenError, atomic_write_text, data_dir

FILE_NAME = "auto-level.json"
START_RANK, START_STDEV = -14.0, 7.0
"""The estimate before the first game: 15k, give or take seven ranks."""
DRIFT = 0.5
"""Standard deviation of the change of a player's rank between two games."""
MIN_STDEV = 1.0
Z_95 = 1.96


@dataclass(frozen=True)
class RankEstimate:
    """The estimated rank of a player; 1 is 1d, 0 is 1k, -9 is 10k."""

    mean: float = START_RANK
    stdev: float = START_STDEV
    games: int = 0
    wins: int = 0

    @property
    def playing_rank(self) -> int:
        """The rank that `auto` plays at."""
        return round(min(max(self.mean, MIN_RANK), MAX_RANK))

    @property
    def bounds(self) -> tuple[str, str]:
        """Names of the ends of the 95% interval."""
        ends = (self.mean - Z_95 * self.stdev, self.mean + Z_95 * self.stdev)
        low, high = (rank_name(min(max(end, MIN_RANK), MAX_RANK)) for end in ends)
        return low, high

    @property
    def text(self) -> str:
        """The estimate in words: `about 12k (15k to 9k), 8 games`."""
        low, high = self.bounds
        games = "1 game" if self.games == 1 else f"{self.games} games"
        return f"about {rank_name(self.playing_rank)} ({low} to {high}), {games}"

    def after(
        self, has_won: bool, rows: int, columns: int, opponent: int, handicap: int = 0
    ) -> "RankEstimate":
        """Return the estimate after a game against a level.

        `opponent` is the number of the level's rank. `handicap` is the number of the player's
        stones; each counts as a rank, the first as half, and negative ones are the opponent's.
        """
        bonus = math.copysign(abs(handicap) - 0.5, handicap) if handicap else 0.0
        ranks = np.linspace(MIN_RANK - 5, MAX_RANK + 5, 1 + 10 * (MAX_RANK - MIN_RANK + 10))
        stdev = math.hypot(self.stdev, DRIFT if self.games else 0.0)
        weights = np.exp(-0.5 * ((ranks - self.mean) / stdev) ** 2)
        elo = np.array([rank_elo(rank + bonus, rows, columns) for rank in ranks])
        expected = 1 / (1 + 10 ** ((rank_elo(opponent, rows, columns) - elo) / 400))
        weights *= expected if has_won else 1 - expected
        weights /= weights.sum()
        mean = float((weights * ranks).sum())
        stdev = math.sqrt(float((weights * (ranks - mean) ** 2).sum()))
        return RankEstimate(
            min(max(mean, MIN_RANK), MAX_RANK),
            max(stdev, MIN_STDEV),
            self.games + 1,
            self.wins + has_won,
        )


def estimate_path() -> Path:
    """Return the file of the estimate."""
    return data_dir() / FILE_NAME


def stored_estimate(path: Path | None = None) -> RankEstimate:
    """Return the stored estimate, or that before the first game."""
    path = path or estimate_path()
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        estimate = RankEstimate(**values)
        if not (math.isfinite(estimate.mean) and 0 < estimate.stdev < math.inf):
            raise ValueError("not an estimate")
        return estimate
    except FileNotFoundError:
        return RankEstimate()
    except (OSError, ValueError, TypeError) as error:
        raise TengenError(f"cannot read {path}: {error}; delete it to start again") from None


def record_result(
    has_won: bool,
    rows: int,
    columns: int,
    handicap: int = 0,
    path: Path | None = None,
) -> RankEstimate:
    """Store and return the estimate after a game of the user against `auto`."""
    path = path or estimate_path()
    before = stored_estimate(path)
    after = before.after(has_won, rows, columns, before.playing_rank, handicap)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write_text(path, json.dumps(asdict(after), indent=2) + "\n")
    return after
