"""Accuracy of the move predictions of pattern tables."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.lab.shape.kernels.ranking import WAYS, new_ranking, rank_games
from tengen.records import GameMoves
from tengen.sources import SIZES, Shape, ShapeTables
from tengen.sources.kernels.shape_keys import RINGS

COMBINED = int(RINGS)
"""Index of the ranking by all sizes combined; smaller indices rank by one size."""
WAY_NAMES = (*(f"{size}x{size}" for size in SIZES), "combined")


class Prediction(NamedTuple):
    """Ranks of played moves: one row per move, one column per ranking."""

    ranks: npt.NDArray[np.float32]
    probabilities: npt.NDArray[np.float32]
    move_numbers: npt.NDArray[np.int64]
    legal_moves: npt.NDArray[np.int64]

    def of(self, chosen: npt.NDArray[np.bool_]) -> "Prediction":
        """Return some of the rows."""
        return Prediction(
            self.ranks[chosen],
            self.probabilities[chosen],
            self.move_numbers[chosen],
            self.legal_moves[chosen],
        )

    def top(self, count: int, way: int = COMBINED) -> float:
        """Return the share of moves among the first `count`."""
        return float(np.mean(self.ranks[:, way] <= count))

    def mean_log_rank(self, way: int = COMBINED) -> float:
        """Return the mean of the natural logarithm of the rank."""
        return float(np.mean(np.log(self.ranks[:, way])))

    def log_probability(self, way: int = COMBINED) -> float:
        """Return the mean of the natural logarithm of the probability of the move."""
        return float(np.mean(np.log(self.probabilities[:, way])))


def predict(tables: ShapeTables, games: GameMoves) -> Prediction:
    """Rank every move of the games by the tables."""
    parameters = tables.parameters(Shape.backoff)
    room = len(games.codes)
    ranks = np.zeros((room, int(WAYS)), dtype=np.float32)
    probabilities = np.zeros((room, int(WAYS)), dtype=np.float32)
    about = np.zeros((room, 2), dtype=np.int64)
    done = int(
        rank_games(
            games.codes,
            games.starts,
            games.sizes,
            parameters,
            tables.slots(),
            new_ranking(),
            ranks,
            probabilities,
            about,
        )
    )
    return Prediction(ranks[:done], probabilities[:done], about[:done, 0], about[:done, 1])
