"""The shape source: pattern tables learned from games of strong players (paper 004)."""

import functools
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.board.kernels.layout import POINTS
from tengen.playout.kernels.patterns import PATTERN_CODES
from tengen.sources.kernels.shape import (
    SHAPE_MEMORY,
    add_shape,
    board_odds,
    combined_rates,
    write_answer_odds,
)
from tengen.sources.kernels.shape_keys import RING_CELLS, RINGS, point_keys
from tengen.sources.kernels.shape_tables import SHAPE_PARAMETERS, look_up_sizes
from tengen.sources.registry import SourceCode
from tengen.sources.shape_tables import SIZES, load_cached
from tengen.sources.source import Values
from tengen.util import TengenError, check, parameter


class SizeRate(NamedTuple):
    """Rate of the pattern of one size."""

    size: int
    rate: float
    """Wins / (wins + losses), the mean over the tables; 0.5 is average."""
    seen: float
    """Estimated number of samples: the least slot total minus the median load."""
    combined: float
    """Rate from this and all smaller sizes."""


@dataclass(frozen=True)
class Shape:
    """Scores moves by how often strong players choose the pattern around them."""

    meaning: ClassVar[str] = "probability P that a strong player moves here; visits ~ sqrt(P)"

    file: str = parameter("", "file of pattern tables (default: the bundled tables)")
    value: float = parameter(
        1.0,
        "prior value of the visits",
        low=0.0,
        high=1.0,
        origin="Pachi's pattern prior, paper 000, section 5.4.1",
    )
    backoff: float = parameter(
        20.0,
        "weight of the next smaller pattern, in samples",
        low=0.01,
        high=1e6,
        origin="best prediction of held-out games",
    )

    def __post_init__(self) -> None:
        check(self)

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        own = self.kernel_parameters()[1:].tolist()
        return SourceCode(add_shape, own, self._slots(), SHAPE_MEMORY)

    def kernel_parameters(self) -> npt.NDArray[np.float64]:
        """Return the parameters of the kernels, equivalent visits 0."""
        packed = load_cached(self.file)[0].copy()
        record = packed.view(SHAPE_PARAMETERS)
        record["backoff"], record["value"] = self.backoff, self.value
        return packed

    def _slots(self) -> npt.NDArray[np.float32]:
        return load_cached(self.file)[1]

    def probabilities(self, position: Position) -> Values:
        """Return the playing probability of each point, rows by columns; 0 if illegal."""
        odds = np.zeros(int(POINTS))
        memory = np.zeros(SHAPE_MEMORY)
        total = board_odds(position.block, self.kernel_parameters(), self._slots(), memory, odds)
        return position.on_grid(odds / total if total else odds)

    def rates(self, position: Position, point: int) -> list[SizeRate]:
        """Return the rates of the patterns around a point, by size.

        Raise TengenError if the point is not empty.
        """
        if not position.on_board(point) or position.color(point):
            raise TengenError("patterns exist only around an empty point")
        packed = self.kernel_parameters()
        record = packed.view(SHAPE_PARAMETERS)[0]
        rings, keys = _scratch()
        point_keys(position.block, np.uintp(point), np.uintp(record["marks"]), rings, keys)
        rates, leasts, combined = np.zeros((3, int(RINGS)), dtype=np.float32)
        look_up_sizes(keys, packed, self._slots(), rates, leasts)
        combined_rates(rates, leasts, packed, combined)
        seen = np.maximum(leasts - record["loads"], 0.0)
        found = zip(SIZES, rates.tolist(), seen.tolist(), combined.tolist(), strict=True)
        return [SizeRate(*row) for row, bits in zip(found, record["bits"], strict=True) if bits]

    def values(self, position: Position) -> Values:
        """Return the playing probability of each point, NaN where no move is legal."""
        probabilities = self.probabilities(position)
        return np.where(probabilities > 0, probabilities, np.nan)


def _scratch() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return scratch memory for the rings and keys of one point."""
    return np.zeros(int(RING_CELLS), dtype=np.uint64), np.zeros(int(RINGS), dtype=np.uint64)


@functools.cache
def answer_odds() -> npt.NDArray[np.uint32]:
    """Return the odds of 3x3 patterns next to the last move, from the bundled tables.

    The playouts look them up by `playout.kernels.patterns.pattern_code`.
    """
    shape = Shape()
    packed = shape.kernel_parameters()
    packed.view(SHAPE_PARAMETERS)[0]["bits"][1:] = 0  # 3x3 only
    odds = np.zeros(PATTERN_CODES, dtype=np.uint32)
    write_answer_odds(packed, shape._slots(), *_scratch(), odds)
    return odds
