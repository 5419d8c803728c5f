"""Positions that a network is measured on, drawn from game records or from labeled positions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, Color, Ko, Move, Position, Rules
from tengen.nets.evaluation import Evaluation
from tengen.nets.kernels.encoding import GameMoves
from tengen.nets.net import MIN_BOARD_SIZE
from tengen.nets.training.labels import label_sizes, read_label_table
from tengen.nets.training.shards import Arrays, game_key
from tengen.records import GameRecord, ignore_warning, lenient_rules, read_games
from tengen.util import TengenError

GAMES = 500
MIN_LABELED_RUN = 3
"""Fewest labeled positions of a game that counts as a whole game."""


@dataclass(frozen=True)
class Example:
    """A position of a game with what is known about it."""

    position: Position
    move: int | None
    """The move played; None if it is unknown."""
    won: bool | None
    """Whether the side to move won the game; None if unknown."""
    game: int = 0
    """Number of the game in its source."""
    turn: int = 0
    """Number of moves played before."""
    progress: float = 0.0
    """Share of the game's moves played before."""
    label: Evaluation | None = None
    """A teacher's evaluation."""


class Size(NamedTuple):
    """A board size."""

    columns: int
    rows: int

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows}"


class ExampleSource(Protocol):
    """Positions of games, by board size."""

    def sizes(self) -> list[Size]:
        """Return the board sizes, smallest first."""

    def drawn(self, size: Size, count: int, each: int) -> Iterator[Example]:
        """Yield up to `count` random positions, up to `each` of one game."""

    def whole_games(self, size: Size, count: int) -> Iterator[list[Example]]:
        """Yield the positions of up to `count` games in order."""


def swapped(position: Position) -> Position:
    """Return the same stones with the other side to move, without earlier moves."""
    other = Position.from_block(position.block, position.rules)
    other.handicap = position.handicap
    other.to_play = position.to_play.opponent
    return other


# Game records


class RecordExamples:
    """Positions of game records; the games are a random sample of all."""

    def __init__(
        self,
        paths: Sequence[str],
        seed: int,
        one_in: int = 1,
        games: int = GAMES,
        on_game: Callable[[int], None] = lambda read: None,
    ) -> None:
        """Keep up to `games` random games of each size; raise TengenError if none is usable.

        Only the games that training holds out with `held_out=one_in` are used; 1 means all.
        `on_game` is called with the number of games read. Games on boards that are too small for
        networks are skipped.
        """
        self._seed = seed
        self._games: dict[Size, list[GameRecord]] = {}
        random = np.random.default_rng(seed)
        seen: dict[Size, int] = {}
        for read, record in enumerate(_all_games(paths), start=1):
            on_game(read)
            if not _is_usable(record, one_in):
                continue
            size = Size(record.columns, record.rows)
            seen[size] = seen.get(size, 0) + 1
            _keep_sample(self._games.setdefault(size, []), games, record, seen[size], random)
        if not self._games:
            held_out = f" and held out with --held-out {one_in}" if one_in > 1 else ""
            raise TengenError(
                f"no usable position in {', '.join(paths)}: boards must be at least"
                f" {MIN_BOARD_SIZE}x{MIN_BOARD_SIZE}{held_out}"
            )
        for kept in self._games.values():
            random.shuffle(kept)

    def sizes(self) -> list[Size]:
        """Return the board sizes, smallest first."""
        return sorted(self._games)

    def drawn(self, size: Size, count: int, each: int) -> Iterator[Example]:
        """Yield up to `count` random positions, up to `each` of one game."""
        for number, record in enumerate(self._games[size]):
            random = np.random.default_rng([self._seed, number])
            turns = random.permutation(len(record.moves))[: min(each, count)]
            for example in _of_record(record, number, sorted(turns.tolist())):
                yield example
                count -= 1
            if count <= 0:
                return

    def whole_games(self, size: Size, count: int) -> Iterator[list[Example]]:
        """Yield the positions of up to `count` games in order."""
        for number, record in enumerate(self._games[size][:count]):
            yield list(_of_record(record, number, range(len(record.moves))))


def _all_games(paths: Iterable[str]) -> Iterator[GameRecord]:
    for path in paths:
        yield from read_games(path, ignore_warning)


def _is_usable(record: GameRecord, one_in: int) -> bool:
    if not record.moves or min(record.rows, record.columns) < MIN_BOARD_SIZE:
        return False
    return one_in == 1 or game_key(move.move for move in record.moves) % one_in == 0


def _keep_sample(
    kept: list[GameRecord], limit: int, record: GameRecord, seen: int, random: np.random.Generator
) -> None:
    """Add the last of `seen` games to a uniform sample of `limit` games (reservoir sampling)."""
    if len(kept) < limit:
        kept.append(record)
    elif (place := int(random.integers(seen))) < limit:
        kept[place] = record


def _of_record(record: GameRecord, game: int, turns: Iterable[int]) -> Iterator[Example]:
    """Yield the positions of a game after numbers of moves, up to the first illegal move."""
    rules = replace(record.rules, ko=Ko.SIMPLE)
    try:
        for turn in turns:
            position = record.position(turn, rules)
            played = record.moves[turn]
            position.to_play = played.color
            won = None if record.winner is None else record.winner == played.color
            progress = turn / len(record.moves)
            yield Example(position, played.move, won, game, turn, progress)
    except TengenError:
        return


# Labeled positions


class LabelExamples:
    """Positions of a label folder with the labels as the teacher's evaluations."""

    def __init__(self, folder: Path, seed: int, one_in: int = 1) -> None:
        """Read the folder; raise TengenError if it is damaged or has no suitable game.

        Only the games that training holds out with `held_out=one_in` are used; 1 means all.
        """
        self._seed = seed
        self._games: dict[Size, GameMoves] = {}
        self._tables: dict[Size, Arrays] = {}
        for side in label_sizes(folder):
            table = read_label_table(folder, side)
            game, to_play = table.columns["game"], table.columns["to_play"]
            # Labels for the other side to move are skipped: they are not part of the game.
            is_used = (table.groups[game] % one_in == 0) & (
                to_play == 1 + table.columns["turn"] % 2
            )
            if is_used.any():
                size = Size(side, side)
                self._games[size] = table.games
                self._tables[size] = {n: v[is_used] for n, v in table.columns.items()}
        if not self._tables:
            raise TengenError(f"{folder} has no labeled positions of suitable games")

    def sizes(self) -> list[Size]:
        """Return the board sizes, smallest first."""
        return sorted(self._tables)

    def drawn(self, size: Size, count: int, each: int) -> Iterator[Example]:
        """Yield up to `count` random positions, up to `each` of one game."""
        table = self._tables[size]
        rows = np.random.default_rng(self._seed).permutation(len(table["game"]))
        used: dict[int, int] = {}
        for row in rows.tolist():
            game = int(table["game"][row])
            used[game] = used.get(game, 0) + 1
            if used[game] <= each:
                yield self._example(size, row)
                count -= 1
            if count <= 0:
                return

    def whole_games(self, size: Size, count: int) -> Iterator[list[Example]]:
        """Yield the labeled positions of up to `count` games in order."""
        table = self._tables[size]
        games, rows = np.unique(table["game"], return_counts=True)
        games = games[rows >= MIN_LABELED_RUN]
        for game in np.random.default_rng(self._seed).permutation(games)[:count].tolist():
            of_game = np.flatnonzero(table["game"] == game)
            ordered = of_game[np.argsort(table["turn"][of_game])]
            yield [self._example(size, row) for row in ordered.tolist()]

    def _example(self, size: Size, row: int) -> Example:
        table, games = self._tables[size], self._games[size]
        game, turn = int(table["game"][row]), int(table["turn"][row])
        moves = games.points[games.begins[game] : games.begins[game + 1]]
        position = _position_at(size, float(games.komi[game]), moves[:turn])
        label = _to_evaluation(table, row, position)
        progress = turn / max(len(moves), 1)
        return Example(position, None, None, game, turn, progress, label)


def _position_at(size: Size, komi: float, points: npt.NDArray[np.uint16]) -> Position:
    position = Position(size.rows, rules=lenient_rules(Rules().with_komi(komi)))
    colors = (BLACK, BLACK.opponent)
    moves = [Move(Color(colors[n % 2]), move) for n, move in enumerate(points.tolist())]
    if position.play_sequence(moves) < len(moves):
        opening = " ".join(position.vertex(move.move) for move in moves[:6])
        raise TengenError(
            f"move {len(position.moves) + 1} of the labeled game that starts with {opening}"
            " is missing or illegal"
        )
    return position


def _to_evaluation(table: Arrays, row: int, position: Position) -> Evaluation:
    """Return a label for the side to move, with its listed moves normalized to 1."""
    area = position.area
    policy = np.zeros(area + 1, dtype=np.float32)
    shares: npt.NDArray[np.float32] = table["policy"][row].astype(np.float32)
    np.add.at(policy, table["policy_move"][row], shares / shares.sum())
    is_black = position.to_play is BLACK
    side = position.to_play.sign
    owned = table["ownership"][row].astype(np.float32) * np.float32(side / 127)
    win = float(table["black_win"][row])
    return Evaluation(
        policy=policy[:-1].reshape(position.rows, position.columns),
        pass_probability=float(policy[-1]),
        win_to_play=win if is_black else 1 - win,
        lead_to_play=side * float(table["black_lead"][row]),
        ownership_to_play=owned.reshape(position.rows, position.columns),
    )
