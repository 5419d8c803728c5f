"""The kernels as an object: a table, a position, and searches of it."""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from tengen.board.colour import WHITE
from tengen.board.kernels import layout
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.solver.boards import board_of, boards_so_far, check_rules, move_from_kernel
from tengen.solver.geometry import Geometry, Numbers, Words
from tengen.solver.kernels import memory
from tengen.solver.kernels.alphabeta import begin, frame_of, search
from tengen.solver.kernels.evaluation import evaluate
from tengen.solver.settings import SolverSettings

BATCH_NODES = 200_000
"""Nodes between two looks at the world outside."""
LONGEST_GAME = memory.PLY_LIMIT // 2


class Horizon(IntEnum):
    """What a position at the end of the depth counts; the numbers are those of the kernels."""

    EVALUATE = memory.EVALUATE
    BLACK_PROVES = memory.BLACK_PROVES
    WHITE_PROVES = memory.WHITE_PROVES


class Outcome(NamedTuple):
    """What a search found, from Black's side. Outside the window a value is only a bound."""

    value: int
    move: int
    is_low_proved: bool
    is_up_proved: bool


class Searcher:
    """Searches positions of one board size; what is proved stays in its table."""

    def __init__(self, rows: int, columns: int, settings: SolverSettings):
        self.geometry = Geometry(rows, columns)
        self.settings = settings
        self.words: Words = np.zeros(memory.WORDS, dtype=np.uint64)
        self.numbers: Numbers = np.zeros(memory.NUMBERS, dtype=np.int64)
        self.entries: Words = np.zeros(int(memory.ENTRY_WORDS) << settings.table_bits, np.uint64)
        self.geometry.write_to(self.words, self.numbers)
        self.limit = self.geometry.points**settings.power
        self.numbers[memory.POWER] = settings.power
        self.numbers[memory.TABLE_BITS] = settings.table_bits
        self.numbers[memory.FLAGS] = settings.flags
        self.numbers[memory.LIMIT] = self.limit
        self.set_position(Position(rows, columns))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.geometry.rows, self.geometry.columns

    @property
    def nodes(self) -> int:
        """How many nodes were searched so far."""
        return int(self.numbers[memory.NODES])

    def set_position(self, position: Position) -> None:
        """Take a position with its history; raise TengenError if the solver cannot."""
        check_rules(position)
        if (position.rows, position.columns) != self.shape:
            raise TengenError("the position has another size than the solver's board")
        if len(position.moves) >= LONGEST_GAME:
            raise TengenError(f"the game is longer than {LONGEST_GAME} moves")
        self.position = position.copy()
        self._write_history(list(boards_so_far(position)))

    def _write_history(self, boards: list[int]) -> None:
        """Write the game's boards, and when stones were last taken off."""
        root = len(boards) - 1
        lost = [0, 0]
        for ply, board in enumerate(boards):
            start = int(memory.PATH) + ply * memory.SYMMETRIES
            images = self.geometry.all_symmetries(board)
            self.words[start : start + len(images)] = images
            for side in (0, 1):
                half = memory.HALF_BITS * side
                before = boards[max(ply - 1, 0)]
                if before >> half & ~(board >> half) & int(memory.LOW_HALF):
                    lost[side] = ply
        self.numbers[memory.ROOT] = root
        frame = int(frame_of(root))
        self.numbers[frame + int(memory.CAPTURED)] = max(lost)
        self.numbers[frame + int(memory.LOST) : frame + int(memory.LOST) + 2] = lost

    def run(
        self,
        window: tuple[int, int],
        depth: int,
        horizon: Horizon,
        look_up: Callable[[], None] = lambda: None,
    ) -> Outcome:
        """Search the position within a window of Black's values, to a depth.

        `look_up` is called now and then; what it raises ends the search and spoils nothing.
        """
        self._age_history()
        is_white = self.position.to_play == WHITE
        low, high = window
        if is_white:
            low, high = -high, -low
        self.numbers[memory.HORIZON] = horizon
        passes = min(int(self.position.block[layout.PASSES]), 2)
        begin(self.numbers, low, high, depth, int(is_white), passes)
        while self.numbers[memory.STATUS] == memory.RUNNING:
            search(self.words, self.numbers, self.entries, BATCH_NODES)
            look_up()
        return self._outcome(window, is_white)

    def _outcome(self, window: tuple[int, int], is_white: bool) -> Outcome:
        """Read the registers; a bound on the side where the value left the window is none."""
        value = int(self.numbers[memory.VALUE])
        low = bool(self.numbers[memory.LOW + memory.IS_PROVED])
        up = bool(self.numbers[memory.UP + memory.IS_PROVED])
        move = move_from_kernel(self.position, max(int(self.numbers[memory.ROOT_MOVE]), 0))
        if is_white:
            value, low, up = -value, up, low
        return Outcome(value, move, low and value > window[0], up and value < window[1])

    def _age_history(self) -> None:
        """Let what the history heuristic learned count less than what it learns."""
        start = int(memory.HISTORY)
        self.numbers[start : start + 64] >>= 2

    def evaluate(self) -> int:
        """Return the evaluation of the board as it stands, from Black's side."""
        board = np.uint64(board_of(self.position))
        return int(evaluate(self.words, board, self.settings.power))
