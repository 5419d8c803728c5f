"""Potential filters (paper 002): the named filters of the paper and their view of a position.

    prior=potential@20,filter=pf9,switch=0.75         prune while 75% of the points are legal
    prior=potential@20,filter=pf4,use=prior,depth=2   a prior of 20 visits down to depth 2
    prior=potential@20,filter=free,ranking=slope,m=1.3,bottom=0.6

"Filtering" in tables 2 and 3 of the paper names what is *pruned*: PF 1 prunes the low half and so
keeps moves near own stones, PF 2 the top half and so keeps moves near the opponent's. PF 3 prunes
both ends.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.board.kernels.layout import POINTS
from tengen.sources.kernels import potential as kernels
from tengen.sources.registry import SourceCode, pack_parameters
from tengen.sources.source import Values
from tengen.util import TengenError, check, parameter

RANKINGS = {"random": kernels.RANDOM, "potential": kernels.BY_POTENTIAL, "slope": kernels.BY_SLOPE}
STENCILS = {"horn": kernels.HORN, "four": kernels.FOUR_NEIGHBORS, "steepest": kernels.STEEPEST}
USES = {"filter": kernels.FILTER, "prior": kernels.PRIOR, "both": kernels.BOTH}


class Filter(NamedTuple):
    """A filter: one column of tables 2 and 3."""

    ranking: str
    m: float
    own: int
    """Sign of own stones; in the paper Black filters."""
    other: int
    """Sign of the opponent's stones."""
    top: float
    """Share of the ranks pruned at the top."""
    bottom: float


FILTERS = {
    "random": Filter("random", 2.0, 1, -1, 0.0, 0.5),
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
_DEFAULT = FILTERS["pf9"]


@dataclass(frozen=True)
class Potential:
    """Ranks the legal moves by the potential of the surrounding stones, or by its slope."""

    meaning: ClassVar[str] = "rank of a move by the potential of the stones or its slope"

    filter: str = parameter("pf9", "filter of the paper, or free", choices=(*FILTERS, FREE))
    switch: float = parameter(
        0.75,
        "active above this many legal moves; below 2 it is a share of the points of the board",
        low=0,
        high=361,
        origin="paper 002: the limits of PF 4 and PF 6 to 9 are 75 to 80%",
    )
    use: str = parameter("filter", "prune moves, add a prior by rank, or both", choices=tuple(USES))
    stencil: str = parameter(
        "horn", "stencil of the slope", choices=tuple(STENCILS), origin="Horn's 3x3"
    )
    ranking: str = parameter(
        _DEFAULT.ranking, "filter=free: ranking criterion", choices=tuple(RANKINGS)
    )
    m: float = parameter(
        _DEFAULT.m, "filter=free: a stone contributes 1 / m^distance", low=1.001, high=100
    )
    own: int = parameter(_DEFAULT.own, "filter=free: sign of own stones", low=-1, high=1)
    other: int = parameter(
        _DEFAULT.other, "filter=free: sign of the opponent's stones", low=-1, high=1
    )
    top: float = parameter(
        _DEFAULT.top, "filter=free: share of ranks pruned at the top", low=0, high=0.999
    )
    bottom: float = parameter(
        _DEFAULT.bottom, "filter=free: share of ranks pruned at the bottom", low=0, high=0.999
    )
    seed: int = parameter(0, "random seed for ties and random ranking", low=0, high=2**31)

    def __post_init__(self) -> None:
        check(self)
        if self.top + self.bottom >= 1:
            raise TengenError(f"top + bottom must be below 1, got {self.top + self.bottom:g}")
        if self.filter != FREE and self._free_filter() != _DEFAULT:
            raise TengenError(f"{self.filter} has fixed parts: use filter=free to set them")

    def _free_filter(self) -> Filter:
        return Filter(self.ranking, self.m, self.own, self.other, self.top, self.bottom)

    def parts(self) -> Filter:
        """Return the filter in use."""
        return self._free_filter() if self.filter == FREE else FILTERS[self.filter]

    def kernel_parameters(self, equivalent_visits: float = 1.0) -> npt.NDArray[np.float64]:
        """Return the parameters of the kernels."""
        parts = self.parts()
        return pack_parameters(
            kernels.POTENTIAL_PARAMETERS,
            equivalent_visits=equivalent_visits,
            ranking=RANKINGS[parts.ranking],
            attenuation=parts.m,
            own_sign=parts.own,
            other_sign=parts.other,
            stencil=STENCILS[self.stencil],
            pruned_top=parts.top,
            pruned_bottom=parts.bottom,
            switch=self.switch,
            use=USES[self.use],
            seed=self.seed,
        )

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        own = self.kernel_parameters()[1:].tolist()
        return SourceCode(kernels.add_potential, own, memory_cells=kernels.MEMORY_CELLS)

    def values(self, position: Position) -> Values:
        """Return 1 for the rank farthest from the pruned ones, down to 0; NaN if illegal."""
        return survey(position, self).values


class Survey(NamedTuple):
    """A filter's view of a position; arrays of rows by columns."""

    potential: Values
    slope: Values
    rank: npt.NDArray[np.int64]
    """1 for the highest legal move; 0 where no move is legal."""
    values: Values
    kept: npt.NDArray[np.bool_]
    """Legal moves that are not pruned: all of them if the filter is inactive."""


def survey(position: Position, parameters: Potential) -> Survey:
    """Return a filter's view of a position; ranks are computed even if it is inactive."""
    packed = parameters.kernel_parameters()
    rows = np.zeros((4, int(POINTS)))
    memory = np.zeros(kernels.MEMORY_CELLS)
    kernels.survey_moves(position.block, packed, memory, rows)
    potential, slope, rank, values = (position.on_grid(row) for row in rows)
    legal = rank > 0
    first, end = kernels.kept_ranks(packed, np.uintp(legal.sum()))
    is_on = bool(kernels.is_on(position.block, packed))
    kept = legal & (rank > first) & (rank <= end) if is_on else legal
    return Survey(potential, slope, rank.astype(np.int64), np.where(legal, values, np.nan), kept)
