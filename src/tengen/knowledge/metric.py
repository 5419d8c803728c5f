"""The mix of evaluations of paper 003 (formula 17): its weights, and the source made of them."""

from dataclasses import astuple, dataclass, fields
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tengen.core.parameters import check, parameter
from tengen.knowledge.compiled import SourceCode
from tengen.knowledge.kernels import metric as kernels

ORIGIN = "paper 003, tables 9 to 11"


@dataclass(frozen=True)
class Metric:
    """Weights of E0, E1, E2, a power of one's choice, Ed4 and Ed8. The order is the kernels'."""

    meaning: ClassVar[str] = "share of the moves that change the metric evaluation for the worse"

    a0: float = parameter(0.0, "weight of E0, the number of groups")
    a1: float = parameter(8.0, "weight of E1, the area", origin=ORIGIN)
    a2: float = parameter(1.0, "weight of E2, the squared sizes of groups", origin=ORIGIN)
    ap: float = parameter(0.0, "weight of the sizes of groups to the power `power`")
    b4: float = parameter(64.0, "weight of Ed4, distances by 4 neighbours", origin=ORIGIN)
    b8: float = parameter(32.0, "weight of Ed8, distances by 8 neighbours", origin=ORIGIN)
    power: float = parameter(3.0, "the power of `ap`", low=0, high=16)
    infinity: float = parameter(512.0, "what an infinite distance counts", low=0, origin=ORIGIN)
    life: bool = parameter(False, "let Benson's unconditional life colour points")

    def __post_init__(self) -> None:
        check(self)

    def vector(self) -> npt.NDArray[np.float64]:
        """Return the weights as the kernels read them."""
        return np.array(astuple(self), dtype=np.float64)

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        numbers = tuple(float(value) for value in astuple(self))
        return SourceCode(kernels.add_metric, numbers, memory_cells=kernels.SOURCE_CELLS)

    @classmethod
    def only(cls, **weights: float) -> "Metric":
        """Return a mix of nothing but these weights: `Metric.only(a1=1)` is E1."""
        none = {field.name: 0.0 for field in fields(cls)[: kernels.MEASURES]}
        return cls(**{**none, **weights})  # type: ignore[arg-type]


EVERY = Metric(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
"""A weight for each evaluation, so that each is computed."""


@dataclass(frozen=True)
class Phases:
    """A mix for each phase of a game, and how deep the opening is searched (section 6.2)."""

    opening: Metric = Metric()
    middle: Metric = Metric()
    endgame: Metric = Metric(b4=12.0, b8=6.0)
    end_opening: int = parameter(4, "last move number of the opening", low=0, origin="table 11")
    open_endgame: int = parameter(10, "first move number of the endgame", low=1, origin="table 11")
    depth_opening: int = parameter(1, "how deep to search in the opening", low=1, origin="table 11")
    depth: int = parameter(60, "how deep to search after the opening", low=1)

    def __post_init__(self) -> None:
        check(self)

    def at(self, move_number: int) -> tuple[Metric, int]:
        """Return the mix and the greatest depth for the move of that number, the first being 1.

        Where the phases overlap, the opening goes before the endgame.
        """
        if move_number <= self.end_opening:
            return self.opening, self.depth_opening
        return (self.endgame if move_number >= self.open_endgame else self.middle), self.depth

    @classmethod
    def same(cls, mix: Metric, depth: int = 60) -> "Phases":
        """Return one mix and depth for the whole game."""
        return cls(mix, mix, mix, 0, 1, 1, depth)
