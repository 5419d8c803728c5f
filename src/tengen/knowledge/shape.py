"""The source `shape`: patterns learned from the games of strong players (paper 004)."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from tengen.board.kernels.layout import POINTS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter
from tengen.knowledge.compiled import SourceCode
from tengen.knowledge.kernels.shape import SHAPE_MEMORY, add_shape, board_odds, combined_rates
from tengen.knowledge.kernels.shape_keys import RING_CELLS, RINGS, point_keys
from tengen.knowledge.kernels.shape_tables import BITS, LOADS, MARKS, look_up_sizes
from tengen.knowledge.shape_file import load_once
from tengen.knowledge.shape_tables import SIZES
from tengen.knowledge.source import Values


class SizeRate(NamedTuple):
    """What the tables say of the pattern of one size."""

    size: int
    rate: float
    """Wins / (wins + losses), the mean over the tables; chance is one half."""
    seen: float
    """About how many samples of it there were: the least slot less what lies there by chance."""
    combined: float
    """The rate in the light of this and all smaller sizes."""


@dataclass(frozen=True)
class Shape:
    """Asks the pattern tables how often strong players choose such a move."""

    meaning: ClassVar[str] = "strong players like the pattern: sqrt(P) of the visits, P to play it"

    file: str = parameter("", "the file of pattern tables; empty for the one that comes along")
    value: float = parameter(
        1.0,
        "the value that the visits have",
        low=0.0,
        high=1.0,
        origin="Pachi's pattern prior, paper 000, section 5.4.1",
    )
    backoff: float = parameter(
        20.0,
        "samples of a pattern that weigh as much as the smaller pattern in its middle",
        low=0.01,
        high=1e6,
        origin="the best prediction of games that were not learned from",
    )

    def __post_init__(self) -> None:
        check(self)

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        numbers, slots = load_once(self.file)
        own = (*numbers[1:].tolist(), self.backoff, self.value)
        return SourceCode(add_shape, own, slots, SHAPE_MEMORY)

    def probabilities(self, position: Position) -> Values:
        """Return the playing probability of each point, rows by columns; 0 if it is illegal."""
        _, numbers, slots, memory_cells = self.code()
        odds = np.zeros(int(POINTS))
        total = board_odds(
            position.block, np.array([0.0, *numbers]), slots, np.zeros(memory_cells), odds
        )
        return position.on_grid(odds / total if total else odds)

    def rates(self, position: Position, point: int) -> list[SizeRate]:
        """Return what the tables say of the patterns around an empty point, by size.

        Raise TengenError if it is none.
        """
        if not position.on_board(point) or position.colour(point):
            raise TengenError("patterns are those around an empty point")
        numbers = np.array([0.0, *self.code().numbers])
        rings = np.zeros(int(RING_CELLS), dtype=np.uint64)
        keys = np.zeros(int(RINGS), dtype=np.uint64)
        point_keys(position.block, np.uintp(point), np.uintp(numbers[MARKS]), rings, keys)
        rates, leasts, combined = np.zeros((3, int(RINGS)), dtype=np.float32)
        look_up_sizes(keys, numbers, load_once(self.file)[1], rates, leasts)
        combined_rates(rates, leasts, numbers, combined)
        seen = np.maximum(leasts - numbers[int(LOADS) : int(LOADS) + len(SIZES)], 0.0)
        found = zip(SIZES, rates.tolist(), seen.tolist(), combined.tolist(), strict=True)
        kept = numbers[int(BITS) : int(BITS) + len(SIZES)]
        return [SizeRate(*row) for row, bits in zip(found, kept, strict=True) if bits]

    def values(self, position: Position) -> Values:
        """Return the playing probability of each point, NaN where no move is legal."""
        probabilities = self.probabilities(position)
        return np.where(probabilities > 0, probabilities, np.nan)
