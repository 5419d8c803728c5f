"""How many light playouts a second."""

import statistics
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context

import numpy as np

from tengen.bench.peer import Peer
from tengen.board.kernels.block import new_block
from tengen.playout.kernels.light import run_light_playouts

BATCH = 200
"""Playouts in one call of the kernel: long enough that the call costs nothing."""


@dataclass
class PlayoutFigures:
    """One measurement; the ratios are None unless a peer was measured in the same run."""

    playouts_per_s: float
    moves_per_s: float
    rows: int
    columns: int
    threads: int
    ratio_to_c: float | None = None
    ratio_to_processes: float | None = None

    def as_json(self) -> dict[str, object]:
        """Return the fields as JSON wants them; `size` is a number for square boards."""
        square = self.rows == self.columns
        figures = {key: value for key, value in asdict(self).items() if value is not None}
        size = self.rows if square else f"{self.columns}x{self.rows}"
        return {**figures, "size": size}


class PlayoutLoop:
    """Playouts from the empty board on one thread, with its own memory and random numbers."""

    def __init__(self, rows: int, columns: int, seed: int):
        self._start = new_block(rows, columns)
        self._scratch = self._start.copy()
        self._random = np.array([seed], dtype=np.uint64)
        self.totals = np.zeros(3, dtype=np.int64)
        """Wins of Black, area balance, moves."""
        self.playouts = 0

    def play(self, count: int) -> None:
        """Play that many playouts."""
        run_light_playouts(self._start, self._scratch, self._random, np.uintp(count), self.totals)
        self.playouts += count

    def play_for(self, seconds: float) -> None:
        """Play batches until the time is over."""
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            self.play(BATCH)


def measure(rows: int, columns: int, seconds: float, threads: int) -> PlayoutFigures:
    """Measure playouts on so many threads of this process, compilation aside."""
    PlayoutLoop(rows, columns, 1).play(1)
    loops = [PlayoutLoop(rows, columns, seed + 1) for seed in range(threads)]
    workers = [threading.Thread(target=loop.play_for, args=(seconds,)) for loop in loops]
    begin_s = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    took_s = time.monotonic() - begin_s
    playouts = sum(loop.playouts for loop in loops)
    moves = sum(int(loop.totals[2]) for loop in loops)
    return PlayoutFigures(playouts / took_s, moves / took_s, rows, columns, threads)


def measure_beside_c(rows: int, columns: int, seconds: float, rounds: int = 7) -> PlayoutFigures:
    """Measure one thread and the C program in turns; give the median of the ratios."""
    with Peer() as peer:
        count = max(BATCH, int(measure(rows, columns, 0.2, 1).playouts_per_s * seconds / rounds))
        figures = []
        ratios = []
        for seed in range(1, rounds + 1):
            loop = PlayoutLoop(rows, columns, seed)
            begin_s = time.monotonic()
            loop.play(count)
            took_s = time.monotonic() - begin_s
            ratios.append(peer.run(rows, columns, count, seed).seconds / took_s)
            figures.append((count / took_s, int(loop.totals[2]) / took_s))
    playouts, moves = (statistics.median(column) for column in zip(*figures, strict=True))
    return PlayoutFigures(playouts, moves, rows, columns, 1, statistics.median(ratios))


def _process_rate(rows: int, columns: int, seconds: float) -> float:
    return measure(rows, columns, seconds, 1).playouts_per_s


def measure_beside_processes(
    rows: int, columns: int, seconds: float, threads: int, rounds: int = 3
) -> PlayoutFigures:
    """Measure threads of one process against as many processes, in turns."""
    spawn = get_context("spawn")
    arguments = [[value] * threads for value in (rows, columns, seconds / rounds)]
    with ProcessPoolExecutor(threads, mp_context=spawn) as pool:
        list(pool.map(_process_rate, *[[v] * threads for v in (rows, columns, 0.1)]))
        figures = []
        ratios = []
        for _ in range(rounds):
            figures.append(measure(rows, columns, seconds / rounds, threads))
            together = sum(pool.map(_process_rate, *arguments))
            ratios.append(figures[-1].playouts_per_s / together)
    best = statistics.median_low([f.playouts_per_s for f in figures])
    chosen = next(f for f in figures if f.playouts_per_s == best)
    chosen.ratio_to_processes = statistics.median(ratios)
    return chosen
