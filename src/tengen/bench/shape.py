"""What it costs to ask the pattern tables: one pattern, and all legal moves of a position."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tengen.bench.figures import Figures
from tengen.bench.kernels.shape import odds_of_boards, rates_of_keys
from tengen.board.kernels.layout import POINTS
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.kernels.shape_keys import RING_CELLS, RINGS, point_keys
from tengen.knowledge.kernels.shape_tables import MARKS
from tengen.knowledge.shape import Shape

SEED = 2026
GAME_SHARE = 0.8
"""A game of so many moves a point: opening, middle game, captures."""
EVERY = 8
"""Boards of the game that are asked about: one in so many."""


@dataclass
class ShapeFigures(Figures):
    """One measurement over the boards of a random game."""

    sizes: int = 0
    """Pattern sizes in the tables."""
    legal_moves: float = 0.0
    """Of a board, on average."""
    rate_ns: float = 0.0
    """To look up the rate of one pattern of one size by its key."""
    board_us: float = 0.0
    """To rate all legal moves of a board by all sizes, keys and probabilities included."""

    @property
    def rate(self) -> float:
        """Boards a second."""
        return 1e6 / self.board_us


def measure(rows: int, columns: int, seconds: float) -> ShapeFigures:
    """Measure the processor time of each part; the quickest of many runs counts."""
    boards = _boards(rows, columns)
    if not boards:
        raise TengenError("there is no move on a board of one point: use a larger --size")
    code = Shape().code()
    numbers, slots, memory = (
        np.array([0.0, *code.numbers]),
        code.tables,
        np.zeros(code.memory_cells),
    )
    blocks = np.stack([board.block for board in boards])
    keys = _keys(boards, int(numbers[MARKS]))
    odds = np.zeros(int(POINTS))
    sizes = len(Shape().rates(boards[0], boards[0].points()[0]))
    board_s = _quickest_s(lambda: odds_of_boards(blocks, numbers, slots, memory, odds), seconds / 2)
    rate_s = _quickest_s(lambda: rates_of_keys(keys, numbers, slots), seconds / 2)
    return ShapeFigures(
        rows,
        columns,
        threads=1,
        sizes=sizes,
        legal_moves=len(keys) / len(boards),
        rate_ns=1e9 * rate_s / (len(keys) * sizes),
        board_us=1e6 * board_s / len(boards),
    )


def _quickest_s(work: Callable[[], object], seconds: float) -> float:
    """Return the least processor time of a piece of work, repeated for a while."""
    work()
    best_s = float("inf")
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s or best_s == float("inf"):
        begin_s = time.thread_time()
        work()
        best_s = min(best_s, time.thread_time() - begin_s)
    return best_s


def _boards(rows: int, columns: int) -> list[Position]:
    """Return boards of a random game, from the empty one to its end."""
    chooser, position = random.Random(SEED), Position(rows, columns)
    boards = []
    for number in range(int(GAME_SHARE * rows * columns)):
        if number % EVERY == 0:
            boards.append(position.copy())
        legal = position.legal_moves()
        position.play(chooser.choice(legal) if legal else PASS)
    return boards


def _keys(boards: list[Position], marks: int) -> "np.ndarray[tuple[int, int], np.dtype[np.uint64]]":
    """Return the keys of the patterns around all legal moves of the boards."""
    rings = np.zeros(int(RING_CELLS), dtype=np.uint64)
    rows = []
    for board in boards:
        for point in board.legal_moves():
            keys = np.zeros(int(RINGS), dtype=np.uint64)
            point_keys(board.block, np.uintp(point), np.uintp(marks), rings, keys)
            rows.append(keys)
    return np.array(rows)
