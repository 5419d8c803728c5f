"""Network evaluations per second."""

import time
from dataclasses import dataclass

from tengen.bench.measurement import Measurement, random_game
from tengen.board import Position
from tengen.nets import Net

POSITIONS = 24
"""Number of different positions evaluated in turn."""


@dataclass
class NetMeasurement(Measurement):
    """Speed of complete evaluations and of feature extraction."""

    net: str = ""
    batch: int = 1
    evaluations_per_s: float = 0.0
    """Uncached evaluations per second of wall-clock time: features, network and policy."""
    per_cpu_s: float = 0.0
    """Uncached evaluations per second of CPU time."""
    features_us: float = 0.0
    """CPU time of feature extraction per position."""

    @property
    def rate(self) -> float:
        """Evaluations per second."""
        return self.evaluations_per_s


def measure(net: Net, rows: int, columns: int, seconds: float) -> NetMeasurement:
    """Measure a network on positions from the middle of a random game."""
    positions = _positions(rows, columns)
    batch = net.settings.batch
    parts = [positions[start : start + batch] for start in range(0, len(positions), batch)]
    net.evaluate(parts[0])
    done, start_s, start_cpu_s = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start_s < seconds:
        net.cache.clear()
        for part in parts:
            net.evaluate(part)
            done += len(part)
    elapsed_s, cpu_s = time.perf_counter() - start_s, time.process_time() - start_cpu_s
    return NetMeasurement(
        rows,
        columns,
        threads=net.settings.threads,
        net=net.name,
        batch=batch,
        evaluations_per_s=done / elapsed_s,
        per_cpu_s=done / cpu_s,
        features_us=_features_us(net, positions),
    )


def _features_us(net: Net, positions: list[Position]) -> float:
    start_s = time.process_time()
    net.encode(positions)
    return 1e6 * (time.process_time() - start_s) / len(positions)


def _positions(rows: int, columns: int) -> list[Position]:
    """Return the last positions of a random game that fills half of the board."""
    return random_game(rows, columns, max(rows * columns // 2, 1))[1:][-POSITIONS:]
