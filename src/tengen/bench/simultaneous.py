"""How many light playouts a second on sixty-four boards at once, beside one after the other."""

import statistics
import time

import numpy as np

from tengen.bench.playouts import PlayoutLoop, measure
from tengen.board.kernels.block import new_block
from tengen.core.errors import TengenError
from tengen.playout.kernels.simultaneous import WIDEST, new_boards
from tengen.playout.kernels.simultaneous_games import (
    START_CELLS,
    Terms,
    run_simultaneous_playouts,
    write_start,
)

ROUNDS = 7


class SimultaneousLoop:
    """Playouts from the empty board, many at once."""

    def __init__(self, rows: int, columns: int, seed: int):
        """Prepare the boards; raise TengenError if they are too wide."""
        if columns > WIDEST:
            raise TengenError(f"boards that play at once have at most {WIDEST} columns")
        self._boards = new_boards(seed)
        self._terms = Terms(rows, columns, True)
        self._starts = np.zeros(START_CELLS, dtype=np.uint16)
        write_start(new_block(rows, columns), self._starts, np.uintp(0))
        self.totals = np.zeros((1, 3), dtype=np.int64)
        """Wins of Black, area balance, moves."""

    def play(self, count: int) -> None:
        """Play that many playouts."""
        wanted = np.array([count], dtype=np.int64)
        run_simultaneous_playouts(self._boards, self._starts, wanted, self._terms, self.totals)


def measure_beside_one(rows: int, columns: int, seconds: float) -> dict[str, object]:
    """Measure both kinds by turns on one thread; the ratio is the median of the rounds."""
    many, one = SimultaneousLoop(rows, columns, 1), PlayoutLoop(rows, columns, 1)
    many.play(1)
    count = max(100, int(measure(rows, columns, 0.2, 1).playouts_per_s * seconds / ROUNDS / 2))
    rates = [(_rate_of(many, 3 * count), _rate_of(one, count)) for _ in range(ROUNDS)]
    return {
        "size": rows if rows == columns else f"{columns}x{rows}",
        "playouts_per_s": statistics.median(rate for rate, _ in rates),
        "one_by_one_per_s": statistics.median(rate for _, rate in rates),
        "ratio_to_one_by_one": statistics.median(rate / other for rate, other in rates),
    }


def _rate_of(loop: PlayoutLoop | SimultaneousLoop, count: int) -> float:
    """Return how many playouts a second a loop plays."""
    begin_s = time.monotonic()
    loop.play(count)
    return count / (time.monotonic() - begin_s)
