"""Positions of games with a strong net's word on every move: a judge that costs no games."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.lab.labels import Labels
from tengen.network.training.settings import TrainSettings

LATEST = 0.6
"""The last positions are after this share of the board's points: later, most moves are forced."""
EARLIEST = 4
"""Before so many moves every corner is as good."""


@dataclass(frozen=True)
class Judged:
    """A position, and what each move is worth there."""

    position: Position
    worth: Mapping[int, float]
    """The probability of a move by that of the best; moves that are not named are worth nothing."""

    def worth_of(self, move: int) -> float:
        """Return what a move is worth, from 0 to 1, the judge's own choice."""
        return self.worth.get(move, 0.0)


def judged_positions(
    folder: Path, size: int, count: int, seed: int, before: int = 0, all_games: bool = False
) -> list[Judged]:
    """Draw positions of games that a net taught with this folder has not learned from, or of all.

    They are before that move, if one is given, and from the first `LATEST` of the game. The
    folder is one of labels, as `tengen net train` reads it. Raise TengenError if it has too few,
    or is damaged.
    """
    if count < 2:
        raise TengenError(f"{count} positions to judge by: at least two are needed")
    labels = Labels(folder, size)
    is_unseen = all_games | (labels.game % TrainSettings().held_out == 0)
    end = min(before or size**2, LATEST * size**2)
    chosen = np.flatnonzero(is_unseen & (labels.turn >= EARLIEST) & (labels.turn < end))
    if len(chosen) < count:
        raise TengenError(f"{folder} has {len(chosen)} positions of size {size} to judge by")
    drawn = np.random.default_rng(seed).choice(chosen, count, replace=False)
    return [Judged(labels.position(row), _worth(labels.policy(row))) for row in drawn.tolist()]


def _worth(policy: Mapping[int, float]) -> dict[int, float]:
    best = max(policy.values(), default=1.0)
    return {move: share / best for move, share in policy.items()}
