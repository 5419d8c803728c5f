"""Where batches come from: samples of several sizes and kinds, some games of each kept apart."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tengen.network.orientation import symmetry_count
from tengen.network.training.labels import Labelled
from tengen.network.training.samples import Batch, Samples


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


def split(labelled: Sequence[Labelled], one_in: int, games: str) -> Material:
    """Keep one game in so many apart, whole games always; `games` tells where they are from."""
    apart = [of_size.game % one_in == 0 for of_size in labelled]
    return Material(
        [
            SampleSource(of_size.samples.chosen(~mask))
            for of_size, mask in zip(labelled, apart, strict=True)
            if not mask.all()
        ],
        [
            HeldOut(games, of_size.samples.chosen(mask))
            for of_size, mask in zip(labelled, apart, strict=True)
            if mask.any()
        ],
    )
