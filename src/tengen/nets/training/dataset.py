"""Training data: labeled positions, positions streamed from game records, and held-out sets.

Game records are read as needed, a few positions of each game, into pools of recent positions. A
batch is drawn from a pool, so it holds positions of many games and memory stays bounded.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board.kernels import layout
from tengen.board.position import Block
from tengen.nets.net import MIN_BOARD_SIZE
from tengen.nets.symmetry import symmetry_count
from tengen.nets.training.labels import LabeledSamples, game_key
from tengen.nets.training.samples import Samples, TrainingBatch, join_samples, packed_inputs
from tengen.nets.training.settings import TrainSettings
from tengen.records.game import GameRecord, lenient_rules
from tengen.records.reader import read_games
from tengen.records.warning import log_unreadable
from tengen.util.errors import TengenError

POSITIONS_PER_GAME = 12
GAMES_PER_READ = 64
POOL_POSITIONS = 60_000
"""Positions of one board size in a pool."""
FIRST_POSITIONS = 6_000
"""Positions read before training starts."""
DRAWS_PER_POSITION = 2
"""Approximate number of times a position is drawn before new ones are read."""
HELD_OUT_POSITIONS = 1_200
"""Maximum number of held-out positions per board size."""

Keys = frozenset[int]
"""Games by `game_key`."""
Size = tuple[int, int]


class BatchSource(Protocol):
    """A source of training batches."""

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return random positions of one board size under a random symmetry."""


class SampleSource:
    """Samples in memory; each is drawn once per epoch."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples
        self._order = np.empty(0, dtype=np.intp)

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return random positions under a random symmetry."""
        while len(self._order) < count:
            self._order = np.concatenate([self._order, random.permutation(len(self.samples))])
        which, self._order = self._order[:count], self._order[count:]
        symmetry = int(random.integers(symmetry_count(self.samples.rows, self.samples.columns)))
        return self.samples.batch(which, symmetry)


class HeldOutSet(NamedTuple):
    """Held-out positions of one board size, and the name of their games."""

    games: str
    samples: Samples


class Dataset(NamedTuple):
    """Training data and held-out sets."""

    sources: Sequence[BatchSource]
    held_out: Sequence[HeldOutSet]


def split_labels(
    labeled: Sequence[LabeledSamples], one_in: int, games: str, elsewhere: Keys = frozenset()
) -> Dataset:
    """Hold out one game in `one_in`, always whole games; `games` names them.

    Games held out `elsewhere` are neither learned nor measured.
    """
    learned, held_out = [], []
    for of_size in labeled:
        is_held = of_size.game % one_in == 0
        is_known = np.isin(of_size.key, [*elsewhere])
        if not (is_held | is_known).all():
            learned.append(SampleSource(of_size.samples.chosen(~(is_held | is_known))))
        if is_held.any():
            held_out.append(HeldOutSet(games, of_size.samples.chosen(is_held)))
    return Dataset(learned, held_out)


def held_out_keys(labeled: Sequence[LabeledSamples], one_in: int) -> Keys:
    """Return the games of a folder that `split_labels` holds out."""
    found = [of_size.key[of_size.game % one_in == 0] for of_size in labeled]
    return frozenset(np.concatenate(found).tolist()) if found else frozenset()


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


class GamePool:
    """The most recently read positions of one board size."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        self.received = len(samples)

    def add(self, samples: Samples) -> None:
        """Add new positions and drop the oldest."""
        room = max(0, POOL_POSITIONS - len(samples))
        kept = self._samples.chosen(np.arange(min(room, len(self._samples))))
        self._samples = join_samples([samples, kept])
        self.received += len(samples)

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return random positions under a random symmetry."""
        samples = self._samples
        symmetry = int(random.integers(symmetry_count(samples.rows, samples.columns)))
        return samples.batch(random.integers(len(samples), size=count), symmetry)


class GameStream:
    """Reads archives repeatedly and fills a pool for each board size."""

    def __init__(
        self,
        paths: Sequence[str],
        settings: TrainSettings,
        steps: int = 0,
        held_out_elsewhere: Keys = frozenset(),
    ) -> None:
        """Read the first games; raise TengenError if there are none.

        When training resumes after `steps`, other positions are drawn and reading continues at
        about the same place. Games in `held_out_elsewhere` are skipped.
        """
        self._held_out_elsewhere = held_out_elsewhere
        self._paths = paths
        self._one_in = settings.held_out
        self._playouts = settings.input_playouts
        self._random = np.random.default_rng([settings.seed, steps])
        self._pools: dict[Size, GamePool] = {}
        self._held_out: dict[Size, list[Samples]] = {}
        self._records = self._endless()
        self._games = 0
        """Number of games, known after the first pass."""
        self._drawn = 0
        self._is_measured = False
        read = 0
        while read < FIRST_POSITIONS and not self._games:
            read += self.read_more()
        self._is_measured = True
        self._leave_out(steps * settings.batch // (DRAWS_PER_POSITION * POSITIONS_PER_GAME))

    def dataset(self) -> Dataset:
        """Return this source and the held-out positions of the first games."""
        held_out = [
            HeldOutSet("records", join_samples(parts)) for parts in self._held_out.values() if parts
        ]
        return Dataset([self] if self._pools else [], held_out)

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return positions of one board size, chosen in proportion to the positions read."""
        if self._drawn + count > DRAWS_PER_POSITION * sum(self._received()):
            self.read_more()
        self._drawn += count
        shares = np.array(self._received(), dtype=float)
        drawn = int(random.choice(len(shares), p=shares / shares.sum()))
        return list(self._pools.values())[drawn].draw(count, random)

    def _received(self) -> list[int]:
        return [pool.received for pool in self._pools.values()]

    def read_more(self) -> int:
        """Read some games into the pools; return the number of new positions."""
        taken: dict[Size, list[GamePosition]] = {}
        held_out: dict[Size, list[GamePosition]] = {}
        for _, record in zip(range(GAMES_PER_READ), self._records, strict=False):
            key = game_key(move.move for move in record.moves)
            is_held = is_held_out(key, self._one_in)
            if key in self._held_out_elsewhere or (is_held and self._is_measured):
                continue
            group = held_out if is_held else taken
            found = take_positions(record, POSITIONS_PER_GAME, self._random)
            group.setdefault((record.rows, record.columns), []).extend(found)
        for size, positions in held_out.items():
            self._hold_out(size, positions)
        for size, positions in taken.items():
            self._fill(size, positions)
        return sum(map(len, taken.values()))

    def _leave_out(self, games: int) -> None:
        """Skip about the games that were read before, less complete passes."""
        passed = 0
        while passed < games and not self._games:
            next(self._records)
            passed += 1
        for _ in range((games - passed) % max(self._games, 1)):
            next(self._records)

    def _hold_out(self, size: Size, positions: list[GamePosition]) -> None:
        parts = self._held_out.setdefault(size, [])
        if positions and sum(map(len, parts)) < HELD_OUT_POSITIONS:
            parts.append(to_samples(positions, self._playouts))

    def _fill(self, size: Size, positions: list[GamePosition]) -> None:
        if not positions:
            return
        samples = to_samples(positions, self._playouts)
        if size in self._pools:
            self._pools[size].add(samples)
        else:
            self._pools[size] = GamePool(samples)

    def _endless(self) -> Iterator[GameRecord]:
        """Yield usable games of all archives repeatedly; raise TengenError if there are none."""
        while True:
            found = 0
            for record in usable_games(self._paths):
                found += 1
                yield record
            if not found:
                raise TengenError(f"no usable game in {', '.join(self._paths)}")
            self._games = found


def usable_games(paths: Sequence[str]) -> Iterator[GameRecord]:
    """Yield the games of archives that a network can learn from.

    A game is used up to its first illegal or unreadable move.
    """
    for path in paths:
        for record in read_games(path, log_unreadable):
            large = min(record.rows, record.columns) >= MIN_BOARD_SIZE
            if record.is_playable and large and record.moves and not record.setup_changes:
                yield record


def is_held_out(key: int, one_in: int) -> bool:
    """Return whether a game is held out, determined by its `game_key`."""
    return key % one_in == 0


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
