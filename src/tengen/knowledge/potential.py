"""The potential filters by name, and what they see in a position (M. Oshima-So, paper 002).

    prior=potential@20,filter=pf9,switch=0.75         prune while 75% of the points are legal
    prior=potential@20,filter=pf4,use=prior,depth=2   a prior of 20 visits down to depth 2
    prior=potential@20,filter=free,ranking=slope,m=1.3,bottom=0.6

Tables 2 and 3 of the paper say in "Filtering" what is *pruned*: PF 1 prunes the low half and so
gathers at the own stones, PF 2 the top half and so goes to the opponent's. PF 3 prunes both ends.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter
from tengen.knowledge.compiled import SourceCode
from tengen.knowledge.kernels import potential as kernels
from tengen.knowledge.kernels import potential_field as field
from tengen.knowledge.source import Values

RANKINGS = {
    "chance": kernels.BY_CHANCE,
    "potential": kernels.BY_POTENTIAL,
    "slope": kernels.BY_SLOPE,
}
STENCILS = {
    "horn": field.HORN,
    "four": field.FOUR_NEIGHBOURS,
    "steepest": field.STEEPEST,
}
USES = {"filter": kernels.FILTER, "prior": kernels.PRIOR, "both": kernels.BOTH}


class Filter(NamedTuple):
    """What makes a filter: a column of the paper's tables 2 and 3."""

    ranking: str
    m: float
    own: int
    """The sign of the own stones; Black's in the paper, where Black filters."""
    other: int
    """The sign of the opponent's."""
    top: float
    """The share of the ranks that is pruned at the top."""
    bottom: float


FILTERS = {
    "random": Filter("chance", 2.0, 1, -1, 0.0, 0.5),
    "pf1": Filter("potential", 2.0, 1, -1, 0.0, 0.5),
    "pf2": Filter("potential", 2.0, 1, -1, 0.5, 0.0),
    "pf3": Filter("potential", 2.0, 1, -1, 0.25, 0.25),
    "pf4": Filter("potential", 2.0, 1, 1, 0.0, 0.5),
    "pf5": Filter("slope", 4.0, 1, -1, 0.0, 0.5),
    "pf6": Filter("slope", 2.0, 1, -1, 0.0, 0.5),
    "pf7": Filter("slope", 1.5, 1, -1, 0.0, 0.5),
    "pf8": Filter("slope", 1.25, 1, -1, 0.0, 0.5),
    "pf9": Filter("slope", 1.15, 1, -1, 0.0, 0.5),
}
"""The ten filters of the paper."""

FREE = "free"
_USUAL = FILTERS["pf9"]


@dataclass(frozen=True)
class Potential:
    """Ranks the legal moves by the potential of the stones around, or by its slope."""

    meaning: ClassVar[str] = "how high a move ranks by the stones' potential or its slope"

    filter: str = parameter(
        "pf9", "a filter of the paper by name, or free", choices=(*FILTERS, FREE)
    )
    switch: float = parameter(
        0.75,
        "on while there are more legal moves than this; below 2 a share of the board's points",
        low=0,
        high=361,
        origin="paper 002: the borders of PF 4 and 6 to 9 lie at 75 to 80%",
    )
    use: str = parameter("filter", "prune, give a prior by rank, or both", choices=tuple(USES))
    stencil: str = parameter(
        "horn", "how the slope is taken", choices=tuple(STENCILS), origin="Horn's 3x3"
    )
    ranking: str = parameter(_USUAL.ranking, "free: what ranks the moves", choices=tuple(RANKINGS))
    m: float = parameter(_USUAL.m, "free: a stone gives 1 / m^distance", low=1.001, high=100)
    own: int = parameter(_USUAL.own, "free: the sign of own stones", low=-1, high=1)
    other: int = parameter(_USUAL.other, "free: the sign of the opponent's", low=-1, high=1)
    top: float = parameter(_USUAL.top, "free: the share pruned at the top", low=0, high=0.999)
    bottom: float = parameter(_USUAL.bottom, "free: the share pruned below", low=0, high=0.999)
    seed: int = parameter(0, "of what is drawn by lot: ties, and chance", low=0, high=2**31)

    def __post_init__(self) -> None:
        check(self)
        if self.top + self.bottom >= 1:
            raise TengenError(f"top and bottom prune {self.top + self.bottom:g} of all moves")
        own = Filter(self.ranking, self.m, self.own, self.other, self.top, self.bottom)
        if self.filter != FREE and own != _USUAL:
            raise TengenError(f"{self.filter} is fixed: say filter=free to set its parts")

    def parts(self) -> Filter:
        """Return what the filter is made of."""
        if self.filter != FREE:
            return FILTERS[self.filter]
        return Filter(self.ranking, self.m, self.own, self.other, self.top, self.bottom)

    def numbers(self) -> tuple[float, ...]:
        """Return the parameters as the kernels want them, after the equivalent visits."""
        parts = self.parts()
        return (
            RANKINGS[parts.ranking],
            parts.m,
            float(parts.own),
            float(parts.other),
            STENCILS[self.stencil],
            parts.top,
            parts.bottom,
            self.switch,
            USES[self.use],
            float(self.seed),
        )

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        return SourceCode(kernels.add_potential, self.numbers(), memory_cells=kernels.MEMORY_CELLS)

    def values(self, position: Position) -> Values:
        """Return 1 for the rank that is liked best, down to 0; NaN where no move is legal."""
        return survey(position, self).values


class Survey(NamedTuple):
    """What a filter sees in a position, each an array of rows by columns."""

    potential: Values
    slope: Values
    rank: npt.NDArray[np.int64]
    """1 for the highest legal move; 0 where no move is legal."""
    values: Values
    kept: npt.NDArray[np.bool_]
    """The legal moves that are not pruned: all of them where the filter is off."""


def survey(position: Position, parameters: Potential) -> Survey:
    """Return what a filter sees; the ranks are there whether it is on or not."""
    numbers = np.array([1.0, *parameters.numbers()])
    seen = np.zeros((4, int(POINTS)))
    memory = np.zeros(kernels.MEMORY_CELLS)
    kernels.survey_moves(position.block, numbers, memory, seen)
    potential, slope, rank, values = (position.on_grid(row) for row in seen)
    legal = rank > 0
    first, end = kernels.kept_ranks(numbers, np.uintp(legal.sum()))
    is_on = bool(kernels.is_on(position.block, numbers))
    kept = legal & (rank > first) & (rank <= end) if is_on else legal
    return Survey(potential, slope, rank.astype(np.int64), np.where(legal, values, np.nan), kept)
