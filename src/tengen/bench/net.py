"""How many positions a net evaluates in a second."""

import time
from dataclasses import dataclass

import numpy as np

from tengen.bench.figures import Figures
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.network.net import Net

SEED = 2026
GAME = 24
"""Positions that are evaluated in turn; each is another one, so that no cache knows it."""


@dataclass
class NetFigures(Figures):
    """Evaluations from position to result, and what the parts of one take."""

    net: str = ""
    batch: int = 1
    evaluations_per_s: float = 0.0
    """Of positions not seen before: features, net, and the policy over legal moves."""
    per_cpu_s: float = 0.0
    """The same by the processor's clock, which other programs on the machine disturb less."""
    features_us: float = 0.0
    """Of which the features take so much, a position, by the processor's clock."""

    @property
    def rate(self) -> float:
        """Evaluations a second."""
        return self.evaluations_per_s


def measure(net: Net, rows: int, columns: int, seconds: float) -> NetFigures:
    """Measure a net for a while on positions from the middle of random games."""
    positions = _positions(rows, columns)
    batch = net.settings.batch
    parts = [positions[begin : begin + batch] for begin in range(0, len(positions), batch)]
    net.evaluate(parts[0])
    done, begin_s, begin_cpu_s = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begin_s < seconds:
        net.cache.clear()
        for part in parts:
            net.evaluate(part)
            done += len(part)
    took_s, cpu_s = time.perf_counter() - begin_s, time.process_time() - begin_cpu_s
    return NetFigures(
        rows,
        columns,
        threads=net.settings.threads,
        net=net.name,
        batch=batch,
        evaluations_per_s=done / took_s,
        per_cpu_s=done / cpu_s,
        features_us=_features_us(net, positions),
    )


def _features_us(net: Net, positions: list[Position]) -> float:
    begin_s = time.process_time()
    net.encode(positions)
    return 1e6 * (time.process_time() - begin_s) / len(positions)


def _positions(rows: int, columns: int) -> list[Position]:
    """Return the last positions of a random game that fills half of the board, one at least."""
    random = np.random.default_rng(SEED)
    position, found = Position(rows, columns), []
    length = max(rows * columns // 2, 1)
    for number in range(length):
        legal = position.legal_moves()
        position.play(int(random.choice(legal)) if legal else PASS)
        if number >= length - GAME:
            found.append(position.copy())
    return found
