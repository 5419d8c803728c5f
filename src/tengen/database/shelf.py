"""All games of one board size in memory, ready to be searched."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.database.chunk import FACTS, Chunk
from tengen.database.kernels.events import STONE_WORDS, note_stones
from tengen.database.kernels.scan import find_pattern, find_position
from tengen.database.packing import Events
from tengen.database.pattern import Pattern

_FEWEST_FOR_THREADS = 4096
"""Games below which a second thread costs more than it saves."""
_PARTS_A_THREAD = 4
"""Games differ in length: who is done early takes another part."""


class Findings(NamedTuple):
    """For each game of a shelf: the variant that stood first, and where its answer is; or -1."""

    variants: npt.NDArray[np.int64]
    answers: npt.NDArray[np.int64]


class Shelf:
    """The games of one board size: their numbers, winners, and events one after another."""

    def __init__(self, rows: int, columns: int, chunks: Iterable[Chunk]):
        self.rows = rows
        self.columns = columns
        parts = list(chunks)
        facts = np.concatenate([np.empty(0, FACTS), *(part.facts for part in parts)])
        self.ids: npt.NDArray[np.uint32] = facts["id"].astype(np.uint32)
        self.winners: npt.NDArray[np.uint8] = facts["winner"].copy()
        self.events: Events = np.concatenate(
            [np.empty(0, np.uint16), *(part.events for part in parts)]
        )
        ends = np.cumsum(facts["length"], dtype=np.uint64)
        self.starts = np.concatenate([np.zeros(1, np.uint64), ends])
        self._captured: npt.NDArray[np.uint16] = facts["captured"].astype(np.uint16)
        self._stones = np.zeros((len(facts), int(STONE_WORDS)), dtype=np.uint64)
        note_stones(self.events, self.starts, self._stones)

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, pattern: Pattern) -> Findings:
        """Look for a pattern in all games."""
        found = Findings(np.empty(len(self), np.int64), np.empty(len(self), np.int64))
        search = self._local(pattern, found) if pattern.region else self._whole(pattern, found)
        threads = min(os.cpu_count() or 1, 8)
        if len(self) < _FEWEST_FOR_THREADS or threads == 1:
            search(np.uintp(0), np.uintp(len(self)))
            return found
        cuts = np.linspace(0, len(self), threads * _PARTS_A_THREAD + 1).astype(np.uintp)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(search, cuts[:-1], cuts[1:]))
        return found

    def _whole(self, pattern: Pattern, found: Findings) -> Callable[[np.uintp, np.uintp], None]:
        needed, hashes, movers = pattern.needed(), pattern.hashes(), pattern.movers
        count = np.uintp(pattern.stones)

        def search(first: np.uintp, last: np.uintp) -> None:
            find_position(
                *(self.events, self.starts, self._stones, self._captured),
                *(needed, count, hashes, movers, first, last, *found),
            )

        return search

    def _local(self, pattern: Pattern, found: Findings) -> Callable[[np.uintp, np.uintp], None]:
        needed, wanted = pattern.needed(), pattern.variants
        counts, deltas = pattern.counts(), pattern.deltas()

        def search(first: np.uintp, last: np.uintp) -> None:
            find_pattern(
                *(self.events, self.starts, self._stones),
                *(needed, wanted, counts, deltas, first, last, *found),
            )

        return search
