"""Light playouts per second: one by one, compared with C, and batched."""

import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tengen.bench.measurement import Measurement, size_text
from tengen.board.kernels.block import new_block
from tengen.playout.kernels.batched import (
    MAX_COLUMNS,
    START_CELLS,
    BatchTerms,
    new_board_batch,
    run_batched_playouts,
    write_start,
)
from tengen.playout.kernels.light import run_light_playouts
from tengen.util import TengenError

BATCH = 200
"""Playouts per kernel call, enough to make the cost of the call negligible."""
ROUNDS = 7
COMPILER_OPTIONS = ["-O3", "-march=native"]


@dataclass
class PlayoutMeasurement(Measurement):
    """Speed of light playouts from the empty board."""

    playouts_per_s: float = 0.0
    playouts_per_cpu_s: float = 0.0
    moves_per_s: float = 0.0

    @property
    def rate(self) -> float:
        """Playouts per second."""
        return self.playouts_per_s


class PlayoutLoop:
    """Playouts from the empty board on one thread."""

    def __init__(self, rows: int, columns: int, seed: int):
        self._start = new_block(rows, columns)
        self._scratch = self._start.copy()
        self._random = np.array([seed], dtype=np.uint64)
        self.totals = np.zeros(3, dtype=np.int64)
        """Black's wins, area balance, moves."""
        self.playouts = 0

    def play(self, count: int) -> None:
        """Play `count` playouts."""
        run_light_playouts(self._start, self._scratch, self._random, np.uintp(count), self.totals)
        self.playouts += count

    def play_for(self, seconds: float) -> None:
        """Play for a time."""
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            self.play(BATCH)


def measure(rows: int, columns: int, seconds: float, threads: int) -> PlayoutMeasurement:
    """Measure playouts on threads of this process, without compilation."""
    PlayoutLoop(rows, columns, 1).play(1)
    loops = [PlayoutLoop(rows, columns, seed + 1) for seed in range(threads)]
    workers = [threading.Thread(target=loop.play_for, args=(seconds,)) for loop in loops]
    start_s, start_cpu_s = time.monotonic(), time.process_time()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    elapsed_s, cpu_s = time.monotonic() - start_s, time.process_time() - start_cpu_s
    playouts = sum(loop.playouts for loop in loops)
    moves = sum(int(loop.totals[2]) for loop in loops)
    return PlayoutMeasurement(
        rows,
        columns,
        threads,
        playouts_per_s=playouts / elapsed_s,
        playouts_per_cpu_s=playouts / cpu_s,
        moves_per_s=moves / elapsed_s,
    )


# Comparison with C


class CRun(NamedTuple):
    """Results and CPU time of a run of the C program."""

    black_wins: int
    area: int
    moves: int
    cpu_s: float


class CPlayouts:
    """The same light playouts in C, compiled to a temporary folder; a context manager."""

    def __init__(self) -> None:
        """Compile the program; raise TengenError if that fails."""
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            raise TengenError("the comparison with C needs gcc: install it or omit --peer")
        self._folder = tempfile.TemporaryDirectory(prefix="tengen-bench-")
        self._program = Path(self._folder.name) / "light_playout"
        source = resources.files("tengen.bench") / "light_playout.c"
        try:
            with resources.as_file(source) as path:
                command = [compiler, *COMPILER_OPTIONS, "-o", str(self._program), str(path)]
                subprocess.run(command, check=True)
        except subprocess.CalledProcessError:
            self._folder.cleanup()
            raise TengenError(f"{compiler} failed to compile the C playouts: omit --peer") from None

    def run(self, rows: int, columns: int, count: int, seed: int) -> CRun:
        """Play `count` playouts from the empty board."""
        command = [str(self._program), str(rows), str(columns), str(count), str(seed), "1"]
        fields = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return CRun(int(fields[0]), int(fields[1]), int(fields[2]), float(fields[3]))

    def __enter__(self) -> "CPlayouts":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def compare_with_c(rows: int, columns: int, seconds: float) -> PlayoutMeasurement:
    """Measure one thread and the C program alternately; return medians over the rounds.

    The ratio is that of the CPU times.
    """
    with CPlayouts() as program:
        rate = measure(rows, columns, 0.2, 1).playouts_per_cpu_s
        count = max(BATCH, int(rate * seconds / ROUNDS))
        rates, ratios = [], []
        for seed in range(1, ROUNDS + 1):
            loop = PlayoutLoop(rows, columns, seed)
            start_s, start_cpu_s = time.monotonic(), time.thread_time()
            loop.play(count)
            elapsed_s, cpu_s = time.monotonic() - start_s, time.thread_time() - start_cpu_s
            ratios.append(program.run(rows, columns, count, seed).cpu_s / cpu_s)
            rates.append((count / elapsed_s, count / cpu_s, int(loop.totals[2]) / elapsed_s))
    medians = [statistics.median(column) for column in zip(*rates, strict=True)]
    ratio = statistics.median(ratios)
    return PlayoutMeasurement(rows, columns, 1, ratio, None, *medians)


# Batched playouts


class BatchedPlayoutLoop:
    """Batched playouts from the empty board on one thread."""

    def __init__(self, rows: int, columns: int, seed: int):
        """Allocate the boards; raise TengenError if the board is too wide."""
        if columns > MAX_COLUMNS:
            raise TengenError(f"batched playouts support at most {MAX_COLUMNS} columns")
        self._boards = new_board_batch(seed)
        self._terms = BatchTerms(rows, columns, True)
        self._starts = np.zeros(START_CELLS, dtype=np.uint16)
        write_start(new_block(rows, columns), self._starts, np.uintp(0))
        self.totals = np.zeros((1, 3), dtype=np.int64)
        """Black's wins, area balance, moves."""

    def play(self, count: int) -> None:
        """Play `count` playouts."""
        wanted = np.array([count], dtype=np.int64)
        run_batched_playouts(self._boards, self._starts, wanted, self._terms, self.totals)


def compare_with_single(rows: int, columns: int, seconds: float) -> dict[str, object]:
    """Measure batched and single playouts alternately on one thread; return medians in CPU time."""
    batched, single = BatchedPlayoutLoop(rows, columns, 1), PlayoutLoop(rows, columns, 1)
    batched.play(1)
    count = max(100, int(measure(rows, columns, 0.2, 1).playouts_per_s * seconds / ROUNDS / 2))
    rates = [
        (3 * count / _cpu_s(batched, 3 * count), count / _cpu_s(single, count))
        for _ in range(ROUNDS)
    ]
    return {
        "size": size_text(rows, columns),
        "playouts_per_cpu_s": statistics.median(rate for rate, _ in rates),
        "single_playouts_per_cpu_s": statistics.median(rate for _, rate in rates),
        "ratio_to_single": statistics.median(rate / other for rate, other in rates),
    }


def _cpu_s(loop: PlayoutLoop | BatchedPlayoutLoop, count: int) -> float:
    """Return the CPU time of `count` playouts."""
    start_s = time.thread_time()
    loop.play(count)
    return time.thread_time() - start_s
