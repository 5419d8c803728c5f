"""How long the metric evaluations of paper 003 take, and a heat map of them."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tengen.bench.figures import Figures
from tengen.bench.kernels.metric import evaluate_often
from tengen.board.position import Position
from tengen.knowledge.kernels.metric import MEASURES, new_scratch
from tengen.knowledge.metric import Metric
from tengen.knowledge.metric_board import changes

SEED = 2026
BATCH = 20


@dataclass
class MetricFigures(Figures):
    """Least times of single evaluations in microseconds: on a board a third full, or empty."""

    ed4_empty_us: float = 0.0
    ed4_us: float = 0.0
    ed8_us: float = 0.0
    e2_us: float = 0.0
    mix_us: float = 0.0
    """E1, E2, Ed4 and Ed8 at once."""
    heat_map_ms: float = 0.0
    """The depth-one search: the mix after every legal move."""

    @property
    def rate(self) -> float:
        """Evaluations of Ed4 a second."""
        return 1e6 / self.ed4_us


def measure(rows: int, columns: int, seconds: float) -> MetricFigures:
    """Measure each evaluation for a part of the time, compilation aside."""
    empty, played = Position(rows, columns), _played(rows, columns)
    part_s = seconds / 6
    return MetricFigures(
        rows,
        columns,
        threads=1,
        ed4_empty_us=_evaluation_us(empty, Metric.only(b4=1), part_s),
        ed4_us=_evaluation_us(played, Metric.only(b4=1), part_s),
        ed8_us=_evaluation_us(played, Metric.only(b8=1), part_s),
        e2_us=_evaluation_us(played, Metric.only(a2=1), part_s),
        mix_us=_evaluation_us(played, Metric(), part_s),
        heat_map_ms=1e3 * _seconds_of(lambda: changes(played, Metric()), part_s),
    )


def _played(rows: int, columns: int) -> Position:
    """Return a board with random moves on a third of its points."""
    random = np.random.default_rng(SEED)
    position = Position(rows, columns)
    for _ in range(rows * columns // 3):
        if legal := position.legal_moves():
            position.play(int(random.choice(legal)))
    return position


def _evaluation_us(position: Position, mix: Metric, seconds: float) -> float:
    scratch, values, weights = new_scratch(), np.zeros(MEASURES), mix.vector()

    def batch() -> None:
        evaluate_often(position.block, weights, scratch, values, np.uintp(BATCH))

    return 1e6 * _seconds_of(batch, seconds) / BATCH


def _seconds_of(work: Callable[[], object], seconds: float) -> float:
    """Return the least time of a piece of work, repeated for a while.

    The work is always the same, so what takes longer is the machine's other business.
    """
    work()
    least_s, end_s = math.inf, time.perf_counter() + seconds
    while (begin_s := time.perf_counter()) < end_s or least_s == math.inf:
        work()
        least_s = min(least_s, time.perf_counter() - begin_s)
    return least_s
