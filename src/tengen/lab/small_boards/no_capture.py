"""Remarks 1 and 2: perfect play on a tiny board without the capture rule, by E0 or with E1.

Without captures a game is a walk through the 3^9 ways to fill a 3x3 board, few enough for plain
minimax with a memory. Its line, scaled, is laid on a large board as an opening.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tengen.knowledge.metric_board import Evaluations, Piece

Board = tuple[int, ...]
"""Colours row by row."""
PASS = -1
EMPTY, BLACK = 0, 1


class Line(NamedTuple):
    """Perfect play from the empty board."""

    value: float
    moves: list[int]
    """Places on the board row by row, PASS among them."""


class NoCapture:
    """Solves a small square board where stones are never taken off."""

    def __init__(self, size: int, value: Callable[[Evaluations], float]):
        """Take what is to be made great by Black and small by White at the end of the game."""
        self._size = size
        self._value = value
        self._values: dict[Board, float] = {}
        self._solved: dict[tuple[Board, int, bool], tuple[float, int]] = {}
        middle = (size - 1) / 2
        self._order = sorted(
            range(size * size),
            key=lambda place: (place // size - middle) ** 2 + (place % size - middle) ** 2,
        )

    def line(self) -> Line:
        """Return the first best line, the centre tried first and a pass last."""
        board: Board = (EMPTY,) * self._size**2
        colour, passed = BLACK, False
        value, _ = self._solve(board, colour, passed)
        moves = []
        while EMPTY in board:
            _, move = self._solve(board, colour, passed)
            moves.append(move)
            if move == PASS and passed:
                break
            board, passed = _after(board, move, colour), move == PASS
            colour = 3 - colour
        return Line(value, moves)

    def _solve(self, board: Board, colour: int, passed: bool) -> tuple[float, int]:
        """Return the value from Black's side and the first best move."""
        if EMPTY not in board:
            return self._value_of(board), PASS
        key = board, colour, passed
        if key not in self._solved:
            self._solved[key] = self._look(board, colour, passed)
        return self._solved[key]

    def _look(self, board: Board, colour: int, passed: bool) -> tuple[float, int]:
        sign = 1 if colour == BLACK else -1
        found = []
        for move in [*(place for place in self._order if not board[place]), PASS]:
            if move == PASS and passed:
                value = self._value_of(board)
            else:
                value, _ = self._solve(_after(board, move, colour), 3 - colour, move == PASS)
            found.append((value, move))
        return max(found, key=lambda one: sign * one[0])

    def _value_of(self, board: Board) -> float:
        if board not in self._values:
            grid = np.array(board, dtype=np.uint8).reshape(self._size, self._size)
            self._values[board] = self._value(Piece(grid).evaluate())
        return self._values[board]


def _after(board: Board, move: int, colour: int) -> Board:
    return board if move == PASS else (*board[:move], colour, *board[move + 1 :])


def scaled(place: int, size: int, large: int) -> tuple[int, int]:
    """Return the row and column on a large board of a place on a small one.

    The outer lines of a small board become the fourth of a large one, so that those of a 3x3
    board become the star points of 19x19.
    """
    first = min(3, (large - 1) // 3)
    step = (large - 1 - 2 * first) / (size - 1)
    return round(first + step * (place // size)), round(first + step * (place % size))
