"""Exact counts of patterns, and what tables of a given size make of them.

Here the patterns are known one by one, so the tables can be filled and read by arithmetic on whole
arrays; the slots are those of the kernels.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.knowledge.kernels.shape_keys import RINGS
from tengen.knowledge.kernels.shape_tables import slot_of
from tengen.knowledge.shape_tables import SIZES
from tengen.lab.shape.games import first_games
from tengen.learn.kernels.samples import LOSS, WIN, new_scratch
from tengen.learn.shape import sample_batches

Floats = npt.NDArray[np.float64]


class Exact(NamedTuple):
    """All patterns of one size, each once, with how often it won and lost."""

    size: int
    keys: npt.NDArray[np.uint64]
    wins: npt.NDArray[np.int64]
    losses: npt.NDArray[np.int64]

    @property
    def seen(self) -> npt.NDArray[np.int64]:
        """How often each pattern was sampled."""
        return self.wins + self.losses

    @property
    def rates(self) -> Floats:
        """The true rate of each."""
        rates: Floats = self.wins / self.seen
        return rates


def exact_counts(paths: Sequence[str], games: int, marks: int) -> list[Exact]:
    """Sample so many games and count every pattern, for 3x3, 5x5, 7x7 and 9x9."""
    scratch = new_scratch()
    batches = [
        batch
        for some in first_games(paths, games)
        for batch in sample_batches(some, np.uintp(marks), scratch)
    ]
    outcomes = np.concatenate([batch[1] for batch in batches])
    found = []
    for ring in range(int(RINGS)):
        column = np.concatenate([batch[0][:, ring] for batch in batches])
        keys, places = np.unique(column, return_inverse=True)
        wins = np.bincount(places[outcomes == WIN], minlength=len(keys))
        losses = np.bincount(places[outcomes == LOSS], minlength=len(keys))
        found.append(Exact(SIZES[ring], keys, wins, losses))
    return found


class Sloppy(NamedTuple):
    """What tables say of the patterns, in three readings of the same memory."""

    mean: Floats
    """The paper's: the mean of the rates of the slots."""
    count_min: Floats
    """A count-min sketch: the least wins by the least wins and losses (G. Cormode, 2005)."""
    unmixed: Floats
    """Ours: the mean, with what lies in an ordinary slot taken out (see `refine`)."""


def sloppy_rates(exact: Exact, tables: int, bits: int) -> Sloppy:
    """Put the patterns into so many tables of 2^bits slots and read them back."""
    width = 1 << bits
    slots = np.array([_slots(exact.keys, table, bits) for table in range(tables)])
    wins = np.array([np.bincount(row, weights=exact.wins, minlength=width) for row in slots])
    losses = np.array([np.bincount(row, weights=exact.losses, minlength=width) for row in slots])
    own_wins = np.take_along_axis(wins, slots, axis=1)
    own_losses = np.take_along_axis(losses, slots, axis=1)
    totals = own_wins + own_losses
    mean = (own_wins / totals).mean(axis=0)
    least_wins, least_losses = own_wins.min(axis=0), own_losses.min(axis=0)
    with np.errstate(invalid="ignore"):
        smallest = np.nan_to_num(least_wins / (least_wins + least_losses), nan=0.5)
    load = float(np.median(wins + losses))
    return Sloppy(mean, smallest, _unmixed(mean, totals.min(axis=0), load))


def _slots(keys: npt.NDArray[np.uint64], table: int, bits: int) -> npt.NDArray[np.int64]:
    """Return the kernels' slots of many patterns at once."""
    with np.errstate(over="ignore"):  # the hash is meant to wrap around
        found: npt.NDArray[np.uint64] = slot_of.py_func(keys, np.uint64(table), np.uint64(bits))
    return found.astype(np.int64)


def _unmixed(mean: Floats, least: Floats, load: float) -> Floats:
    own = np.maximum(least - load, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.clip(0.5 + (mean - 0.5) * least / own, 0.0, 1.0)
    return np.where(own > 0, rate, 0.5)
