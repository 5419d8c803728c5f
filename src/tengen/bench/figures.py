"""What all measurements have in common: their figures, and the comparison with processes."""

import statistics
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import TypeVar

ROUNDS = 3
"""Threads and processes are measured in turns, so that a change of load meets both."""


@dataclass
class Figures:
    """One measurement; the ratios are None unless a peer was measured in the same run."""

    rows: int
    columns: int
    threads: int
    ratio_to_c: float | None = None
    ratio_to_processes: float | None = None

    @property
    def rate(self) -> float:
        """What is compared: how much was done in a second."""
        raise NotImplementedError

    def as_json(self) -> dict[str, object]:
        """Return the fields as JSON wants them; `size` is a number for square boards."""
        square = self.rows == self.columns
        figures = {key: value for key, value in asdict(self).items() if value is not None}
        size = self.rows if square else f"{self.columns}x{self.rows}"
        return {**figures, "size": size}


Kind = TypeVar("Kind", bound=Figures)
Measure = Callable[[int, int, float, int], Kind]
"""Takes rows, columns, seconds, threads. A function of a module, so that it can be sent."""


def beside_processes(
    measure: Measure[Kind], rows: int, columns: int, seconds: float, threads: int
) -> Kind:
    """Measure threads of one process against as many processes, in turns.

    Return the figures of the median round, with the median of the ratios.
    """

    def together(each_s: float) -> float:
        asked = [pool.submit(measure, rows, columns, each_s, 1) for _ in range(threads)]
        return sum(future.result().rate for future in asked)

    with ProcessPoolExecutor(threads, mp_context=get_context("spawn")) as pool:
        together(0.1)
        rounds = [
            (measure(rows, columns, seconds / ROUNDS, threads), together(seconds / ROUNDS))
            for _ in range(ROUNDS)
        ]
    chosen = sorted((figures for figures, _ in rounds), key=lambda f: f.rate)[ROUNDS // 2]
    chosen.ratio_to_processes = statistics.median(f.rate / total for f, total in rounds)
    return chosen
