"""The big move (paper 000): the mode of a vibrating board, its biggest moves, and the prior.

>>> from tengen.board.position import Position
>>> [Position(9).vertex(p) for p in BigMove(variants="p1").biggest(Position(9))]
['E5']
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.board.points import column_of, row_of
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter
from tengen.knowledge.compiled import SourceCode
from tengen.knowledge.kernels import bigmove as kernels
from tengen.knowledge.kernels import mode as solver
from tengen.knowledge.kernels.registry import NUMBERS

Grid = npt.NDArray[np.float64]

THESIS_VARIANTS = {"p1": {}, "p2": {7: 1.0}, "p3": {6: 1.0, 7: 1.0}}
"""The potential on lines, counted from the edge (section 5.3)."""
GIVES = {
    "first": kernels.GIVE_FIRST,
    "all": kernels.GIVE_ALL,
    "whole": kernels.GIVE_WHOLE,
}
WEIGHS = {
    "stones": kernels.WEIGH_STONES,
    "liberties": kernels.WEIGH_LIBERTIES,
    "strength": kernels.WEIGH_STRENGTH,
}
MOST_LINES = int(kernels.LINES)


class Mode(NamedTuple):
    """The fundamental mode of a board, positive and of length 1."""

    grid: Grid
    eigenvalue: float
    residual: float


@dataclass(frozen=True)
class BigMove:
    """The parameters of the big move.

    The defaults, with `before=50` for the search, are the thesis's best setting (table 7).
    """

    meaning: ClassVar[str] = "the board vibrates most here: far from all stones and the edge"

    variants: str = parameter(
        "p2+p3",
        "potentials on lines, each variant for itself: p1 (none), p2, p3 or LINE:WEIGHT/...",
        origin="paper 000, section 5.4",
    )
    x: float = parameter(
        3.0,
        "how slowly the visits fall: sqrt(y - moves / (100 x))",
        low=0.01,
        high=1e9,
        origin="paper 000, section 5.4",
    )
    y: float = parameter(0.9, "and from where", low=0, high=100, origin="paper 000, section 5.4")
    value: float = parameter(1.0, "of a big move, as a prior", low=0, high=1, origin="paper 000")
    give: str = parameter(
        "first",
        "visits for the first biggest move, all equally big ones, or the whole board by its mode",
        choices=list(GIVES),
        origin="first in paper 000",
    )
    sharpness: float = parameter(
        4.0, "whole: visits by this power of the mode", low=0, high=100, origin="a guess"
    )
    own: float = parameter(1.0, "potential of an own stone", low=0, high=100, origin="paper 000")
    other: float = parameter(1.0, "of an opponent's stone", low=0, high=100, origin="paper 000")
    weigh: str = parameter(
        "stones",
        "whether a stone counts by its chain's liberties or strength",
        choices=list(WEIGHS),
        origin="stones in paper 000",
    )
    corner: float = parameter(0.0, "how much more a corner counts", low=-1, high=100)
    side: float = parameter(0.0, "how much more a side counts", low=-1, high=100)
    fight: int = parameter(
        0, "hold still what is nearer than this to the last two moves", low=0, high=20
    )
    tolerance: float = parameter(1e-6, "residual of a mode, for Python", low=1e-13, high=0.1)
    in_tree: float = parameter(
        1e-4,
        "residual inside the search, where only the order of the points counts",
        low=1e-13,
        high=0.1,
        origin="docs/findings/big-move.md: the same move in 99.5% of the positions, or more",
    )
    tie: float = parameter(1e-4, "modes that differ by less are equal", low=0, high=0.5)

    phantom: bool = parameter(
        False, "compute and say nothing: for matches at equal time", origin="paper 000, 5.3.2"
    )

    def __post_init__(self) -> None:
        check(self)
        variant_lines(self.variants)

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        lines = variant_lines(self.variants)
        memory = kernels.MEMORY + len(lines) * int(kernels.VARIANT)
        return SourceCode(kernels.add_bigmove, self._numbers(), lines, memory)

    def _numbers(self) -> tuple[float, ...]:
        give, weigh = float(GIVES[self.give]), float(WEIGHS[self.weigh])
        chosen = (self.x, self.y, self.value, self.in_tree, give, self.sharpness)
        weights = (self.own, self.other, weigh, self.corner, self.side, float(self.fight))
        variants = float(len(variant_lines(self.variants)))
        return (*chosen, *weights, self.tie, float(self.phantom), variants)

    # For Python: heat maps, labs, tests

    def mode(self, position: Position, variant: int = 0) -> Mode:
        """Return the mode of a position under one of the variants, the first by default."""
        work = self.matrix(position, variant)
        mode = np.zeros(int(POINTS))
        rows = np.uintp(position.rows)
        solver.empty_board_mode(rows, np.uintp(position.columns), mode)
        value, residual, _ = solver.find_mode(work, mode, rows, self.tolerance)
        return Mode(position.on_grid(mode).copy(), float(value), float(residual))

    def matrix(self, position: Position, variant: int = 0) -> Grid:
        """Return a solver's work with the matrix of a position in it."""
        work = np.zeros(solver.WORK)
        numbers = np.zeros(NUMBERS)
        own = self._numbers()
        numbers[1 : 1 + len(own)] = own
        kernels.set_matrix(position.block, numbers, variant_lines(self.variants)[variant], work)
        return work

    def diagonal(self, position: Position, variant: int = 0) -> Grid:
        """Return the diagonal of the Dirichlet matrix, rows by columns."""
        work = self.matrix(position, variant)
        start = int(solver.DIAGONAL)
        return position.on_grid(work[start : start + int(POINTS)]).copy()

    def biggest(self, position: Position, variant: int = 0) -> list[int]:
        """Return all equally big legal moves in board order: the first is the thesis's move."""
        return biggest_points(position, self.sizes(position, variant), self.tie)

    def sizes(self, position: Position, variant: int = 0) -> Grid:
        """Return how big each move is: its mode with the preference for corners and sides."""
        near = int(kernels.CORNER_LINES)
        edges = (from_edge(position.rows)[:, None] <= near).astype(int) + (
            from_edge(position.columns)[None, :] <= near
        )
        preference = np.array([1.0, 1.0 + self.side, 1.0 + self.corner])[edges]
        sizes: Grid = self.mode(position, variant).grid * preference
        return sizes

    def values(self, position: Position) -> Grid:
        """Return the mean mode of the variants from 0 to 1, NaN on stones: for heat maps."""
        count = len(variant_lines(self.variants))
        modes = [self.sizes(position, variant) for variant in range(count)]
        values = np.mean([mode / (mode.max() or 1.0) for mode in modes], axis=0)
        return np.where(position.board() > 0, np.nan, values)


def from_edge(length: int) -> npt.NDArray[np.int64]:
    """Return the line of each row or column, counted from the nearer edge, the first being 1."""
    return np.minimum(np.arange(1, length + 1), np.arange(length, 0, -1))


def biggest_points(position: Position, grid: Grid, tie: float = 1e-4) -> list[int]:
    """Return the legal moves whose number in the grid is largest, up to the share `tie`."""
    legal = position.legal_moves()
    sizes = [float(grid[row_of(point), column_of(point)]) for point in legal]
    most = max(sizes, default=0.0)
    return [p for p, size in zip(legal, sizes, strict=True) if size >= most * (1 - tie)]


def variant_lines(text: str) -> npt.NDArray[np.float32]:
    """Read `p2+p3` or `6:0.5/7:1+p1` as one row of potentials a variant; raise TengenError."""
    return np.array([_lines(word) for word in text.split("+")], dtype=np.float32)


def _lines(word: str) -> list[float]:
    weights = THESIS_VARIANTS.get(word)
    if weights is None:
        weights = dict(_line(pair, word) for pair in word.split("/"))
    return [weights.get(line, 0.0) for line in range(1, MOST_LINES + 1)]


def _line(pair: str, word: str) -> tuple[int, float]:
    line, _, weight = pair.partition(":")
    try:
        found = int(line), float(weight)
    except ValueError:
        found = 0, 0.0
    if not (1 <= found[0] <= MOST_LINES and 0 <= found[1] <= 100):
        known = ", ".join(THESIS_VARIANTS)
        raise TengenError(
            f"unknown variant {word!r}: {known}, or lines from 1 to {MOST_LINES} with weights "
            "from 0 to 100, like 6:0.5/7:1"
        )
    return found
