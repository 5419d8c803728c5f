"""A sloppy hash array of patterns with its settings: what `tengen shape learn` fills."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter
from tengen.knowledge.kernels import shape_keys
from tengen.knowledge.kernels.shape_keys import RADIUS
from tengen.knowledge.kernels.shape_tables import BITS, LOADS, MARKS, TABLE_NUMBERS, TABLES

SIZES = tuple(2 * ring + 1 for ring in range(1, RADIUS + 1))
"""The sides of the squares: 3, 5, 7, 9."""
MOST_BITS = 24


@dataclass(frozen=True)
class ShapeSettings:
    """What a pattern is, and how many slots there are for patterns."""

    tables: int = parameter(
        4, "tables of each size, addressed by independent hashes", low=1, high=8, origin="paper 004"
    )
    bits: str = parameter(
        "16",
        "slots of each table as a power of two: one number, or one for each of 3x3 to 9x9 "
        "with 0 for a size left out, like 12,16,18,0",
        origin="paper 004: 2^16 slots",
    )
    symmetry: bool = parameter(True, "the eight views of a pattern share a slot")
    atari: bool = parameter(False, "neighbours in atari are part of a pattern")
    ko: bool = parameter(False, "that a move takes a ko is part of a pattern")
    last: bool = parameter(False, "the opponent's last move, if in the square, is part of it")
    small: bool = parameter(False, "9x9 squares on boards up to 11x11 are patterns of their own")

    def __post_init__(self) -> None:
        check(self)
        _ = self.bits_of_sizes

    @property
    def bits_of_sizes(self) -> tuple[int, ...]:
        """The bits of each size, 0 for none; raise TengenError if the text makes no sense."""
        words = self.bits.split(",")
        if len(words) == 1:
            words *= len(SIZES)
        if len(words) != len(SIZES) or not all(word.strip().isdecimal() for word in words):
            raise TengenError(f"bits wants a number, or {len(SIZES)} like 12,16,18,0: {self.bits}")
        bits = tuple(int(word) for word in words)
        if not any(bits) or max(bits) > MOST_BITS:
            raise TengenError(f"bits must be from 0 to {MOST_BITS}, one of them above 0")
        return bits

    @property
    def marks(self) -> int:
        """What is part of a pattern, as the kernels want it."""
        marks = {
            shape_keys.SYMMETRY: self.symmetry,
            shape_keys.ATARI: self.atari,
            shape_keys.KO_TAKEN: self.ko,
            shape_keys.LAST_MOVE: self.last,
            shape_keys.SMALL_BOARD: self.small,
        }
        return sum(int(bit) for bit, is_on in marks.items() if is_on)

    @property
    def slots(self) -> int:
        """All slots of all tables."""
        return sum(self.tables << bits for bits in self.bits_of_sizes if bits)


@dataclass
class ShapeTables:
    """Counts of wins and losses by slot, and what they were learned from."""

    settings: ShapeSettings = field(default_factory=ShapeSettings)
    counts: npt.NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))
    """Pairs of wins and losses: all slots of 3x3's first table, of its second, and so on."""
    games: int = 0
    broken: int = 0
    """Games that were skipped."""
    moves: int = 0
    losses: int = 0
    """Moves that were learned from, and moves that were drawn beside them."""
    documents: dict[str, str] = field(default_factory=dict)
    """The files that were learned from: their digests and names."""

    def __post_init__(self) -> None:
        if not len(self.counts):
            self.counts = np.zeros(2 * self.settings.slots, dtype=np.uint32)

    def numbers(self) -> npt.NDArray[np.float64]:
        """Return what the kernels want to know of the tables."""
        numbers = np.zeros(int(TABLE_NUMBERS))
        numbers[MARKS] = self.settings.marks
        numbers[TABLES] = self.settings.tables
        for ring, bits in enumerate(self.settings.bits_of_sizes):
            numbers[int(BITS) + ring] = bits
            numbers[int(LOADS) + ring] = self._load(ring)
        return numbers

    def counts_of(self, ring: int) -> npt.NDArray[np.uint32]:
        """Return wins and losses of one size: tables x slots x 2."""
        bits = self.settings.bits_of_sizes
        widths = [2 * self.settings.tables << b if b else 0 for b in bits]
        first = sum(widths[:ring])
        part = self.counts[first : first + widths[ring]]
        return part.reshape(self.settings.tables, -1, 2)

    def _load(self, ring: int) -> float:
        """Return the median total of a slot of that size: what lies in a slot by chance."""
        totals = self.counts_of(ring).sum(axis=2)
        return float(np.median(totals)) if totals.size else 0.0

    def slots(self) -> npt.NDArray[np.float32]:
        """Return the slots as looked up: pairs of rate and total; the rate of none is one half."""
        pairs = self.counts.reshape(-1, 2).astype(np.float32)
        totals = pairs.sum(axis=1)
        with np.errstate(invalid="ignore"):
            rates = np.where(totals > 0, pairs[:, 0] / totals, np.float32(0.5))
        return np.stack([rates, totals], axis=1).ravel().astype(np.float32)

    def about(self) -> dict[str, Any]:
        """Return settings and figures, as they stand in the file's header."""
        return {
            "settings": asdict(self.settings),
            "games": self.games,
            "broken": self.broken,
            "moves": self.moves,
            "losses": self.losses,
            "documents": self.documents,
        }
