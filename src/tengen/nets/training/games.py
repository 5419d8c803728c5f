"""Games of archives that networks learn from, uniform samples of them, and their positions."""

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, Block, Color, Move
from tengen.board.kernels import layout
from tengen.nets.net import MIN_BOARD_SIZE
from tengen.nets.training.samples import Samples, packed_inputs
from tengen.nets.training.shards import Game, game_key
from tengen.records import GameRecord, Node, lenient_rules, log_unreadable, read_games

Item = TypeVar("Item")
Share = tuple[int, int]
"""(1, 3): the first of three disjoint shares of all games."""

WHITE_FLAG = 1 << 15
"""Marks White's moves in a `StoredGame`."""
NEEDED_PROPERTIES = ("GM", "RU", "RE")
"""Root properties that rules, result and kind of a game depend on."""


def usable_games(paths: Sequence[str]) -> Iterator[GameRecord]:
    """Yield the games of archives that a network can learn from.

    A game is used up to its first illegal or unreadable move.
    """
    for path in paths:
        for record in read_games(path, log_unreadable):
            large = min(record.rows, record.columns) >= MIN_BOARD_SIZE
            if record.is_playable and large and record.moves and not record.setup_changes:
                yield record


def plain_games(paths: Sequence[str]) -> Iterator[GameRecord]:
    """Yield even games on square boards with alternating colors."""
    for record in usable_games(paths):
        blacks = [move.color == BLACK for move in record.moves]
        alternate = all(is_black == (n % 2 == 0) for n, is_black in enumerate(blacks))
        is_even = record.handicap < 2 and not record.setup
        if record.rows == record.columns and alternate and is_even:
            yield record


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game record in compact form: about a kilobyte instead of tens."""

    header: GameRecord
    """The record without moves, warnings and unneeded properties."""
    moves: npt.NDArray[np.uint16]
    """Padded points, with WHITE_FLAG."""

    @classmethod
    def from_record(cls, record: GameRecord) -> "StoredGame":
        """Store a record."""
        known = record.root.properties
        root = Node({name: known[name] for name in NEEDED_PROPERTIES if name in known})
        header = replace(record, moves=[], warnings=[], root=root)
        packed = [move.move | (0 if move.color is BLACK else WHITE_FLAG) for move in record.moves]
        return cls(header, np.array(packed, dtype=np.uint16))

    @property
    def points(self) -> list[int]:
        """The moves without colors."""
        points: list[int] = (self.moves & (WHITE_FLAG - 1)).tolist()
        return points

    @property
    def key(self) -> int:
        """The `game_key` of the moves."""
        return game_key(self.points)

    def record(self) -> GameRecord:
        """Return the record."""
        colors = [Color(2 if packed & WHITE_FLAG else 1) for packed in self.moves.tolist()]
        moves = [Move(color, point) for color, point in zip(colors, self.points, strict=True)]
        return replace(self.header, moves=moves)


def sample_stored_games(
    paths: Sequence[str],
    count: int,
    seed: int,
    on_progress: Callable[[int], None] = lambda read: None,
) -> list[StoredGame]:
    """Return up to `count` games of all archives, drawn uniformly, in random order."""
    read = _counted(usable_games(paths), on_progress)
    stored = (StoredGame.from_record(record) for record in read)
    return lowest(((_priority(seed, game.points), game) for game in stored), count)


def sample_plain_games(
    paths: Sequence[str],
    count: int,
    seed: int,
    share: Share = (1, 1),
    on_progress: Callable[[int], None] = lambda read: None,
    stop: Callable[[], bool] = lambda: False,
) -> list[Game]:
    """Return up to `count` even games of a share of all games, drawn uniformly, in random order."""

    def found() -> Iterator[tuple[int, Game]]:
        for record in _counted(plain_games(paths), on_progress):
            if stop():
                return
            moves = np.array([move.move for move in record.moves], dtype=np.uint16)
            game = Game(record.rows, float(record.rules.komi), moves)
            if game.key % share[1] == share[0] - 1:
                yield _priority(seed, moves.tolist()), game

    return lowest(found(), count)


def _counted(
    records: Iterable[GameRecord], on_progress: Callable[[int], None]
) -> Iterator[GameRecord]:
    for number, record in enumerate(records):
        yield record
        on_progress(number + 1)


def _priority(seed: int, points: Sequence[int]) -> int:
    """Return a 64-bit hash of a seed and the moves of a game."""
    text = f"{seed} {' '.join(map(str, points))}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def lowest(items: Iterable[tuple[int, Item]], count: int) -> list[Item]:
    """Return the items with the lowest priorities, lowest first, without repeated priorities.

    With hashes as priorities this is a uniform sample that does not depend on the order, and a
    larger sample extends a smaller one.
    """
    heap: list[tuple[int, int]] = []
    kept: dict[int, Item] = {}
    for priority, item in items:
        if priority in kept:
            continue
        if len(heap) < count:
            heapq.heappush(heap, (-priority, priority))
            kept[priority] = item
        elif heap and priority < heap[0][1]:
            del kept[heapq.heapreplace(heap, (-priority, priority))[1]]
            kept[priority] = item
    return [kept[priority] for priority in sorted(kept)]


# Positions


class GamePosition(NamedTuple):
    """A position of a game and the training targets."""

    block: Block
    move: int
    """Index from the top left, row by row; the area is the pass."""
    komi: float
    """Including all other points for White: handicap compensation, passes under territory rules."""
    win: float
    """1 or 0 for the side to move, NaN if unknown."""
    turn: int = 0
    """Number of moves played before."""


def take_positions(
    record: GameRecord, count: int, random: np.random.Generator
) -> list[GamePosition]:
    """Return random positions of a game, each before a move that was played."""
    turns = random.choice(len(record.moves), size=min(count, len(record.moves)), replace=False)
    position = record.initial_position(lenient_rules(record.rules))
    taken = []
    for turn in sorted(int(turn) for turn in turns):
        position.play_sequence(record.moves[len(position.moves) : turn])
        if len(position.moves) != turn:
            break
        color, move = record.moves[turn]
        seen = position.copy()
        seen.to_play = color
        row, column = move // int(layout.STRIDE) - 1, move % int(layout.STRIDE) - 1
        place = row * record.columns + column if move else record.rows * record.columns
        win = np.nan if record.winner is None else float(record.winner == color)
        taken.append(GamePosition(seen.block, place, float(seen.area_komi), win, turn))
    return taken


def to_samples(positions: Sequence[GamePosition], playouts: int = 0) -> Samples:
    """Convert positions of one board size to samples, with `playouts` for the playout plane."""
    first = positions[0].block
    komi = [p.komi for p in positions]
    count = len(positions)
    moves: npt.NDArray[np.uint16] = np.array([[p.move] for p in positions], dtype=np.uint16)
    return Samples(
        int(first[layout.ROWS]),
        int(first[layout.COLUMNS]),
        *packed_inputs([p.block for p in positions], komi, playouts),
        moves=moves,
        shares=np.ones((count, 1), dtype=np.float16),
        win=np.array([p.win for p in positions], dtype=np.float32),
        lead=np.full(count, np.nan, dtype=np.float32),
        ownership=np.empty((count, 0), dtype=np.int8),
    )
