"""The metric evaluations of paper 003: their weights, evaluation of positions, and the source.

Besides whole positions, *board sections* can be evaluated (figure 1 of the paper): parts of a
larger board whose edges are closed where the board ends and open where it continues. A section is
given as rows of colors and need not be a legal position, since its liberties may lie beyond an open
edge.
"""

from dataclasses import astuple, dataclass, fields
from enum import IntFlag
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import MAX_SIZE, STRIDE, Position, check_size, column_of, parse_diagram, row_of
from tengen.board.kernels.layout import POINTS, WALL
from tengen.sources.kernels import metric as kernels, metric_sets
from tengen.sources.registry import SourceCode
from tengen.util import TengenError, check, parameter

ORIGIN = "paper 003, tables 9 to 11"

Colors = npt.NDArray[np.uint8]
"""Rows by columns: 0 empty or neutral, 1 Black, 2 White."""
Map = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """Weights of E0, E1, E2, Ep, Ed4 and Ed8 (formula 17), in the order of the kernels."""

    meaning: ClassVar[str] = "share of moves with a smaller gain of the metric evaluation"

    a0: float = parameter(0.0, "weight of E0, the number of groups")
    a1: float = parameter(8.0, "weight of E1, the area", origin=ORIGIN)
    a2: float = parameter(1.0, "weight of E2, the squared sizes of groups", origin=ORIGIN)
    ap: float = parameter(0.0, "weight of Ep, the sizes of groups to the power `power`")
    b4: float = parameter(64.0, "weight of Ed4, distances over 4 neighbors", origin=ORIGIN)
    b8: float = parameter(32.0, "weight of Ed8, distances over 8 neighbors", origin=ORIGIN)
    power: float = parameter(3.0, "power of Ep", low=0, high=16)
    infinity: float = parameter(512.0, "value of an infinite distance", low=0, origin=ORIGIN)
    life: bool = parameter(False, "color points by Benson's unconditional life")

    def __post_init__(self) -> None:
        check(self)

    def vector(self) -> npt.NDArray[np.float64]:
        """Return the weights as the kernels read them."""
        return np.array(astuple(self), dtype=np.float64)

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        numbers = tuple(float(value) for value in astuple(self))
        return SourceCode(kernels.add_metric, numbers, memory_cells=kernels.SOURCE_CELLS)

    @classmethod
    def only(cls, **weights: float) -> "Metric":
        """Return these weights with all others 0: `Metric.only(a1=1)` is E1."""
        none = {field.name: 0.0 for field in fields(cls)[: kernels.MEASURES]}
        return cls(**{**none, **weights})  # type: ignore[arg-type]


ALL_EVALUATIONS = Metric(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
"""Weight 1 for every evaluation, so that all are computed."""


class Edge(IntFlag):
    """The sides of a board section."""

    TOP = int(metric_sets.OPEN_TOP)
    BOTTOM = int(metric_sets.OPEN_BOTTOM)
    LEFT = int(metric_sets.OPEN_LEFT)
    RIGHT = int(metric_sets.OPEN_RIGHT)


CLOSED = Edge(0)
OPEN = Edge.TOP | Edge.BOTTOM | Edge.LEFT | Edge.RIGHT


class BoardEvaluations(NamedTuple):
    """All evaluations of a position, from Black's point of view."""

    e0: float
    e1: float
    e2: float
    ep: float
    """Sizes of groups to the configured power."""
    ed4: float
    ed8: float


class BoardSection:
    """A section of a board, or a whole board."""

    def __init__(self, colors: Colors, open_edges: Edge = CLOSED):
        """Take rows of colors; raise TengenError for a size outside 1x1 to 19x19."""
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

        Raise TengenError if the weights ask for unconditional life, which needs a legal position.
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


def evaluate(position: Position, mix: Metric = ALL_EVALUATIONS) -> BoardEvaluations:
    """Return the evaluations of a position; apart from E0 and E1, those without a weight are 0."""
    values = np.zeros(kernels.MEASURES)
    kernels.evaluate_board(position.block, mix.vector(), kernels.new_scratch(), values)
    return BoardEvaluations(*values.tolist())


def abstract_colors(position: Position, life: bool = False) -> Colors:
    """Return the `abstractColor` of every point, with or without unconditional life."""
    scratch = kernels.new_scratch()
    kernels.color_board(position.block, life, scratch)
    return position.on_grid(scratch.abstract).astype(np.uint8)


class Changes(NamedTuple):
    """Changes of the evaluations by each move, from Black's point of view; NaN if illegal."""

    e0: Map
    e1: Map
    e2: Map
    ep: Map
    ed4: Map
    ed8: Map
    mix: Map


def changes(position: Position, mix: Metric = ALL_EVALUATIONS) -> Changes:
    """Return the changes by each legal move of the side to move (depth-one search).

    Evaluations without a weight do not change.
    """
    table = np.empty((int(POINTS), kernels.MEASURES + 1))
    kernels.depth_one(position.block, mix.vector(), kernels.new_scratch(), table)
    # The kernel checks suicide and simple ko, not superko.
    illegal = set(position.points()) - set(position.legal_moves())
    table[list(illegal)] = np.nan
    return Changes(*(position.on_grid(table[:, column]) for column in range(table.shape[1])))


def _on_grid(field: npt.NDArray[np.uint32], shape: tuple[int, ...]) -> npt.NDArray[np.uint32]:
    """Return the board part of a padded field, rows by columns."""
    padded = field[: (MAX_SIZE + 2) * STRIDE].reshape(MAX_SIZE + 2, STRIDE)
    return padded[1 : shape[0] + 1, 1 : shape[1] + 1]
