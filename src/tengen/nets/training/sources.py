"""Sources of training batches: labeled positions in memory, and games whose positions are drawn.

The state of a source is small enough for the checkpoint and restores it exactly, so a resumed
training run draws the batches that an uninterrupted one would have drawn.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tengen.nets.symmetry import symmetry_count
from tengen.nets.training.games import StoredGame, take_positions, to_samples
from tengen.nets.training.samples import Samples, TrainingBatch, join_samples

POSITIONS_PER_GAME = 12
GAMES_PER_READ = 64
POOL_POSITIONS = 60_000
"""Positions in the pool of a game source."""
FIRST_POSITIONS = 6_000
"""Positions in the pool when training starts."""
DRAWS_PER_POSITION = 2
"""Approximate number of times a position is drawn before new ones are read."""

State = Mapping[str, Any]
"""Integers and arrays."""


class BatchSource(Protocol):
    """A source of training batches of one board size."""

    name: str
    """The path it was read from."""
    size: str
    """Columns x rows."""

    def __len__(self) -> int:
        """Return the number of positions."""

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return random positions under a random symmetry."""

    def state(self) -> State:
        """Return what `restore` needs to continue the order of positions."""

    def restore(self, state: State) -> bool:
        """Continue an order; return False, and change nothing, if the data are different."""


def size_name(rows: int, columns: int) -> str:
    """Return the name of a board size."""
    return f"{columns}x{rows}"


class SampleSource:
    """Samples in memory; each is drawn once per epoch."""

    def __init__(self, samples: Samples, name: str = "") -> None:
        self.name = name
        self.size = size_name(samples.rows, samples.columns)
        self.samples = samples
        self._order = np.empty(0, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.samples)

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return random positions under a random symmetry."""
        while len(self._order) < count:
            epoch = random.permutation(len(self.samples)).astype(np.int32)
            self._order = np.concatenate([self._order, epoch])
        which, self._order = self._order[:count], self._order[count:]
        return self.samples.batch(which.astype(np.intp), _draw_symmetry(self.samples, random))

    def extend(self, samples: Samples, random: np.random.Generator) -> None:
        """Add samples and mix them into the rest of the epoch."""
        before = len(self)
        self.samples = join_samples([self.samples, samples])
        self._mix_in(before, random)

    def _mix_in(self, first: int, random: np.random.Generator) -> None:
        """Mix the samples from index `first` on into the rest of the epoch."""
        added = np.arange(first, len(self), dtype=np.int32)
        self._order = random.permutation(np.concatenate([self._order, added]))

    def state(self) -> State:
        """Return the rest of the epoch."""
        return {"positions": len(self), "order": self._order.copy()}

    def restore(self, state: State) -> bool:
        """Continue an epoch if the samples are the same, or more were added at the end."""
        if state["positions"] > len(self):
            return False
        self._order = np.asarray(state["order"], dtype=np.int32)
        if state["positions"] < len(self):
            self._mix_in(state["positions"], np.random.default_rng(len(self)))
        return True


class GameSource:
    """Games of one board size; positions are drawn from a pool that is refilled from the games.

    The games follow each other in random order, and some positions of each are drawn. Every read
    has its own random numbers, so the pool can be restored from the number of reads.
    """

    def __init__(
        self, games: Sequence[StoredGame], name: str = "", playouts: int = 0, seed: int = 1
    ) -> None:
        """Create a source of at least one game; `playouts` is the setting `input_playouts`."""
        first = games[0].header
        self.name = name
        self.size = size_name(first.rows, first.columns)
        self._games = games
        self._playouts = playouts
        self._seed = seed
        self._pool: Samples | None = None
        self._reads = 0
        self._received = 0
        """Positions read in all."""
        self._drawn = 0
        self._epoch = lru_cache(maxsize=2)(self._make_epoch)

    def __len__(self) -> int:
        return sum(len(game.moves) for game in self._games)

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return random positions of the pool under a random symmetry."""
        while self._received < FIRST_POSITIONS:
            self._read_more()
        if self._drawn + count > DRAWS_PER_POSITION * self._received:
            self._read_more()
        self._drawn += count
        assert self._pool is not None
        which = random.integers(len(self._pool), size=count)
        return self._pool.batch(which, _draw_symmetry(self._pool, random))

    def state(self) -> State:
        """Return the numbers of games, reads, and positions read and drawn."""
        return {
            "games": len(self._games),
            "reads": self._reads,
            "received": self._received,
            "drawn": self._drawn,
        }

    def restore(self, state: State) -> bool:
        """Read the positions of the pool again if there are as many games."""
        if state["games"] != len(self._games):
            return False
        self._reads, self._received, self._drawn = (
            int(state[name]) for name in ("reads", "received", "drawn")
        )
        parts: list[Samples] = []
        number = self._reads
        while number and sum(map(len, parts)) < POOL_POSITIONS:
            number -= 1
            parts.append(self._read(number))
        self._pool = _first(join_samples(parts), POOL_POSITIONS) if parts else None
        return True

    def _read_more(self) -> None:
        """Add positions to the pool, drop the oldest."""
        samples = self._read(self._reads)
        self._reads += 1
        self._received += len(samples)
        parts = [samples] if self._pool is None else [samples, self._pool]
        self._pool = _first(join_samples(parts), POOL_POSITIONS)

    def _read(self, number: int) -> Samples:
        """Return the positions of one read."""
        random = np.random.default_rng([self._seed, 1, number])
        begin = number * GAMES_PER_READ
        positions = []
        for index in range(begin, begin + GAMES_PER_READ):
            epoch, place = divmod(index, len(self._games))
            record = self._games[int(self._epoch(epoch)[place])].record()
            positions += take_positions(record, POSITIONS_PER_GAME, random)
        return to_samples(positions, self._playouts)

    def _make_epoch(self, epoch: int) -> npt.NDArray[np.intp]:
        return np.random.default_rng([self._seed, 2, epoch]).permutation(len(self._games))


def _first(samples: Samples, count: int) -> Samples:
    return samples if len(samples) <= count else samples.chosen(np.arange(count))


def _draw_symmetry(samples: Samples, random: np.random.Generator) -> int:
    return int(random.integers(symmetry_count(samples.rows, samples.columns)))
