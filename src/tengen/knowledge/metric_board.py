"""Evaluating positions and pieces of boards by paper 003, and its depth-one search as maps.

A *piece* is a part of a larger board (figure 1 of the paper): its edges are closed where the
board ends and open where it goes on. It is given as rows of colours, and need not be a legal
position by itself, since its liberties may lie behind an open edge.
"""

from collections.abc import Iterable
from enum import IntFlag
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.diagram import parse_diagram
from tengen.board.kernels.layout import POINTS, WALL
from tengen.board.points import MAX_SIZE, STRIDE, check_size, column_of, row_of
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.kernels import metric as kernels
from tengen.knowledge.kernels import metric_sets
from tengen.knowledge.metric import EVERY, Metric

Colours = npt.NDArray[np.uint8]
"""Rows by columns: 0 empty or neutral, 1 Black, 2 White."""
Map = npt.NDArray[np.float64]


class Edge(IntFlag):
    """The sides of a piece."""

    TOP = int(metric_sets.OPEN_TOP)
    BOTTOM = int(metric_sets.OPEN_BOTTOM)
    LEFT = int(metric_sets.OPEN_LEFT)
    RIGHT = int(metric_sets.OPEN_RIGHT)


CLOSED = Edge(0)
OPEN = Edge.TOP | Edge.BOTTOM | Edge.LEFT | Edge.RIGHT


class Evaluations(NamedTuple):
    """Every evaluation of a position, from Black's side."""

    e0: float
    e1: float
    e2: float
    ep: float
    """The sizes of groups to the power that was asked for."""
    ed4: float
    ed8: float


class Piece:
    """A piece of a board, or a whole one."""

    def __init__(self, colours: Colours, open_edges: Edge = CLOSED):
        """Take rows of colours; raise TengenError for a size outside 1x1 to 19x19."""
        self.colours = colours
        self.open_edges = open_edges
        check_size(*colours.shape)

    @classmethod
    def from_diagram(cls, text: str, open_edges: Edge = CLOSED) -> "Piece":
        """Read a diagram (see `tengen.board.diagram`)."""
        return cls(np.array(parse_diagram(text), dtype=np.uint8), open_edges)

    def abstract_colours(self) -> Colours:
        """Return the `abstractColor` of every point."""
        return _on_grid(self._coloured().abstract, self.colours.shape).astype(np.uint8)

    def groups(self) -> list[tuple[int, list[tuple[int, int]]]]:
        """Return (colour, points as (row, column)) of every group, Black's first."""
        scratch = self._coloured()
        rows = np.uintp(self.colours.shape[0])
        found = []
        for colour in (1, 2):
            members, starts, seen = scratch.sets[:3]
            count = metric_sets.find_sets(
                scratch.abstract, np.uintp(colour), rows, np.uintp(4), members, starts, seen
            )
            bounds = starts[: int(count) + 1].tolist()
            for begin, end in zip(bounds, bounds[1:], strict=False):
                points = members[begin:end].tolist()
                found.append((colour, [(row_of(point), column_of(point)) for point in points]))
        return found

    def evaluate(self, mix: Metric = EVERY) -> Evaluations:
        """Return the evaluations that have a weight, and E0 and E1 in any case; others are 0.

        Raise TengenError if the mix wants unconditional life: a piece has no legal position.
        """
        if mix.life:
            raise TengenError("unconditional life needs a whole board: use a position")
        values = np.zeros(kernels.MEASURES)
        rows, columns = (np.uintp(number) for number in self.colours.shape)
        kernels.measure(rows, columns, mix.vector(), self._coloured(), values)
        return Evaluations(*values.tolist())

    def _coloured(self) -> kernels.Scratch:
        scratch = kernels.new_scratch()
        rows, columns = (np.uintp(number) for number in self.colours.shape)
        padded = np.full(int(POINTS), int(WALL), dtype=np.uint32)
        _on_grid(padded, self.colours.shape)[:] = self.colours
        kernels.colour_field(padded, rows, columns, np.uintp(self.open_edges), scratch)
        return scratch


def evaluate(position: Position, mix: Metric = EVERY) -> Evaluations:
    """Return the evaluations of a position that have a weight, and E0 and E1 in any case."""
    values = np.zeros(kernels.MEASURES)
    kernels.evaluate_board(position.block, mix.vector(), kernels.new_scratch(), values)
    return Evaluations(*values.tolist())


def abstract_colours(position: Position, life: bool = False) -> Colours:
    """Return the `abstractColor` of every point, with unconditional life or without."""
    scratch = kernels.new_scratch()
    kernels.colour_board(position.block, life, scratch)
    return position.on_grid(scratch.abstract).astype(np.uint8)


class Changes(NamedTuple):
    """What each legal move changes, from Black's side; NaN where there is no legal move."""

    e0: Map
    e1: Map
    e2: Map
    ep: Map
    ed4: Map
    ed8: Map
    mix: Map


def changes(position: Position, mix: Metric = EVERY) -> Changes:
    """Return the paper's depth-one search as maps of the board, for the side to move.

    Evaluations without a weight do not change.
    """
    table = np.empty((int(POINTS), kernels.MEASURES + 1))
    kernels.depth_one(position.block, mix.vector(), kernels.new_scratch(), table)
    _strike(table, set(position.points()) - set(position.legal_moves()))
    return Changes(*(position.on_grid(table[:, column]) for column in range(table.shape[1])))


def _strike(table: Map, points: Iterable[int]) -> None:
    """Clear the rows of points that superko forbids; the kernel knows only suicide and ko."""
    table[list(points)] = np.nan


def _on_grid(field: npt.NDArray[np.uint32], shape: tuple[int, ...]) -> npt.NDArray[np.uint32]:
    """Return the part of a padded field that is the board, as rows by columns."""
    padded = field[: (MAX_SIZE + 2) * STRIDE].reshape(MAX_SIZE + 2, STRIDE)
    return padded[1 : shape[0] + 1, 1 : shape[1] + 1]
