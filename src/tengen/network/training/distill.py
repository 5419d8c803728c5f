"""A teacher's labels: what it says of positions of games, in the form `labels` reads."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board.colour import BLACK
from tengen.board.position import Position
from tengen.board.rules import Rules, rules_named
from tengen.core.errors import TengenError
from tengen.core.file_lock import hold_folder
from tengen.core.whole_file import whole_file, write_whole
from tengen.network.evaluation import Evaluation
from tengen.network.training.archives import usable_games
from tengen.network.training.labels import (
    FIELDS,
    label_file,
    read_label_games,
    read_label_table,
)
from tengen.records.game import GameRecord

POSITIONS_A_GAME = 16
KEPT_MOVES = 32
SECONDS_A_SAVE = 60.0
"""How much work a killed process loses at most, about."""

Row = dict[str, Any]


class Teacher(Protocol):
    """Whoever knows more than the net that learns: a large net, or a search."""

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return what it says of each position, in their order."""


class LabelFolder:
    """Labels in the making: rows in memory, saved as a whole, read again when work goes on."""

    def __init__(self, folder: Path, made_by: str) -> None:
        """Make the folder, or read it; raise TengenError if another teacher or run makes labels."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        hold_folder(folder)
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
        """Add a game and what was said of its positions."""
        for row in rows:
            row["game"] = len(self.games)
        self._rows.setdefault(int(game["size"]), []).extend(rows)
        self.games.append(game)
        self._names.add(_name(game))

    def save(self) -> None:
        """Write all of it. The list of games comes last: labels of games not in it do not count."""
        for size, rows in self._rows.items():
            table = {name: np.array([row[name] for row in rows]) for name in FIELDS}
            with whole_file(label_file(self._folder, size)) as file:
                np.savez_compressed(file, **table)  # type: ignore[arg-type]
        write_whole(self._folder / "games.json", json.dumps(self.games))

    def _keep_maker(self, made_by: str) -> None:
        path = self._folder / "teacher.txt"
        before = path.read_text(encoding="utf-8").strip() if path.exists() else made_by
        if before != made_by:
            raise TengenError(
                f"{self._folder} has labels of another teacher ({before}):"
                " ask for the same, or give another folder"
            )
        if not path.exists():
            write_whole(path, made_by + "\n")


def _read_games(path: Path) -> list[dict[str, Any]]:
    """Return the games of a list, none if there is no list; raise TengenError if it is damaged."""
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
    watch: Callable[[int], None] = lambda done: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Label that many positions of games into a folder, fewer if there are not so many.

    What the folder has already is kept, its games are not looked at again wherever they come from.
    Whatever ends the work, what was labelled is saved.
    """
    saved_s = time.monotonic()
    try:
        for record in plain_games(paths):
            if len(labels) >= positions or stop():
                break
            game = _game(record)
            if game not in labels:
                labels.add(game, _label(teacher, record, len(labels.games)))
                watch(len(labels))
            if time.monotonic() >= saved_s + SECONDS_A_SAVE:
                labels.save()
                saved_s = time.monotonic()
    finally:
        labels.save()


def plain_games(paths: Sequence[str]) -> Iterator[GameRecord]:
    """Yield games without handicap on square boards, whose colours alternate."""
    for record in usable_games(paths):
        blacks = [move.colour == BLACK for move in record.moves]
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
    """Return what the teacher says of some positions of a game, drawn by its number."""
    random = np.random.default_rng(number)
    count = min(POSITIONS_A_GAME, len(record.moves))
    positions = positions_at(record, random.choice(len(record.moves), size=count, replace=False))
    said = teacher.evaluate(positions)
    return [_row(p, evaluation) for p, evaluation in zip(positions, said, strict=True)]


def positions_at(record: GameRecord, turns: npt.NDArray[np.integer]) -> list[Position]:
    """Return the positions of a game after so many moves each, in order, by Chinese rules.

    Those after a move that superko forbids, which the players did not know, are left out.
    """
    position = record.start(_rules(record))
    positions: list[Position] = []
    for turn in sorted(turns.tolist()):
        position.play_sequence(record.moves[len(position.moves) : turn])
        if len(position.moves) != turn:
            break
        positions.append(position.copy())
    return positions


def _row(position: Position, said: Evaluation) -> Row:
    """Return a row of the table, told from Black's side."""
    policy: npt.NDArray[Any] = np.append(said.policy.reshape(-1), said.pass_probability)
    best = np.argsort(-policy, kind="stable")[:KEPT_MOVES]
    black = position.to_play == BLACK
    side = 1 if black else -1
    return {
        "turn": np.int32(len(position.moves)),
        "policy_move": best.astype(np.uint16),
        "policy": policy[best].astype(np.float16),
        "black_win": np.float32(said.win_to_play if black else 1 - said.win_to_play),
        "black_lead": np.float32(side * said.lead_to_play),
        "ownership": np.rint(127 * side * said.ownership_to_play.reshape(-1)).astype(np.int8),
    }
