"""Compiled sources as objects, and the table the search wants of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.board.position import Position
from tengen.knowledge.kernels.registry import NUMBERS, Sources, add_priors, source_address
from tengen.knowledge.source import ALWAYS, Values


class SourceCode(NamedTuple):
    """A source as the search runs it; `knowledge.kernels.registry` tells what the parts mean."""

    kernel: Any
    numbers: tuple[float, ...] = ()
    """The source's own, which it finds from `numbers[1]` on."""
    tables: npt.NDArray[np.float32] | None = None
    memory_cells: int = 0


class SourceParameters(Protocol):
    """What makes a compiled source: a frozen dataclass of its parameters."""

    meaning: ClassVar[str]
    """What the numbers say, in one line."""

    def code(self) -> SourceCode:
        """Return what runs in the search."""


@dataclass(frozen=True)
class CompiledSource:
    """A compiled source with the weight it has in the search."""

    name: str
    parameters: SourceParameters
    equivalent_visits: float
    before_move: int = ALWAYS
    to_depth: int = ALWAYS

    @property
    def meaning(self) -> str:
        """What the numbers say."""
        return self.parameters.meaning

    def values(self, position: Position) -> Values:
        """Return the value of each point, NaN where the source has no opinion.

        A source whose visits say more than its value has a `values` of its own.
        """
        if hasattr(self.parameters, "values"):
            own: Values = self.parameters.values(position)
            return own
        wins, visits = evaluate([self], position)
        return np.where(visits > 0, wins / np.where(visits > 0, visits, 1), np.nan)


def source_table(sources: Sequence[CompiledSource]) -> Sources:
    """Return the table of sources that the kernels read; compiles those that are new."""
    codes = [source.parameters.code() for source in sources]
    tables = [_tables(code) for code in codes]
    limits = [[float(source.before_move), float(source.to_depth)] for source in sources]
    return Sources(
        address=np.array([source_address(code.kernel) for code in codes], dtype=np.uint64),
        limits=np.array(limits, dtype=np.float64).reshape(-1, 2),
        numbers=_numbers(sources, codes),
        tables=np.concatenate([*tables, np.empty(0, dtype=np.float32)]),
        table_starts=_starts([table.size for table in tables]),
        memory_starts=_starts([code.memory_cells for code in codes]),
    )


def evaluate(sources: Sequence[CompiledSource], position: Position) -> tuple[Values, Values]:
    """Return (value times visits, visits) that the sources give each point together."""
    wins = np.zeros(int(POINTS), dtype=np.float32)
    visits = np.zeros(int(POINTS), dtype=np.float32)
    table = source_table(sources)
    memory = np.zeros(int(table.memory_starts[-1]))
    add_priors(position.block, np.uintp(0), table, memory, wins, visits)
    return position.on_grid(wins), position.on_grid(visits)


def _tables(code: SourceCode) -> npt.NDArray[np.float32]:
    return np.empty(0, dtype=np.float32) if code.tables is None else code.tables.ravel()


def _numbers(
    sources: Sequence[CompiledSource], codes: Sequence[SourceCode]
) -> npt.NDArray[np.float64]:
    numbers = np.zeros((len(sources), NUMBERS))
    for row, source, code in zip(numbers, sources, codes, strict=True):
        row[: 1 + len(code.numbers)] = source.equivalent_visits, *code.numbers
    return numbers


def _starts(lengths: list[int]) -> npt.NDArray[np.uint64]:
    return np.array([0, *accumulate(lengths)], dtype=np.uint64)
