"""Alpha-beta searches of one board size, with their transposition table."""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from tengen.board import WHITE, Position
from tengen.board.kernels import layout
from tengen.solver.boards import Geometry, board_of, boards_so_far, check_rules, move_from_kernel
from tengen.solver.kernels import memory
from tengen.solver.kernels.alphabeta import begin, search
from tengen.solver.kernels.evaluation import evaluate
from tengen.solver.settings import REPETITIONS, SolverSettings
from tengen.util import TengenError

BATCH_NODES = 200_000
"""Nodes between two calls of `poll`."""
LONGEST_GAME = memory.PLY_LIMIT // 2


class Horizon(IntEnum):
    """Value of a node at the horizon; the numbers are those of the kernels."""

    EVALUATE = memory.EVALUATE
    BLACK_PROVES = memory.BLACK_PROVES
    WHITE_PROVES = memory.WHITE_PROVES


class SearchOutcome(NamedTuple):
    """Result of a search from Black's point of view; outside the window a value is a bound."""

    value: int
    move: int
    is_low_proved: bool
    is_up_proved: bool


class AlphaBetaSearcher:
    """Searches positions of one board size; proved bounds stay in its table."""

    def __init__(self, rows: int, columns: int, settings: SolverSettings):
        self.geometry = Geometry(rows, columns)
        self.settings = settings
        self.state = memory.new_state(settings.table_bits)
        self.geometry.write_to(self.state.geometry[0])
        self.limit = self.geometry.points**settings.power
        self._control = self.state.control[0]
        self._control["power"] = settings.power
        self._control["limit"] = self.limit
        self._control["repetition"] = REPETITIONS.index(settings.repetition)
        for name in ("table", "history", "null_move", "life", "symmetry"):
            self._control[f"use_{name}"] = getattr(settings, name)
        self.set_position(Position(rows, columns))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.geometry.rows, self.geometry.columns

    @property
    def nodes(self) -> int:
        """Number of nodes searched so far."""
        return int(self._control["nodes"])

    def set_position(self, position: Position) -> None:
        """Set the root position with its history; raise TengenError if it is not supported."""
        check_rules(position)
        if (position.rows, position.columns) != self.shape:
            raise TengenError(
                f"the position is {position.columns}x{position.rows}, "
                f"the solver was created for {self.shape[1]}x{self.shape[0]}"
            )
        if len(position.moves) >= LONGEST_GAME:
            raise TengenError(f"the game has more than {LONGEST_GAME} moves")
        self.position = position.copy()
        self._write_history(list(boards_so_far(position)))

    def _write_history(self, boards: list[int]) -> None:
        """Write the boards of the game and the plies of the last captures."""
        root = len(boards) - 1
        lost = [0, 0]
        for ply, board in enumerate(boards):
            images = self.geometry.all_symmetries(board)
            self.state.path[ply, : len(images)] = images
            before = boards[max(ply - 1, 0)]
            for side in (0, 1):
                half = memory.HALF_BITS * side
                if before >> half & ~(board >> half) & int(memory.LOW_HALF):
                    lost[side] = ply
        for ply, move in enumerate(self.position.moves):
            self.state.frames[ply]["side"] = move.color == WHITE
        self._control["root"] = root
        frame = self.state.frames[root]
        frame["captured"] = max(lost)
        frame["lost"] = lost

    def run(
        self,
        window: tuple[int, int],
        depth: int,
        horizon: Horizon,
        poll: Callable[[], None] = lambda: None,
    ) -> SearchOutcome:
        """Search the position within a window of values for Black, to a depth.

        `poll` is called regularly; an exception it raises ends the search and damages nothing.
        """
        self._control["history"] >>= 2  # recent cutoffs count more
        is_white = self.position.to_play == WHITE
        low, high = window
        if is_white:
            low, high = -high, -low
        self._control["horizon"] = horizon
        passes = min(int(self.position.block[layout.PASSES]), 2)
        begin(self.state, low, high, depth, int(is_white), passes)
        while self._control["is_running"]:
            search(self.state, BATCH_NODES)
            poll()
        return self._outcome(window, is_white)

    def _outcome(self, window: tuple[int, int], is_white: bool) -> SearchOutcome:
        """Read the root frame; a bound beyond the window proves nothing."""
        frame = self.state.frames[int(self._control["root"])]
        value = int(frame["value"])
        low, up = bool(frame["low"]["is_proved"]), bool(frame["up"]["is_proved"])
        move = move_from_kernel(self.position, max(int(frame["best_move"]), 0))
        if is_white:
            value, low, up = -value, up, low
        return SearchOutcome(value, move, low and value > window[0], up and value < window[1])

    def evaluate(self) -> int:
        """Return the evaluation of the current board from Black's point of view."""
        board = np.uint64(board_of(self.position))
        return int(evaluate(self.state.geometry[0], board, self.settings.power))
