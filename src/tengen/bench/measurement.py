"""Base class of benchmark results, timing helpers and the comparison with processes."""

import random
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import TypeVar

from tengen.board import PASS, Position

SEED = 2026
ROUNDS = 3
"""Rounds of a comparison. The sides alternate, so that load changes affect both."""


@dataclass
class Measurement:
    """One benchmark result; ratios are None unless the reference was measured in the same run."""

    rows: int
    columns: int
    threads: int
    ratio_to_c: float | None = None
    ratio_to_processes: float | None = None

    @property
    def rate(self) -> float:
        """Operations per second, the value that is compared."""
        raise NotImplementedError

    def as_json(self) -> dict[str, object]:
        """Return `size` and the fields that are not None."""
        fields = {key: value for key, value in asdict(self).items() if value is not None}
        return {"size": size_text(self.rows, self.columns), **fields}


def size_text(rows: int, columns: int) -> int | str:
    """Return 9 for a 9x9 board, `7x9` (columns x rows) for a rectangular one."""
    return rows if rows == columns else f"{columns}x{rows}"


def shortest_s(work: Callable[[], object], seconds: float) -> float:
    """Return the shortest CPU time of repeated calls within `seconds`, after one warm-up call."""
    work()
    shortest = float("inf")
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s or shortest == float("inf"):
        start_s = time.thread_time()
        work()
        shortest = min(shortest, time.thread_time() - start_s)
    return shortest


def random_game(rows: int, columns: int, length: int) -> list[Position]:
    """Return all `length` + 1 positions of a random game; it is the same on every call."""
    rng, position = random.Random(SEED), Position(rows, columns)
    positions = [position.copy()]
    for _ in range(length):
        legal = position.legal_moves()
        position.play(rng.choice(legal) if legal else PASS)
        positions.append(position.copy())
    return positions


Kind = TypeVar("Kind", bound=Measurement)
Measure = Callable[[int, int, float, int], Kind]
"""Takes rows, columns, seconds and threads. It must be picklable."""


def compare_with_processes(
    measure: Measure[Kind], rows: int, columns: int, seconds: float, threads: int
) -> Kind:
    """Measure threads of one process against the same number of processes.

    Return the measurement of the median round, with the median ratio.
    """

    def process_rate(each_s: float) -> float:
        futures = [pool.submit(measure, rows, columns, each_s, 1) for _ in range(threads)]
        return sum(future.result().rate for future in futures)

    with ProcessPoolExecutor(threads, mp_context=get_context("spawn")) as pool:
        process_rate(0.1)
        rounds = [
            (measure(rows, columns, seconds / ROUNDS, threads), process_rate(seconds / ROUNDS))
            for _ in range(ROUNDS)
        ]
    median = sorted((found for found, _ in rounds), key=lambda found: found.rate)[ROUNDS // 2]
    median.ratio_to_processes = statistics.median(found.rate / rate for found, rate in rounds)
    return median
