"""The shape source: pattern tables learned from games of strong players (paper 004).

The tables are sloppy hash arrays. A file of tables is a magic line, a line of JSON and the
compressed counts. The bundled file is `tengen/data/shape.bin`.
"""

import functools
import json
import os
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.board.kernels.layout import POINTS
from tengen.playout.kernels.patterns import PATTERN_CODES
from tengen.sources.kernels import shape_keys
from tengen.sources.kernels.shape import (
    SHAPE_MEMORY,
    add_shape,
    board_odds,
    combined_rates,
    write_answer_odds,
)
from tengen.sources.kernels.shape_keys import RADIUS, RING_CELLS, RINGS, point_keys
from tengen.sources.kernels.shape_tables import SHAPE_PARAMETERS, look_up_sizes
from tengen.sources.registry import SourceCode
from tengen.sources.source import Values
from tengen.util import TengenError, atomic_write, check, parameter

SIZES = tuple(2 * ring + 1 for ring in range(1, RADIUS + 1))
"""Sides of the squares: 3, 5, 7, 9."""
MAX_BITS = 24
BUNDLED_TABLES = Path(__file__).resolve().parents[1] / "data" / "shape.bin"
MAGIC = b"tengen shape 1\n"
_MAX_HEADER = 1 << 28
_COUNT = np.dtype("<u4")


@dataclass(frozen=True)
class ShapeSettings:
    """Definition of a pattern and number of slots."""

    tables: int = parameter(
        4, "tables per size, addressed by independent hashes", low=1, high=8, origin="paper 004"
    )
    bits: str = parameter(
        "16",
        "log2 of the slots of a table: one number, or one for each of 3x3, 5x5, 7x7, 9x9 "
        "with 0 for an unused size, like 12,16,18,0",
        origin="paper 004: 2^16 slots",
    )
    symmetry: bool = parameter(True, "share one slot between the eight views of a pattern")
    atari: bool = parameter(False, "include adjacent chains in atari")
    ko: bool = parameter(False, "include whether the move captures a ko")
    last: bool = parameter(False, "include the opponent's last move, if in the square")
    small: bool = parameter(False, "distinguish 9x9 squares on boards up to 11x11")

    def __post_init__(self) -> None:
        check(self)
        _ = self.bits_of_sizes

    @property
    def bits_of_sizes(self) -> tuple[int, ...]:
        """Bits of each size, 0 for unused ones; raise TengenError if the text is invalid."""
        words = self.bits.split(",")
        if len(words) == 1:
            words *= len(SIZES)
        if len(words) != len(SIZES) or not all(word.strip().isdecimal() for word in words):
            raise TengenError(
                f"bits must be one number or {len(SIZES)}, like 12,16,18,0, got {self.bits!r}"
            )
        bits = tuple(int(word) for word in words)
        if not any(bits) or max(bits) > MAX_BITS:
            raise TengenError(f"bits must be from 0 to {MAX_BITS} and not all 0")
        return bits

    @property
    def marks(self) -> int:
        """Optional parts of a pattern as bits of `shape_keys`."""
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
        """Total number of slots of all tables."""
        return sum(self.tables << bits for bits in self.bits_of_sizes if bits)


@dataclass
class ShapeTables:
    """Wins and losses by slot, and the games they were counted in."""

    settings: ShapeSettings = field(default_factory=ShapeSettings)
    counts: npt.NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))
    """Pairs of wins and losses: all slots of the first 3x3 table, of the second, and so on."""
    games: int = 0
    broken: int = 0
    """Games that were skipped."""
    moves: int = 0
    losses: int = 0
    """Played moves, and random moves sampled for comparison."""
    documents: dict[str, str] = field(default_factory=dict)
    """Learned files: name by content digest."""

    def __post_init__(self) -> None:
        if not len(self.counts):
            self.counts = np.zeros(2 * self.settings.slots, dtype=np.uint32)

    def parameters(self, backoff: float = 0.0) -> npt.NDArray[np.float64]:
        """Return the parameters of the kernels."""
        record = np.zeros(1, dtype=SHAPE_PARAMETERS)
        record["marks"] = self.settings.marks
        record["tables"] = self.settings.tables
        record["bits"] = self.settings.bits_of_sizes
        record["loads"] = [self._load(ring) for ring in range(len(SIZES))]
        record["backoff"] = backoff
        return record.view(np.float64)

    def counts_of(self, ring: int) -> npt.NDArray[np.uint32]:
        """Return wins and losses of one size: (tables, slots, 2)."""
        bits = self.settings.bits_of_sizes
        widths = [2 * self.settings.tables << b if b else 0 for b in bits]
        first = sum(widths[:ring])
        part = self.counts[first : first + widths[ring]]
        return part.reshape(self.settings.tables, -1, 2)

    def _load(self, ring: int) -> float:
        """Return the median total of a slot of that size: the expected load by collisions."""
        totals = self.counts_of(ring).sum(axis=2)
        return float(np.median(totals)) if totals.size else 0.0

    def slots(self) -> npt.NDArray[np.float32]:
        """Return (rate, total) of every slot for look-up; the rate of an empty slot is 0.5."""
        pairs = self.counts.reshape(-1, 2).astype(np.float32)
        totals = pairs.sum(axis=1)
        with np.errstate(invalid="ignore"):
            rates = np.where(totals > 0, pairs[:, 0] / totals, np.float32(0.5))
        return np.stack([rates, totals], axis=1).ravel().astype(np.float32)

    def about(self) -> dict[str, Any]:
        """Return the settings and counts that the file header stores."""
        return {
            "settings": asdict(self.settings),
            "games": self.games,
            "broken": self.broken,
            "moves": self.moves,
            "losses": self.losses,
            "documents": self.documents,
        }


def save_tables(tables: ShapeTables, path: str | os.PathLike[str]) -> None:
    """Write the tables atomically; raise TengenError if that fails."""
    planes = tables.counts.astype(_COUNT).view(np.uint8).reshape(-1, 2, 4).transpose(1, 2, 0)
    body = zlib.compress(planes.tobytes(), 9)
    about = {**tables.about(), "body_bytes": len(body), "body_crc32": zlib.crc32(body)}
    header = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
    with atomic_write(path) as file:
        file.write(MAGIC + header + b"\n" + body)


def load_tables(path: str | os.PathLike[str]) -> ShapeTables:
    """Read tables; raise TengenError if the file is missing, of another kind or damaged."""
    try:
        with Path(path).open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise TengenError(
                    f"{path}: not a file of pattern tables; create one with `tengen shape learn`"
                )
            header = file.readline(_MAX_HEADER)
            body = file.read()
    except OSError as error:
        raise TengenError(f"cannot read {str(path)!r}: {error.strerror}") from None
    try:
        return _tables(json.loads(header), body)
    except TengenError as error:
        raise TengenError(f"{path}: {error}") from None
    except (ValueError, TypeError, KeyError, AttributeError, zlib.error):
        raise TengenError(f"{path}: damaged pattern tables: invalid header") from None


def _tables(about: dict[str, Any], body: bytes) -> ShapeTables:
    if len(body) != about["body_bytes"]:
        found = f"{len(body):,} of {about['body_bytes']:,} bytes"
        raise TengenError(f"damaged pattern tables: found {found} of counts")
    if zlib.crc32(body) != about["body_crc32"]:
        raise TengenError("damaged pattern tables: wrong checksum")
    settings = ShapeSettings(**about["settings"])
    counts = {name: int(about[name]) for name in ("games", "broken", "moves", "losses")}
    documents = {str(digest): str(name) for digest, name in about["documents"].items()}
    return ShapeTables(settings, _counts(body, settings.slots), documents=documents, **counts)


def _counts(body: bytes, slots: int) -> npt.NDArray[np.uint32]:
    planes = np.frombuffer(zlib.decompress(body), dtype=np.uint8).reshape(2, 4, slots)
    pairs = np.ascontiguousarray(planes.transpose(2, 0, 1))
    return pairs.view(_COUNT).astype(np.uint32).ravel()


@functools.lru_cache(maxsize=4)
def load_cached(path: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]]:
    """Return the kernel parameters and slots of a file (default: the bundled tables)."""
    tables = load_tables(path or BUNDLED_TABLES)
    return tables.parameters(), tables.slots()


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
