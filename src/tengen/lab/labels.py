"""Positions labeled by a strong network: its policy for every move."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tengen.board import PASS, Position, Rules, board_points
from tengen.nets.training import TrainSettings, is_label_folder, read_label_table
from tengen.records import lenient_rules
from tengen.util import TengenError


class Labels:
    """Labeled positions of one board size, by row."""

    def __init__(self, folder: Path, size: int):
        """Read a label folder as for `tengen net train`; raise TengenError if it is missing or
        damaged.

        Labels for the side that is not to move in the game are ignored.
        """
        if not is_label_folder(folder):
            raise TengenError(f"{folder} is not a label folder: it has neither games nor labels")
        table = read_label_table(folder, size)
        columns = table.columns
        in_turn = columns["to_play"] == 1 + columns["turn"] % 2
        self._size = size
        self._games = table.games
        self._table = {name: values[in_turn] for name, values in columns.items()}
        self._moves = [*board_points(size, size), PASS]
        self.game = table.groups[self._table["game"]]
        """For each row the number that decides whether its game is held out in training."""
        self.turn = self._table["turn"]
        """Number of moves before each row's position."""

    def position(self, row: int) -> Position:
        """Return the position of a row with the komi of its game."""
        games, game = self._games, int(self._table["game"][row])
        rules = lenient_rules(Rules().with_komi(float(games.komi[game])))
        position = Position(self._size, rules=rules)
        begin = int(games.begins[game])
        for move in games.points[begin : begin + int(self.turn[row])].tolist():
            position.play(move)
        return position

    def policy(self, row: int) -> dict[int, float]:
        """Return the moves with positive policy and their probabilities."""
        moves, shares = (self._table[name][row].tolist() for name in ("policy_move", "policy"))
        return {
            self._moves[move]: share for move, share in zip(moves, shares, strict=True) if share > 0
        }


LATEST = 0.6
"""Latest positions, as a share of the board's points; later moves are mostly forced."""
EARLIEST = 4
"""Earliest positions, in moves; before that all corners are equal."""


@dataclass(frozen=True)
class JudgedPosition:
    """A position with the quality of its moves."""

    position: Position
    quality: Mapping[int, float]
    """Policy of each move divided by that of the network's first choice; 0 if not listed."""

    def quality_of(self, move: int) -> float:
        """Return the quality of a move: 0 to 1, where 1 is the network's first choice."""
        return self.quality.get(move, 0.0)


def judged_positions(
    folder: Path, size: int, count: int, seed: int, before: int = 0, all_games: bool = False
) -> list[JudgedPosition]:
    """Draw positions held out from networks trained on this folder, or from all games.

    Positions come before move `before`, if given, and from the first `LATEST` of the game. Raise
    TengenError if there are too few positions or the folder is damaged.
    """
    if count < 2:
        raise TengenError(f"at least 2 positions are needed, got {count}")
    labels = Labels(folder, size)
    is_unseen = all_games | (labels.game % TrainSettings().held_out == 0)
    end = min(before or size**2, LATEST * size**2)
    chosen = np.flatnonzero(is_unseen & (labels.turn >= EARLIEST) & (labels.turn < end))
    if len(chosen) < count:
        raise TengenError(f"{folder} has only {len(chosen)} suitable positions of size {size}")
    drawn = np.random.default_rng(seed).choice(chosen, count, replace=False)
    return [
        JudgedPosition(labels.position(row), _quality(labels.policy(row))) for row in drawn.tolist()
    ]


def _quality(policy: Mapping[int, float]) -> dict[int, float]:
    best = max(policy.values(), default=1.0)
    return {move: share / best for move, share in policy.items()}
