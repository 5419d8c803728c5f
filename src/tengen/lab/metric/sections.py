"""Board sections, the positions of tables 1 to 6 of paper 003, and play without captures.

A *board section* is a part of a larger board whose edges are closed where the board ends and open
where it continues (figure 1 of the paper). It is given as rows of colors and need not be a legal
position, since its liberties may lie beyond an open edge.

The paper's figures are lost. The positions were found by search, so others may fit too. Infinity is
1024.

Without captures a 3x3 board has 3^9 states, few enough for plain minimax with memory. Its line is
scaled to a large board as an opening (remarks 1 and 2).
"""

from collections.abc import Callable
from enum import IntFlag
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import MAX_SIZE, STRIDE, check_size, column_of, parse_diagram, row_of
from tengen.board.kernels.layout import POINTS, WALL
from tengen.sources import ALL_EVALUATIONS, BoardEvaluations, Metric
from tengen.sources.kernels import metric as kernels, metric_sets
from tengen.util import TengenError

Colors = npt.NDArray[np.uint8]
"""Rows by columns: 0 empty or neutral, 1 Black, 2 White."""


class Edge(IntFlag):
    """The sides of a board section."""

    TOP = int(metric_sets.OPEN_TOP)
    BOTTOM = int(metric_sets.OPEN_BOTTOM)
    LEFT = int(metric_sets.OPEN_LEFT)
    RIGHT = int(metric_sets.OPEN_RIGHT)


CLOSED = Edge(0)
OPEN = Edge.TOP | Edge.BOTTOM | Edge.LEFT | Edge.RIGHT


class BoardSection:
    """A section of a board, or a whole board."""

    def __init__(self, colors: Colors, open_edges: Edge = CLOSED):
        """Create a section from rows of colors; raise TengenError unless it is 1x1 to 19x19."""
        self.colors = colors
        self.open_edges = open_edges
        check_size(*colors.shape)

    @classmethod
    def from_diagram(cls, text: str, open_edges: Edge = CLOSED) -> "BoardSection":
        """Parse a diagram (see `tengen.board.diagram`)."""
        return cls(np.array(parse_diagram(text), dtype=np.uint8), open_edges)

    def abstract_colors(self) -> Colors:
        """Return the `abstractColor` of every point."""
        return _on_grid(self._colored().abstract, self.colors.shape).astype(np.uint8)

    def groups(self) -> list[tuple[int, list[tuple[int, int]]]]:
        """Return (color, points as (row, column)) of every group, Black's first."""
        scratch = self._colored()
        rows = np.uintp(self.colors.shape[0])
        found = []
        for color in (1, 2):
            members, starts, seen = scratch.sets[:3]
            count = metric_sets.find_sets(
                scratch.abstract, np.uintp(color), rows, np.uintp(4), members, starts, seen
            )
            bounds = starts[: int(count) + 1].tolist()
            for begin, end in zip(bounds, bounds[1:], strict=False):
                points = members[begin:end].tolist()
                found.append((color, [(row_of(point), column_of(point)) for point in points]))
        return found

    def evaluate(self, mix: Metric = ALL_EVALUATIONS) -> BoardEvaluations:
        """Return the evaluations; apart from E0 and E1, those without a weight are 0.

        Raise TengenError if the weights require unconditional life, which needs a legal position.
        """
        if mix.life:
            raise TengenError("unconditional life needs a whole board, not a section")
        values = np.zeros(kernels.MEASURES)
        rows, columns = (np.uintp(number) for number in self.colors.shape)
        kernels.measure(rows, columns, mix.vector(), self._colored(), values)
        return BoardEvaluations(*values.tolist())

    def _colored(self) -> kernels.MetricScratch:
        scratch = kernels.new_scratch()
        rows, columns = (np.uintp(number) for number in self.colors.shape)
        padded = np.full(int(POINTS), int(WALL), dtype=np.uint32)
        _on_grid(padded, self.colors.shape)[:] = self.colors
        kernels.color_field(padded, rows, columns, np.uintp(self.open_edges), scratch)
        return scratch


def _on_grid(field: npt.NDArray[np.uint32], shape: tuple[int, ...]) -> npt.NDArray[np.uint32]:
    """Return the board part of a padded field, rows by columns."""
    padded = field[: (MAX_SIZE + 2) * STRIDE].reshape(MAX_SIZE + 2, STRIDE)
    return padded[1 : shape[0] + 1, 1 : shape[1] + 1]


INFINITY = 1024.0


class Printed(NamedTuple):
    """A position of a table with the printed values; None where nothing is printed."""

    table: int
    name: str
    diagram: str
    e0: float | None
    e1: float
    e2: float
    ed4: float
    ed8: float
    edges: Edge = OPEN

    @property
    def piece(self) -> BoardSection:
        """The position as a board section."""
        return BoardSection.from_diagram(self.diagram, self.edges)

    def differs(self, ours: BoardEvaluations) -> list[str]:
        """Return the names of the evaluations that differ from the printed values."""
        names = ("e0", "e1", "e2", "ed4", "ed8")
        printed = {name: getattr(self, name) for name in names}
        return [n for n, value in printed.items() if value not in (None, getattr(ours, n))]


MISPRINTED = {("j", "ed4")}
"""The paper prints -31640 instead of -31644; the other values of the position match."""

POSITIONS = (
    Printed(1, "v", "XXO/OXO/XOX", 0, 1, 5, 5120, 9216),
    Printed(1, "w", "XXO/XOX/OOO", 0, -1, -7, -7168, -9216),
    Printed(1, "x", "XXX/OOO/OOO", 0, -3, -27, -27648, -27648),
    Printed(1, "y", "XXX/XXX/OXO", -1, 5, 47, 48128, 48128),
    Printed(1, "z", "XXX/XXX/OOO", 0, 3, 27, 27648, 27648),
    Printed(2, "a", ".X./OXO/XOX", 0, 1, 3, 9208, 11260),
    Printed(2, "b", ".X./OXO/XOO", 0, -1, -5, -3076, -11260),
    Printed(2, "c", ".X./OXO/OOO", 0, -3, -21, -33780, -33780),
    Printed(2, "d", ".X./XXX/.X.", 1, 5, 25, 78784, 78784),
    Printed(2, "e", ".X./XXX/.O.", 0, 3, 15, 54224, 54224),
    Printed(3, "f", "X.O/.../O.X", 0, 0, 0, 0, 0),
    Printed(3, "g", ".../XXX/.X.", 1, 4, 16, 71612, 71612),
    Printed(3, "h", ".../XXO/.X.", 0, 2, 8, 38876, 38878),
    Printed(3, "i", ".X./XXO/.O.", -1, 1, 7, 11274, 23528),
    Printed(3, "j", ".X./OXO/.O.", -2, -1, 1, -31640, -13304),
    Printed(4, "2x2", "XX/O.", 0, 1, 3, 5118, 5118, CLOSED),
    Printed(4, "3x3", "X.X/XXX/XX.", 1, 9, 81, 82944, 82944, CLOSED),
    Printed(4, "4x4", ".OO./XOOX/XOOX/XXXX", 0, 2, 28, 36856, 36856, CLOSED),
    Printed(5, "A", ".OO./XXOX/XO.X/.OO.", 0, -1, -5, -72544, -21564),
    Printed(5, "B", ".OO./XXOX/XOXX/.OO.", 0, 0, 0, 0, 0),
    Printed(5, "C", ".OO./XXOX/XOOX/.OO.", 1, -2, -36, -81868, -81868),
    Printed(5, "D", ".OO./XXOX/XO.X/XOO.", 0, 0, 2, -51080, -70),
    Printed(6, "G", ".X../..O./..X./....", None, 1, 1, 29630, 29642),
    Printed(6, "H", ".X../.XO./..X./....", None, 2, 4, 57438, 57342),
    Printed(6, "I", ".X../.OO./..X./....", None, 0, -2, -100, -66),
    Printed(6, "J", ".X../OO../.X../....", None, 0, -2, -80, -30),
    Printed(6, "K", ".X../OOX./.X../....", None, 1, -1, 27718, 27684),
    Printed(6, "L", ".X../OOO./.X../....", None, -1, -7, -27810, -27732),
)


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
