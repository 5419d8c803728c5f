"""Labeling of positions by a teacher, in the format of `labels`."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board.color import BLACK
from tengen.board.position import Position
from tengen.board.rules import Rules, rules_named
from tengen.nets.evaluation import Evaluation
from tengen.nets.training.dataset import usable_games
from tengen.nets.training.labels import (
    FIELDS,
    label_file,
    read_label_games,
    read_label_table,
)
from tengen.records.game import GameRecord
from tengen.util.errors import TengenError
from tengen.util.files import atomic_write, atomic_write_text, lock_folder

POSITIONS_PER_GAME = 16
KEPT_MOVES = 32
SAVE_INTERVAL_S = 60.0
"""Interval between saves: the most work an interrupted process loses."""

Row = dict[str, Any]


class Teacher(Protocol):
    """A stronger player that labels positions: a larger network or a search."""

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return the evaluation of each position, in order."""


class LabelFolder:
    """A label folder being written; rows are kept in memory and saved together."""

    def __init__(self, folder: Path, made_by: str) -> None:
        """Create or read the folder; raise TengenError if it has another teacher or is in use."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        lock_folder(folder)
        self._keep_maker(made_by)
        self.games: list[dict[str, Any]] = _read_games(folder / "games.json")
        self._names = {_name(game) for game in self.games}
        self._rows: dict[int, list[Row]] = {}
        for size in {int(game["size"]) for game in self.games}:
            if not label_file(folder, size).exists():
                continue
            table = read_label_table(folder, size, len(self.games))
            count = len(table["game"])
            self._rows[size] = [{n: table[n][index] for n in FIELDS} for index in range(count)]

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def __contains__(self, game: dict[str, Any]) -> bool:
        return _name(game) in self._names

    def add(self, game: dict[str, Any], rows: list[Row]) -> None:
        """Add a game and the labels of its positions."""
        for row in rows:
            row["game"] = len(self.games)
        self._rows.setdefault(int(game["size"]), []).extend(rows)
        self.games.append(game)
        self._names.add(_name(game))

    def save(self) -> None:
        """Write everything, the list of games last: labels of unlisted games are ignored."""
        for size, rows in self._rows.items():
            table = {name: np.array([row[name] for row in rows]) for name in FIELDS}
            with atomic_write(label_file(self._folder, size)) as file:
                np.savez_compressed(file, **table)  # type: ignore[arg-type]
        atomic_write_text(self._folder / "games.json", json.dumps(self.games))

    def _keep_maker(self, made_by: str) -> None:
        path = self._folder / "teacher.txt"
        before = path.read_text(encoding="utf-8").strip() if path.exists() else made_by
        if before != made_by:
            raise TengenError(
                f"{self._folder} has labels of another teacher ({before}):"
                " use that teacher or another folder"
            )
        if not path.exists():
            atomic_write_text(path, made_by + "\n")


def _read_games(path: Path) -> list[dict[str, Any]]:
    """Return the list of games, empty if there is no file; raise TengenError if it is damaged."""
    if not path.exists():
        return []
    read_label_games(path)
    games: list[dict[str, Any]] = json.loads(path.read_text())
    return games


def _name(game: dict[str, Any]) -> tuple[int, float, str]:
    return int(game["size"]), float(game["komi"]), str(game["moves"])


def label_games(
    teacher: Teacher,
    paths: Sequence[str],
    labels: LabelFolder,
    positions: int,
    on_progress: Callable[[int], None] = lambda done: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Label positions of games until the folder has `positions` of them.

    Games already in the folder are skipped, wherever they come from. Labels are saved however the
    work ends.
    """
    saved_s = time.monotonic()
    try:
        for record in plain_games(paths):
            if len(labels) >= positions or stop():
                break
            game = _game(record)
            if game not in labels:
                labels.add(game, _label(teacher, record, len(labels.games)))
                on_progress(len(labels))
            if time.monotonic() >= saved_s + SAVE_INTERVAL_S:
                labels.save()
                saved_s = time.monotonic()
    finally:
        labels.save()


def plain_games(paths: Sequence[str]) -> Iterator[GameRecord]:
    """Yield even games on square boards with alternating colors."""
    for record in usable_games(paths):
        blacks = [move.color == BLACK for move in record.moves]
        alternate = all(is_black == (n % 2 == 0) for n, is_black in enumerate(blacks))
        is_even = record.handicap < 2 and not record.setup
        if record.rows == record.columns and alternate and is_even:
            yield record


def _rules(record: GameRecord) -> Rules:
    return rules_named("chinese").with_komi(record.rules.komi)


def _game(record: GameRecord) -> dict[str, Any]:
    position = record.position()
    moves = " ".join(position.vertex(move.move) for move in record.moves)
    return {"size": record.rows, "komi": float(record.rules.komi), "moves": moves}


def _label(teacher: Teacher, record: GameRecord, number: int) -> list[Row]:
    """Return labels of random positions of a game, seeded by its number."""
    random = np.random.default_rng(number)
    count = min(POSITIONS_PER_GAME, len(record.moves))
    positions = positions_at(record, random.choice(len(record.moves), size=count, replace=False))
    evaluations = teacher.evaluate(positions)
    return [_row(p, evaluation) for p, evaluation in zip(positions, evaluations, strict=True)]


def positions_at(record: GameRecord, turns: npt.NDArray[np.integer]) -> list[Position]:
    """Return the positions of a game after given numbers of moves, ascending, by Chinese rules.

    Positions after a move that violates superko are left out.
    """
    position = record.initial_position(_rules(record))
    positions: list[Position] = []
    for turn in sorted(turns.tolist()):
        position.play_sequence(record.moves[len(position.moves) : turn])
        if len(position.moves) != turn:
            break
        positions.append(position.copy())
    return positions


def _row(position: Position, evaluation: Evaluation) -> Row:
    """Return a row of the table, from Black's point of view."""
    policy: npt.NDArray[Any] = np.append(evaluation.policy.reshape(-1), evaluation.pass_probability)
    best = np.argsort(-policy, kind="stable")[:KEPT_MOVES]
    black = position.to_play == BLACK
    side = 1 if black else -1
    return {
        "turn": np.int32(len(position.moves)),
        "policy_move": best.astype(np.uint16),
        "policy": policy[best].astype(np.float16),
        "black_win": np.float32(evaluation.win_to_play if black else 1 - evaluation.win_to_play),
        "black_lead": np.float32(side * evaluation.lead_to_play),
        "ownership": np.rint(127 * side * evaluation.ownership_to_play.reshape(-1)).astype(np.int8),
    }
