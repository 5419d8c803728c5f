"""How many light playouts a second."""

import statistics
import threading
import time
from dataclasses import dataclass

import numpy as np

from tengen.bench.figures import Figures
from tengen.bench.peer import Peer
from tengen.board.kernels.block import new_block
from tengen.playout.kernels.light import run_light_playouts

BATCH = 200
"""Playouts in one call of the kernel: long enough that the call costs nothing."""


@dataclass
class PlayoutFigures(Figures):
    """One measurement of light playouts from the empty board."""

    playouts_per_s: float = 0.0
    moves_per_s: float = 0.0

    @property
    def rate(self) -> float:
        """Playouts a second."""
        return self.playouts_per_s


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
    return PlayoutFigures(
        rows,
        columns,
        threads,
        playouts_per_s=playouts / took_s,
        moves_per_s=moves / took_s,
    )


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
    ratio = statistics.median(ratios)
    return PlayoutFigures(
        rows, columns, 1, ratio_to_c=ratio, playouts_per_s=playouts, moves_per_s=moves
    )
