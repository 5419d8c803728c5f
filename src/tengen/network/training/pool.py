"""Where batches come from: samples of several sizes and kinds, some games of each kept apart."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tengen.network.orientation import symmetry_count
from tengen.network.training.labels import Labelled
from tengen.network.training.samples import Batch, Samples

Keys = frozenset[int]
"""Games, by `game_key`."""


class Source(Protocol):
    """Something to learn from."""

    def draw(self, count: int, random: np.random.Generator) -> Batch:
        """Return positions of one size drawn by chance, seen from a side drawn by chance."""


class SampleSource:
    """Samples in memory; each is drawn once before any is drawn again."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples
        self._order = np.empty(0, dtype=np.intp)

    def draw(self, count: int, random: np.random.Generator) -> Batch:
        """Return positions drawn by chance, seen from a side drawn by chance."""
        while len(self._order) < count:
            self._order = np.concatenate([self._order, random.permutation(len(self.samples))])
        which, self._order = self._order[:count], self._order[count:]
        symmetry = int(random.integers(symmetry_count(self.samples.rows, self.samples.columns)))
        return self.samples.batch(which, symmetry)


class HeldOut(NamedTuple):
    """Positions of one board size that are kept apart, and where they are from."""

    games: str
    samples: Samples


class Material(NamedTuple):
    """What a training learns from, and what it is measured by."""

    sources: Sequence[Source]
    held_out: Sequence[HeldOut]


def split(
    labelled: Sequence[Labelled], one_in: int, games: str, elsewhere: Keys = frozenset()
) -> Material:
    """Keep one game in so many apart, whole games always; `games` tells where they are from.

    What is kept apart `elsewhere` is neither learned from nor measured by.
    """
    learned, apart = [], []
    for of_size in labelled:
        is_apart = of_size.game % one_in == 0
        is_known = np.isin(of_size.key, [*elsewhere])
        if not (is_apart | is_known).all():
            learned.append(SampleSource(of_size.samples.chosen(~(is_apart | is_known))))
        if is_apart.any():
            apart.append(HeldOut(games, of_size.samples.chosen(is_apart)))
    return Material(learned, apart)


def apart_keys(labelled: Sequence[Labelled], one_in: int) -> Keys:
    """Return the games of a folder that `split` keeps apart."""
    found = [of_size.key[of_size.game % one_in == 0] for of_size in labelled]
    return frozenset(np.concatenate(found).tolist()) if found else frozenset()
