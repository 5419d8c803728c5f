"""Labeling of positions by a teacher; the labels are shards in a folder (see `labels`)."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, Move, Position, Rules, rules_named
from tengen.nets.evaluation import Evaluation
from tengen.nets.training.games import Share, sample_plain_games
from tengen.nets.training.labels import label_file, read_label_games
from tengen.nets.training.shards import (
    FIELDS,
    Game,
    read_shard_games,
    shard_paths,
    shard_size as size_of,
    write_shard,
)
from tengen.records import GameRecord
from tengen.util import TengenError, atomic_write_text

KEPT_MOVES = 64
SAVE_INTERVAL_S = 60.0
"""Interval between shards: the most work a killed process loses."""
SPARE_GAMES = 1.25
"""Games drawn, relative to those needed if all are long enough."""

Row = dict[str, Any]


class Teacher(Protocol):
    """A stronger player that labels positions: a larger network or a search."""

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return the evaluation of each position, in order."""


class LabelPlan(NamedTuple):
    """Which positions to label, and how."""

    positions: int
    """Labels in the folder at the end; a position labeled for both sides counts twice."""
    each: int = 16
    """Positions per game."""
    both_sides: bool = False
    """Label each position also with the opponent to move."""
    seed: int = 1
    share: Share = (1, 1)
    batch: int = 64
    """Positions passed to the teacher together."""


class LabelFolder:
    """A label folder to which this process, and possibly others, add shards."""

    def __init__(self, folder: Path, made_by: str) -> None:
        """Create or read the folder; raise TengenError if it has labels of another teacher."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._check_teacher(made_by)
        self._known: set[tuple[int, float, int]] = set()
        self._counts: dict[str, int] = {}
        self._games: dict[int, list[Game]] = {}
        self._rows: dict[int, list[Row]] = {}
        self._read_old_labels()
        self.rescan()

    def __len__(self) -> int:
        return sum(self._counts.values()) + sum(map(len, self._rows.values()))

    def __contains__(self, game: Game) -> bool:
        return _identity(game) in self._known

    def add(self, game: Game, rows: Sequence[Row]) -> None:
        """Add a game and the labels of its positions to the shards to be written."""
        games = self._games.setdefault(game.size, [])
        self._rows.setdefault(game.size, []).extend({**row, "game": len(games)} for row in rows)
        games.append(game)
        self._known.add(_identity(game))

    def save(self) -> None:
        """Write a shard for each board size that has new labels, and look for those of others."""
        for size, rows in self._rows.items():
            if not rows:
                continue
            columns = {name: np.array([row[name] for row in rows]) for name in FIELDS}
            path = write_shard(self._folder, size, self._games[size], columns)
            self._counts[path.name] = len(rows)
            self._rows[size], self._games[size] = [], []
        self.rescan()

    def rescan(self) -> None:
        """Count the labels and games of shards that other processes have added."""
        for path in shard_paths(self._folder):
            if path.name in self._counts:
                continue
            self._counts[path.name] = 0
            try:
                komi, keys, self._counts[path.name] = read_shard_games(path)
            except TengenError as error:
                logging.getLogger("tengen.nets").warning("skipped: %s", error)
                continue
            size, games = size_of(path), zip(komi.tolist(), keys.tolist(), strict=True)
            self._known.update((size, *game) for game in games)

    def _read_old_labels(self) -> None:
        listed = self._folder / "games.json"
        games = read_label_games(listed) if listed.exists() else []
        self._known.update(map(_identity, games))
        for size in {game.size for game in games}:
            path = label_file(self._folder, size)
            if path.exists():
                with np.load(path) as stored:
                    self._counts[path.name] = int((stored["game"] < len(games)).sum())

    def _check_teacher(self, made_by: str) -> None:
        path = self._folder / "teacher.txt"
        before = path.read_text(encoding="utf-8").strip() if path.exists() else made_by
        if before != made_by:
            raise TengenError(
                f"{self._folder} has labels of another teacher ({before}):"
                " use that teacher or another folder"
            )
        if not path.exists():
            atomic_write_text(path, made_by + "\n")


def _identity(game: Game) -> tuple[int, float, int]:
    return game.size, float(np.float32(game.komi)), game.key


def label_games(
    teacher: Teacher,
    paths: Sequence[str],
    labels: LabelFolder,
    plan: LabelPlan,
    on_progress: Callable[[int], None] = lambda done: None,
    stop: Callable[[], bool] = lambda: False,
    on_read: Callable[[int], None] = lambda games: None,
) -> None:
    """Label positions of games drawn uniformly from all archives until the folder has enough.

    Games already in the folder are skipped, wherever they come from. Labels are saved however the
    work ends. `on_read` is called with the number of games read.
    """
    wanted = int(SPARE_GAMES * plan.positions / (plan.each * (1 + plan.both_sides))) + 1
    try:
        while len(labels) < plan.positions and not stop():
            games = sample_plain_games(paths, wanted, plan.seed, plan.share, on_read, stop)
            _label_all(teacher, games, labels, plan, on_progress, stop)
            if len(games) < wanted:
                break
            wanted *= 2  # games were shorter than expected, or labeled before
    finally:
        labels.save()


def _label_all(
    teacher: Teacher,
    games: Sequence[Game],
    labels: LabelFolder,
    plan: LabelPlan,
    on_progress: Callable[[int], None],
    stop: Callable[[], bool],
) -> None:
    """Label games in batches of one board size."""
    saved_s = time.monotonic()
    for group in _batches(games, labels, plan):
        if stop():
            break
        positions = [position for _, of_game in group for position in of_game]
        evaluations = iter(teacher.evaluate(positions))
        for game, of_game in group:
            rows = [_row(position, next(evaluations)) for position in of_game]
            labels.add(game, rows)
        on_progress(len(labels))
        if time.monotonic() >= saved_s + SAVE_INTERVAL_S:
            labels.save()
            saved_s = time.monotonic()


def _batches(
    games: Sequence[Game], labels: LabelFolder, plan: LabelPlan
) -> Iterator[list[tuple[Game, list[Position]]]]:
    """Yield games of one board size with about `plan.batch` positions until there are enough."""
    waiting: dict[int, list[tuple[Game, list[Position]]]] = {}
    for game in games:
        if len(labels) + sum(map(_count, waiting.values())) >= plan.positions:
            break
        if game in labels:
            continue
        group = waiting.setdefault(game.size, [])
        group.append((game, drawn_positions(game, plan)))
        if _count(group) >= plan.batch:
            yield waiting.pop(game.size)
    yield from waiting.values()


def _count(group: Sequence[tuple[Game, list[Position]]]) -> int:
    return sum(len(positions) for _, positions in group)


def drawn_positions(game: Game, plan: LabelPlan) -> list[Position]:
    """Return random positions of a game by Chinese rules, which depend only on its moves."""
    random = np.random.default_rng([plan.seed, game.key])
    count = min(plan.each, len(game.moves))
    turns = np.sort(random.choice(len(game.moves), size=count, replace=False))
    position = Position(game.size, rules=_rules(game.komi))
    colors = (BLACK, BLACK.opponent)
    moves = [Move(colors[n % 2], move) for n, move in enumerate(game.moves.tolist())]
    return _at_turns(position, moves, turns, plan.both_sides)


def positions_at(record: GameRecord, turns: npt.NDArray[np.integer]) -> list[Position]:
    """Return the positions of a game after given numbers of moves, ascending, by Chinese rules.

    Positions after a move that violates superko are left out.
    """
    position = record.initial_position(_rules(record.rules.komi))
    return _at_turns(position, record.moves, np.sort(turns))


def _rules(komi: float) -> Rules:
    return rules_named("chinese").with_komi(komi)


def _at_turns(
    position: Position,
    moves: Sequence[Move],
    turns: npt.NDArray[np.integer],
    both_sides: bool = False,
) -> list[Position]:
    """Play on a position and return copies after some numbers of moves, ascending."""
    positions: list[Position] = []
    for turn in turns.tolist():
        position.play_sequence(moves[len(position.moves) : turn])
        if len(position.moves) != turn:
            break
        positions.append(position.copy())
        if both_sides:
            other = position.copy()
            other.to_play = position.to_play.opponent
            positions.append(other)
    return positions


def _row(position: Position, evaluation: Evaluation) -> Row:
    """Return a row of the table, from Black's point of view."""
    policy: npt.NDArray[Any] = np.append(evaluation.policy.reshape(-1), evaluation.pass_probability)
    best = np.argsort(-policy, kind="stable")[:KEPT_MOVES]
    black = position.to_play == BLACK
    side = 1 if black else -1
    return {
        "turn": np.int32(len(position.moves)),
        "to_play": np.uint8(position.to_play),
        "policy_move": best.astype(np.uint16),
        "policy": policy[best].astype(np.float16),
        "black_win": np.float32(evaluation.win_to_play if black else 1 - evaluation.win_to_play),
        "black_lead": np.float32(side * evaluation.lead_to_play),
        "ownership": np.rint(127 * side * evaluation.ownership_to_play.reshape(-1)).astype(np.int8),
    }
