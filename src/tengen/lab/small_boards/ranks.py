"""Remarks 1, 3, 4 and 6 on real games: where do the evaluations rank the moves people chose?

The rank of a move is the share of the other legal moves that change an evaluation less for its
player, equal ones by half: chance has 0.5 on the average, an evaluation that always sets the
played move first has 1.
"""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tengen.board.colour import BLACK
from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.metric import Metric
from tengen.knowledge.metric_board import Changes, Map, changes
from tengen.lab.study import Study, Table
from tengen.records.game import GameRecord
from tengen.records.reader import read_games

FIRST_MOVES = 10
PHASES = ("first ten moves", "first third", "second third", "last third")
NAMES = ("e0", "e1", "e2", "ed4", "ed8")
ALL = Metric.only(a0=1, a1=1, a2=1, b4=1, b8=1, infinity=512)
FEWEST_MOVES = 30
COLUMNS = ["game", "size", "phase", "move", *NAMES]


def rank(change: Map, row: int, column: int) -> float:
    """Return the share of the other moves that lie below one, equal ones by half."""
    known = change[~np.isnan(change)]
    mine = change[row, column]
    others = known.size - 1
    below = np.count_nonzero(known < mine) + (np.count_nonzero(known == mine) - 1) / 2
    return float(below / others) if others else 0.5


def ranks(change: Map) -> Map:
    """Return the rank of every move, NaN where there is none."""
    found = np.full(change.shape, np.nan)
    for row, column in np.argwhere(~np.isnan(change)).tolist():
        found[row, column] = rank(change, row, column)
    return found


def rank_games(study: Study, path: Path, games: int, seed: int) -> Table:
    """Rank one move of each phase of so many games; what the table has is not done again."""
    table = study.table("ranks", COLUMNS)
    done = {int(row["game"]) for row in table.rows}
    for number, record in enumerate(itertools.islice(_long_games(path), games)):
        if number not in done:
            dice = random.Random(f"{seed}:{number}")
            table.add_all({"game": number, **row} for row in _rank_game(record, dice))
    if not table.rows:
        raise TengenError(f"no game of {FEWEST_MOVES} moves in {path}")
    return table


def _long_games(path: Path) -> Iterator[GameRecord]:
    for record in read_games(path, report=lambda warning: None):
        if len(record.moves) >= FEWEST_MOVES and not record.changes and not record.setup:
            yield record


def _rank_game(record: GameRecord, dice: random.Random) -> Iterator[dict[str, object]]:
    """Yield the ranks of one move of each phase."""
    third = len(record.moves) // 3
    starts = (0, 0, third, 2 * third)
    for phase, start, length in zip(PHASES, starts, (FIRST_MOVES, *[third] * 3), strict=True):
        move_number = start + dice.randrange(length)
        position = record.position(move_number)
        colour, move = record.moves[move_number]
        position.to_play = colour
        if move == PASS or not position.is_legal(move):
            continue
        yield {
            "size": record.rows,
            "phase": phase,
            "move": move_number + 1,
            **_ranks_of(position, move, changes(position, ALL)),
        }


def _ranks_of(position: Position, move: int, maps: Changes) -> dict[str, float]:
    sign = 1 if position.to_play is BLACK else -1
    place = row_of(move), column_of(move)
    return {name: round(rank(sign * getattr(maps, name), *place), 4) for name in NAMES}


class MeanRanks(NamedTuple):
    """Mean and standard error of the ranks in one phase, by evaluation."""

    size: int
    phase: str
    moves: int
    means: dict[str, tuple[float, float]]

    def row(self) -> dict[str, object]:
        """Return a line for a report."""
        shown = {name: f"{mean:.3f} ± {error:.3f}" for name, (mean, error) in self.means.items()}
        return {"board": self.size, "phase": self.phase, "moves": self.moves, **shown}


def summary(table: Table) -> list[MeanRanks]:
    """Return the mean ranks by board size and phase."""
    found = []
    for size in sorted({int(row["size"]) for row in table.rows}):
        for phase in PHASES:
            some = [r for r in table.rows if r["phase"] == phase and int(r["size"]) == size]
            if len(some) < 2:
                continue
            means = {}
            for name in NAMES:
                all_ranks = np.array([float(row[name]) for row in some])
                error = all_ranks.std(ddof=1) / len(some) ** 0.5
                means[name] = float(all_ranks.mean()), float(error)
            found.append(MeanRanks(size, phase, len(some), means))
    return found


def draw(axes: Any, found: list[MeanRanks]) -> None:
    """Draw the mean ranks of one board size as a line for each evaluation."""
    for name in NAMES:
        means, errors = zip(*(phase.means[name] for phase in found), strict=True)
        axes.errorbar(range(len(found)), means, errors, label=name, marker="o", capsize=2)
    axes.axhline(0.5, color="grey", linewidth=0.5)
    axes.set_xticks(range(len(found)), [phase.phase for phase in found])
    axes.set_title(f"{found[0].size}x{found[0].size}")
    axes.set_ylabel("mean rank of the played move")
    axes.legend(fontsize=8, ncols=len(NAMES))
