"""What a potential filter costs: a stone put or taken, and the ranking of all legal moves."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.bench.figures import Figures
from tengen.bench.kernels import potential as loops
from tengen.board.colour import BLACK, WHITE
from tengen.board.kernels.block import new_block
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.kernels.potential import MEMORY_CELLS
from tengen.knowledge.potential import Potential

SEED = 2026
GAME_SHARE = 0.8
"""A game of so many moves a point: opening, middle game, captures."""


@dataclass
class PotentialFigures(Figures):
    """One measurement over random games, playing the moves aside."""

    filter: str = "pf9"
    stones: int = 0
    """Put or taken in the game."""
    stone_us: float = 0.0
    """To bring the potential up to date by one stone."""
    ranking_us: float = 0.0
    """To do that and rank the legal moves by slope, a move."""
    recomputed_us: float = 0.0
    """To compute the potential of the board from nothing, a move."""

    @property
    def rate(self) -> float:
        """Stones a second."""
        return 1e6 / self.stone_us


def measure(rows: int, columns: int, seconds: float) -> PotentialFigures:
    """Measure the processor time of each part, in turns, and take the quickest game of each."""
    moves, stones = _game(rows, columns)
    if not stones:
        raise TengenError("there is no move on a board of one point: use a larger --size")
    parts = (loops.ONLY_PLAY, loops.UPDATE, loops.RANK, loops.RECOMPUTE)
    best_us = dict.fromkeys(parts, float("inf"))
    run = _runner(rows, columns, moves)
    for part in parts:
        run(part)
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s or best_us[loops.RECOMPUTE] == float("inf"):
        for part in parts:
            begin_s = time.thread_time()
            run(part)
            best_us[part] = min(best_us[part], 1e6 * (time.thread_time() - begin_s))
    played = best_us[loops.ONLY_PLAY]
    return PotentialFigures(
        rows,
        columns,
        threads=1,
        stones=stones,
        stone_us=(best_us[loops.UPDATE] - played) / stones,
        ranking_us=(best_us[loops.RANK] - played) / len(moves),
        recomputed_us=(best_us[loops.RECOMPUTE] - played) / len(moves),
    )


def _runner(rows: int, columns: int, moves: npt.NDArray[np.uint32]) -> Callable[[np.uintp], object]:
    """Return a function that plays the game once with the work of a part."""
    numbers = np.array([1.0, *Potential(filter="pf9").numbers()])
    memory = np.zeros(MEMORY_CELLS)
    start, block = new_block(rows, columns), new_block(rows, columns)
    return lambda part: loops.replay_with(start, block, moves, numbers, memory, part)


def _game(rows: int, columns: int) -> tuple[npt.NDArray[np.uint32], int]:
    """Return a random game and how many stones were put or taken in it."""
    chooser, position = random.Random(SEED), Position(rows, columns)
    for _ in range(int(GAME_SHARE * rows * columns)):
        legal = position.legal_moves()
        position.play(chooser.choice(legal) if legal else PASS)
    moves = [move.move for move in position.moves]
    taken = position.prisoners(BLACK) + position.prisoners(WHITE)
    put = sum(move != PASS for move in moves)
    return np.array(moves, dtype=np.uint32), put + taken
