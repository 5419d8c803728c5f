"""The big-move source (paper 000): the mode of a vibrating board and its biggest moves.

>>> from tengen.board.position import Position
>>> [Position(9).vertex(p) for p in BigMove(variants="p1").biggest(Position(9))]
['E5']
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Position, column_of, row_of
from tengen.board.kernels.layout import POINTS
from tengen.sources.kernels import bigmove as kernels, mode as solver
from tengen.sources.registry import SourceCode, pack_parameters
from tengen.util import TengenError, check, parameter

Grid = npt.NDArray[np.float64]

THESIS_VARIANTS = {"p1": {}, "p2": {7: 1.0}, "p3": {6: 1.0, 7: 1.0}}
"""Potential by line, counted from the edge (section 5.3)."""
TARGETS = {"first": kernels.FIRST_BIGGEST, "all": kernels.ALL_BIGGEST, "whole": kernels.WHOLE_BOARD}
STONE_WEIGHTS = {
    "stones": kernels.BY_STONES,
    "liberties": kernels.BY_LIBERTIES,
    "strength": kernels.BY_STRENGTH,
}
MAX_LINES = int(kernels.LINES)


class Mode(NamedTuple):
    """The fundamental mode of a board, positive and of norm 1."""

    grid: Grid
    eigenvalue: float
    residual: float


@dataclass(frozen=True)
class BigMove:
    """Parameters of the big-move source.

    The defaults, with `before=50` in the search, are the best setting of the thesis (table 7).
    """

    meaning: ClassVar[str] = "amplitude of the vibrating board: far from all stones and edges"

    variants: str = parameter(
        "p2+p3",
        "potentials of the lines, one variant each: p1 (none), p2, p3 or LINE:WEIGHT/...",
        origin="paper 000, section 5.4",
    )
    x: float = parameter(
        3.0,
        "decay of the equivalent visits, sqrt(y - moves / (100 x)); larger is slower",
        low=0.01,
        high=1e9,
        origin="paper 000, section 5.4",
    )
    y: float = parameter(
        0.9, "offset of that decay", low=0, high=100, origin="paper 000, section 5.4"
    )
    value: float = parameter(1.0, "prior value of a big move", low=0, high=1, origin="paper 000")
    targets: str = parameter(
        "first",
        "moves that share the visits: the first biggest, all equally big, or every move by its "
        "mode, which also scales its value",
        choices=list(TARGETS),
        origin="first in paper 000",
    )
    sharpness: float = parameter(
        4.0, "with targets=whole: power of the mode", low=0, high=100, origin="not tuned"
    )
    own: float = parameter(1.0, "potential of an own stone", low=0, high=100, origin="paper 000")
    other: float = parameter(
        1.0, "potential of an opponent's stone", low=0, high=100, origin="paper 000"
    )
    stone_weight: str = parameter(
        "stones",
        "scale the potential of stones by the liberties or strength of their chain",
        choices=list(STONE_WEIGHTS),
        origin="stones in paper 000",
    )
    corner: float = parameter(0.0, "added weight of corners", low=-1, high=100)
    side: float = parameter(0.0, "added weight of sides", low=-1, high=100)
    fight_radius: int = parameter(
        0, "damp points closer than this to the last two moves", low=0, high=20
    )
    tolerance: float = parameter(
        1e-6, "residual of the modes computed for Python", low=1e-13, high=0.1
    )
    tree_tolerance: float = parameter(
        1e-4,
        "residual inside the search, where only the order of the points matters",
        low=1e-13,
        high=0.1,
    )
    tie: float = parameter(1e-4, "relative difference of equally big moves", low=0, high=0.5)
    phantom: bool = parameter(
        False,
        "compute without adding visits, for matches at equal time",
        origin="paper 000, section 5.3.2",
    )

    def __post_init__(self) -> None:
        check(self)
        variant_lines(self.variants)

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        lines = variant_lines(self.variants)
        memory = kernels.MEMORY + len(lines) * int(kernels.VARIANT)
        return SourceCode(kernels.add_bigmove, self._parameters()[1:].tolist(), lines, memory)

    def _parameters(self) -> Grid:
        """Return the parameters of the kernels, equivalent visits 0."""
        return pack_parameters(
            kernels.BIGMOVE_PARAMETERS,
            x=self.x,
            y=self.y,
            value=self.value,
            tolerance=self.tree_tolerance,
            targets=TARGETS[self.targets],
            sharpness=self.sharpness,
            own=self.own,
            other=self.other,
            stone_weight=STONE_WEIGHTS[self.stone_weight],
            corner=self.corner,
            side=self.side,
            fight_radius=self.fight_radius,
            tie=self.tie,
            phantom=self.phantom,
            variants=len(variant_lines(self.variants)),
        )

    def mode(self, position: Position, variant: int = 0) -> Mode:
        """Return the mode of a position for one variant."""
        mode, value, residual = self._find_mode(position, variant)
        return Mode(position.on_grid(mode).copy(), value, residual)

    def _find_mode(self, position: Position, variant: int) -> tuple[Grid, float, float]:
        """Return the mode by padded point, its eigenvalue and its residual."""
        work = self.matrix(position, variant)
        mode = np.zeros(int(POINTS))
        rows = np.uintp(position.rows)
        solver.empty_board_mode(rows, np.uintp(position.columns), mode)
        value, residual, _ = solver.find_mode(work, mode, rows, self.tolerance)
        return mode, float(value), float(residual)

    def matrix(self, position: Position, variant: int = 0) -> Grid:
        """Return the solver's work area with the matrix of a position."""
        work = np.zeros(solver.WORK)
        lines = variant_lines(self.variants)[variant]
        kernels.set_matrix(position.block, self._parameters(), lines, work)
        return work

    def diagonal(self, position: Position, variant: int = 0) -> Grid:
        """Return the diagonal of the Dirichlet matrix, rows by columns."""
        work = self.matrix(position, variant)
        start = int(solver.DIAGONAL)
        return position.on_grid(work[start : start + int(POINTS)]).copy()

    def biggest(self, position: Position, variant: int = 0) -> list[int]:
        """Return all equally big legal moves in board order; the thesis plays the first."""
        return biggest_points(position, self.sizes(position, variant), self.tie)

    def biggest_of_variants(self, position: Position) -> list[int]:
        """Return the biggest moves of all variants in board order."""
        variants = range(len(variant_lines(self.variants)))
        return sorted({point for variant in variants for point in self.biggest(position, variant)})

    def sizes(self, position: Position, variant: int = 0) -> Grid:
        """Return how big each move is: the mode, weighted for corners and sides."""
        mode, _, _ = self._find_mode(position, variant)
        sizes = np.zeros(int(POINTS))
        kernels.write_sizes(position.block, mode, self._parameters(), sizes)
        return position.on_grid(sizes).copy()

    def values(self, position: Position) -> Grid:
        """Return the mean over the variants of the modes scaled to 1, NaN on stones."""
        count = len(variant_lines(self.variants))
        modes = [self.sizes(position, variant) for variant in range(count)]
        values = np.mean([mode / (mode.max() or 1.0) for mode in modes], axis=0)
        return np.where(position.board() > 0, np.nan, values)


def biggest_points(position: Position, grid: Grid, tie: float = 1e-4) -> list[int]:
    """Return the legal moves with the largest number in the grid, up to the share `tie`."""
    legal = position.legal_moves()
    sizes = [float(grid[row_of(point), column_of(point)]) for point in legal]
    most = max(sizes, default=0.0)
    return [p for p, size in zip(legal, sizes, strict=True) if size >= most * (1 - tie)]


def variant_lines(text: str) -> npt.NDArray[np.float32]:
    """Parse `p2+p3` or `6:0.5/7:1+p1` into one row of potentials per variant."""
    return np.array([_parse_variant(word) for word in text.split("+")], dtype=np.float32)


def _parse_variant(word: str) -> list[float]:
    weights = THESIS_VARIANTS.get(word)
    if weights is None:
        weights = dict(_parse_line(pair, word) for pair in word.split("/"))
    return [weights.get(line, 0.0) for line in range(1, MAX_LINES + 1)]


def _parse_line(pair: str, word: str) -> tuple[int, float]:
    line, _, weight = pair.partition(":")
    try:
        found = int(line), float(weight)
    except ValueError:
        found = 0, 0.0
    if not (1 <= found[0] <= MAX_LINES and 0 <= found[1] <= 100):
        known = ", ".join(THESIS_VARIANTS)
        raise TengenError(
            f"unknown variant {word!r}: use {known}, or lines from 1 to {MAX_LINES} with weights "
            "from 0 to 100, like 6:0.5/7:1"
        )
    return found
