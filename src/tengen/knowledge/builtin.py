"""The compiled sources by name, and the table the search wants of them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.ladder import new_ladder_boards
from tengen.board.kernels.layout import POINTS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.kernels import registry
from tengen.knowledge.source import ALWAYS, Values


@dataclass(frozen=True)
class BuiltinSource:
    """A compiled source with the weight it has in the search."""

    name: str
    equivalent_visits: float
    before_move: int = ALWAYS
    to_depth: int = ALWAYS

    def __post_init__(self) -> None:
        if self.name not in BUILTIN_MEANINGS:
            known = ", ".join(BUILTIN_MEANINGS)
            raise TengenError(f"unknown source {self.name!r}: there are {known}")

    def row(self) -> list[float]:
        """Return the source as a row of the kernels' table."""
        code = float(BUILTIN_CODES[self.name])
        return [code, self.equivalent_visits, float(self.before_move), float(self.to_depth)]

    @property
    def meaning(self) -> str:
        """What the numbers say."""
        return BUILTIN_MEANINGS[self.name]

    def values(self, position: Position) -> Values:
        """Return the value of each point, NaN where the source has no opinion."""
        wins, visits = evaluate([self], position)
        with np.errstate(invalid="ignore"):
            return np.where(visits > 0, wins / np.where(visits > 0, visits, 1), np.nan)


BUILTIN_CODES = {
    "even": registry.EVEN_GAME,
    "tactics": registry.TACTICS,
    "patterns": registry.PATTERNS,
    "distance": registry.DISTANCE,
    "lines": registry.LINES,
}

BUILTIN_MEANINGS = {
    "even": "an even game at every point: nothing is known yet",
    "tactics": "captures, escapes and ataris are good, throwing stones away is bad",
    "patterns": "a 3x3 pattern of MoGo's fits",
    "distance": "near the last move, along the stones",
    "lines": "where no stone is near: first and second line bad, third good",
}


def source_table(sources: list[BuiltinSource]) -> npt.NDArray[np.float64]:
    """Return the table of sources that the kernels read."""
    rows = [source.row() for source in sources]
    return np.array(rows, dtype=np.float64).reshape(-1, registry.COLUMNS_OF_SOURCE)


def evaluate(sources: list[BuiltinSource], position: Position) -> tuple[Values, Values]:
    """Return (value times visits, visits) that the sources give each point together."""
    wins = np.zeros(int(POINTS), dtype=np.float32)
    visits = np.zeros(int(POINTS), dtype=np.float32)
    scratch = np.zeros(registry.SCRATCH, dtype=np.uint32)
    registry.add_priors(
        position.block,
        np.uintp(0),
        source_table(sources),
        wins,
        visits,
        scratch,
        new_ladder_boards(),
    )
    return position.on_grid(wins), position.on_grid(visits)
