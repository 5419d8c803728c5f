"""Optimal play on a tiny board without captures (paper 003, remarks 1 and 2).

Without captures a 3x3 board has 3^9 states, few enough for plain minimax with memory. Its line is
scaled to a large board as an opening.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tengen.sources import BoardEvaluations, BoardSection

Board = tuple[int, ...]
"""Colors row by row."""
NO_MOVE = -1
EMPTY, BLACK = 0, 1


class OptimalLine(NamedTuple):
    """Optimal play from the empty board."""

    value: float
    moves: list[int]
    """Point indices row by row, or NO_MOVE."""


class NoCapture:
    """Solves a small square board on which stones are never captured."""

    def __init__(self, size: int, value: Callable[[BoardEvaluations], float]):
        """`value` is maximized by Black and minimized by White at the end of the game."""
        self._size = size
        self._value = value
        self._values: dict[Board, float] = {}
        self._solved: dict[tuple[Board, int, bool], tuple[float, int]] = {}
        middle = (size - 1) / 2
        self._order = sorted(
            range(size * size),
            key=lambda place: (place // size - middle) ** 2 + (place % size - middle) ** 2,
        )

    def line(self) -> OptimalLine:
        """Return the first optimal line, trying the center first and a pass last."""
        board: Board = (EMPTY,) * self._size**2
        color, passed = BLACK, False
        value, _ = self._solve(board, color, passed)
        moves = []
        while EMPTY in board:
            _, move = self._solve(board, color, passed)
            moves.append(move)
            if move == NO_MOVE and passed:
                break
            board, passed = _after(board, move, color), move == NO_MOVE
            color = 3 - color
        return OptimalLine(value, moves)

    def _solve(self, board: Board, color: int, passed: bool) -> tuple[float, int]:
        """Return the value for Black and the first best move."""
        if EMPTY not in board:
            return self._value_of(board), NO_MOVE
        key = board, color, passed
        if key not in self._solved:
            self._solved[key] = self._look(board, color, passed)
        return self._solved[key]

    def _look(self, board: Board, color: int, passed: bool) -> tuple[float, int]:
        sign = 1 if color == BLACK else -1
        found = []
        for move in [*(place for place in self._order if not board[place]), NO_MOVE]:
            if move == NO_MOVE and passed:
                value = self._value_of(board)
            else:
                value, _ = self._solve(_after(board, move, color), 3 - color, move == NO_MOVE)
            found.append((value, move))
        return max(found, key=lambda one: sign * one[0])

    def _value_of(self, board: Board) -> float:
        if board not in self._values:
            grid = np.array(board, dtype=np.uint8).reshape(self._size, self._size)
            self._values[board] = self._value(BoardSection(grid).evaluate())
        return self._values[board]


def _after(board: Board, move: int, color: int) -> Board:
    return board if move == NO_MOVE else (*board[:move], color, *board[move + 1 :])


def scaled(place: int, size: int, large: int) -> tuple[int, int]:
    """Return the row and column of a small-board point on a large board.

    The outer lines of a small board become fourth lines, so 3x3 maps to the star points of 19x19.
    """
    first = min(3, (large - 1) // 3)
    step = (large - 1 - 2 * first) / (size - 1)
    return round(first + step * (place // size)), round(first + step * (place % size))
