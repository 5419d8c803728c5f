"""Positions of games with a strong net's word on every move: a judge that costs no games."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board.points import PASS, board_points
from tengen.board.position import Position
from tengen.board.rules import Rules
from tengen.core.errors import TengenError
from tengen.network.training.labels import LabelledGame, read_label_games, read_label_table
from tengen.network.training.settings import TrainSettings
from tengen.records.game import lenient

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
    games = read_label_games(folder / "games.json")
    table = read_label_table(folder, size, len(games))
    is_unseen = all_games | (table["game"] % TrainSettings().held_out == 0)
    turns = table["turn"]
    end = min(before or size**2, LATEST * size**2)
    chosen = np.flatnonzero(is_unseen & (turns >= EARLIEST) & (turns < end))
    if len(chosen) < count:
        raise TengenError(f"{folder} has {len(chosen)} positions of size {size} to judge by")
    drawn = np.random.default_rng(seed).choice(chosen, count, replace=False)
    return [
        Judged(
            _position_at(games[int(table["game"][row])], int(turns[row])),
            _worth(size, table["policy_move"][row], table["policy"][row]),
        )
        for row in drawn.tolist()
    ]


def _worth(
    size: int, moves: npt.NDArray[np.integer], policy: npt.NDArray[np.floating]
) -> dict[int, float]:
    names = [*board_points(size, size), PASS]
    best = float(policy.max())
    return {
        names[int(move)]: float(share) / best
        for move, share in zip(moves, policy, strict=True)
        if share > 0
    }


def _position_at(game: LabelledGame, turn: int) -> Position:
    position = Position(game.size, rules=lenient(Rules().with_komi(game.komi)))
    for move in game.moves[:turn]:
        position.play(move)
    return position
