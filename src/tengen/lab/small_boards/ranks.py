"""Remarks 1, 3, 4 and 6 on real games: where do the evaluations rank the moves people chose?

The rank of a move is the share of the other legal moves that change an evaluation less for its
player, equal ones by half: chance has 0.5 on the average, an evaluation that always sets the
played move first has 1.
"""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

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

PHASES = ("opening", "middle", "endgame")
"""The thirds of a game by its number of moves."""
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


def rank_games(study: Study, path: Path, games: int, seed: int) -> Table:
    """Rank one move of each third of so many games; what the table has is not done again."""
    table = study.table("ranks", COLUMNS)
    done = {int(row["game"]) for row in table.rows}
    for number, record in enumerate(itertools.islice(_long_games(path), games)):
        if number not in done:
            _rank_game(table, number, record, random.Random(f"{seed}:{number}"))
    if not table.rows:
        raise TengenError(f"no game of {FEWEST_MOVES} moves in {path}")
    return table


def _long_games(path: Path) -> Iterator[GameRecord]:
    for record in read_games(path, report=lambda warning: None):
        if len(record.moves) >= FEWEST_MOVES and not record.changes and not record.setup:
            yield record


def _rank_game(table: Table, number: int, record: GameRecord, dice: random.Random) -> None:
    third = len(record.moves) // 3
    for place, phase in enumerate(PHASES):
        move_number = place * third + dice.randrange(third)
        position = record.position(move_number)
        colour, move = record.moves[move_number]
        position.to_play = colour
        if move == PASS or not position.is_legal(move):
            continue
        ranks = _ranks(position, move, changes(position, ALL))
        table.add(game=number, size=record.rows, phase=phase, move=move_number + 1, **ranks)


def _ranks(position: Position, move: int, maps: Changes) -> dict[str, float]:
    sign = 1 if position.to_play is BLACK else -1
    place = row_of(move), column_of(move)
    return {name: round(rank(sign * getattr(maps, name), *place), 4) for name in NAMES}


def summary(table: Table) -> list[dict[str, object]]:
    """Return the mean rank, with its standard error, by board size and phase."""
    rows: list[dict[str, object]] = []
    for size in sorted({int(row["size"]) for row in table.rows}):
        for phase in PHASES:
            some = [r for r in table.rows if r["phase"] == phase and int(r["size"]) == size]
            if len(some) < 2:
                continue
            line: dict[str, object] = {"board": size, "phase": phase, "moves": len(some)}
            for name in NAMES:
                ranks = np.array([float(row[name]) for row in some])
                line[name] = f"{ranks.mean():.3f} ± {ranks.std(ddof=1) / len(ranks) ** 0.5:.3f}"
            rows.append(line)
    return rows
