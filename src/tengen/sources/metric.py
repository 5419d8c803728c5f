"""The metric evaluations of paper 003: their weights, evaluation of positions, and the source."""

from dataclasses import astuple, dataclass, fields
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.board.kernels.layout import POINTS
from tengen.sources.kernels import metric as kernels
from tengen.sources.registry import SourceCode
from tengen.util import check, parameter

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


class BoardEvaluations(NamedTuple):
    """All evaluations of a position, from Black's point of view."""

    e0: float
    e1: float
    e2: float
    ep: float
    """Sizes of groups to the configured power."""
    ed4: float
    ed8: float


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
