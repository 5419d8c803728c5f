"""Positions streamed from game records: the move that was played, and who won in the end.

Games are read as they are needed, a few positions of each; pools of the last ones read are drawn
from, so that a batch holds positions of many games and memory stays bounded.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout
from tengen.board.position import Block
from tengen.core.errors import TengenError
from tengen.network.net import SMALLEST_BOARD
from tengen.network.orientation import symmetry_count
from tengen.network.training.labels import game_key
from tengen.network.training.pool import HeldOut, Keys, Material
from tengen.network.training.samples import Batch, Samples, joined, packed_inputs
from tengen.network.training.settings import TrainSettings
from tengen.records.game import GameRecord, lenient
from tengen.records.reader import read_games
from tengen.records.warning import log_unreadable

POSITIONS_A_GAME = 12
GAMES_AT_ONCE = 64
POOL_POSITIONS = 60_000
"""How many positions of one size to draw from."""
FIRST_POSITIONS = 6_000
"""How many to read before training begins, in all."""
DRAWS_A_POSITION = 2
"""How often a position is drawn, about, before new ones are read."""
HELD_OUT_POSITIONS = 1_200
"""How many of one size are kept apart at most, of the games read before training begins."""

Size = tuple[int, int]


class Taken(NamedTuple):
    """A position of a game to learn from."""

    block: Block
    move: int
    """Row by row from the top left; the area is the pass."""
    komi: float
    """With all else that White gets: for handicap stones, for passes under territory rules."""
    win: float
    """Of the side to move: 1, 0, or NaN where nobody knows."""
    turn: int = 0
    """Moves played before."""


class GamePool:
    """The last positions read of one board size."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        self.received = len(samples)

    def add(self, samples: Samples) -> None:
        """Take new positions in, the oldest go."""
        room = max(0, POOL_POSITIONS - len(samples))
        kept = self._samples.chosen(np.arange(min(room, len(self._samples))))
        self._samples = joined([samples, kept])
        self.received += len(samples)

    def draw(self, count: int, random: np.random.Generator) -> Batch:
        """Return positions drawn by chance, seen from a side drawn by chance."""
        samples = self._samples
        symmetry = int(random.integers(symmetry_count(samples.rows, samples.columns)))
        return samples.batch(random.integers(len(samples), size=count), symmetry)


class GameStream:
    """A source: reads archives over and over, and fills a pool for each board size it meets."""

    def __init__(
        self,
        paths: Sequence[str],
        settings: TrainSettings,
        steps: int = 0,
        apart: Keys = frozenset(),
    ) -> None:
        """Read the first games; raise TengenError if there is nothing to learn from.

        After so many `steps` of the same training, other positions of them are drawn, and reading
        goes on about where it was. Of the games in `apart`, which others measure by, nothing is
        learned.
        """
        self._elsewhere = apart
        self._paths = paths
        self._one_in = settings.held_out
        self._playouts = settings.input_playouts
        self._random = np.random.default_rng([settings.seed, steps])
        self._pools: dict[Size, GamePool] = {}
        self._apart: dict[Size, list[Samples]] = {}
        self._records = self._endless()
        self._games = 0
        """How many there are, when all were read once."""
        self._drawn = 0
        self._is_measured = False
        read = 0
        while read < FIRST_POSITIONS and not self._games:
            read += self.read_more()
        self._is_measured = True
        self._leave_out(steps * settings.batch // (DRAWS_A_POSITION * POSITIONS_A_GAME))

    def material(self) -> Material:
        """Return this source, and what was kept apart of the first games read."""
        apart = [HeldOut("records", joined(parts)) for parts in self._apart.values() if parts]
        return Material([self] if self._pools else [], apart)

    def draw(self, count: int, random: np.random.Generator) -> Batch:
        """Return positions of one size, drawn in proportion to how many of it were read."""
        if self._drawn + count > DRAWS_A_POSITION * sum(self._received()):
            self.read_more()
        self._drawn += count
        shares = np.array(self._received(), dtype=float)
        drawn = int(random.choice(len(shares), p=shares / shares.sum()))
        return list(self._pools.values())[drawn].draw(count, random)

    def _received(self) -> list[int]:
        return [pool.received for pool in self._pools.values()]

    def read_more(self) -> int:
        """Read some games into the pools; return how many positions they gave."""
        taken: dict[Size, list[Taken]] = {}
        apart: dict[Size, list[Taken]] = {}
        for _, record in zip(range(GAMES_AT_ONCE), self._records, strict=False):
            key = game_key(move.move for move in record.moves)
            is_apart = is_held_out(key, self._one_in)
            if key in self._elsewhere or (is_apart and self._is_measured):
                continue
            group = apart if is_apart else taken
            found = take_positions(record, POSITIONS_A_GAME, self._random)
            group.setdefault((record.rows, record.columns), []).extend(found)
        for size, positions in apart.items():
            self._keep_apart(size, positions)
        for size, positions in taken.items():
            self._fill(size, positions)
        return sum(map(len, taken.values()))

    def _leave_out(self, games: int) -> None:
        """Pass over about the games that a training has read; of whole rounds one at most."""
        passed = 0
        while passed < games and not self._games:
            next(self._records)
            passed += 1
        for _ in range((games - passed) % max(self._games, 1)):
            next(self._records)

    def _keep_apart(self, size: Size, positions: list[Taken]) -> None:
        parts = self._apart.setdefault(size, [])
        if positions and sum(map(len, parts)) < HELD_OUT_POSITIONS:
            parts.append(to_samples(positions, self._playouts))

    def _fill(self, size: Size, positions: list[Taken]) -> None:
        if not positions:
            return
        samples = to_samples(positions, self._playouts)
        if size in self._pools:
            self._pools[size].add(samples)
        else:
            self._pools[size] = GamePool(samples)

    def _endless(self) -> Iterator[GameRecord]:
        """Yield usable games of all archives, again and again; raise TengenError if none is."""
        while True:
            found = 0
            for record in usable_games(self._paths):
                found += 1
                yield record
            if not found:
                raise TengenError(f"no game to learn from in {', '.join(self._paths)}")
            self._games = found


def usable_games(paths: Sequence[str]) -> Iterator[GameRecord]:
    """Yield the games of archives that a net can learn from.

    What is wrong with a game ends its moves; the rest of it is as good as any.
    """
    for path in paths:
        for record in read_games(path, log_unreadable):
            large = min(record.rows, record.columns) >= SMALLEST_BOARD
            if record.is_playable and large and record.moves and not record.changes:
                yield record


def is_held_out(key: int, one_in: int) -> bool:
    """Tell whether a game, by its `game_key`, is kept apart: the same one always is."""
    return key % one_in == 0


def take_positions(record: GameRecord, count: int, random: np.random.Generator) -> list[Taken]:
    """Return some positions of a game, drawn by chance, before a move that was played."""
    turns = random.choice(len(record.moves), size=min(count, len(record.moves)), replace=False)
    position = record.start(lenient(record.rules))
    taken = []
    for turn in sorted(int(turn) for turn in turns):
        position.play_sequence(record.moves[len(position.moves) : turn])
        if len(position.moves) != turn:
            break
        colour, move = record.moves[turn]
        seen = position.copy()
        seen.to_play = colour
        row, column = move // int(layout.STRIDE) - 1, move % int(layout.STRIDE) - 1
        place = row * record.columns + column if move else record.rows * record.columns
        win = np.nan if record.winner is None else float(record.winner == colour)
        taken.append(Taken(seen.block, place, float(seen.area_bonus), win, turn))
    return taken


def to_samples(positions: Sequence[Taken], playouts: int = 0) -> Samples:
    """Return positions of one board size as samples, for a net that sees so many playouts."""
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
