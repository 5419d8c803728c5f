"""Compiled sources: their parameters, their kernel interface, and the built-in ones by name."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.board.kernels.layout import POINTS
from tengen.sources.kernels.registry import MAX_PARAMETERS, Sources, add_priors, source_address
from tengen.sources.source import NO_LIMIT, DeferredSources, Values
from tengen.util import TengenError, with_values

BUILTIN_SOURCES = {
    "even": "tengen.sources.basic:EvenGame",
    "tactics": "tengen.sources.basic:Tactics",
    "patterns": "tengen.sources.basic:Patterns",
    "distance": "tengen.sources.basic:Distance",
    "lines": "tengen.sources.basic:Lines",
    "metric": "tengen.sources.metric:Metric",
    "potential": "tengen.sources.potential:Potential",
    "shape": "tengen.sources.shape:Shape",
    "bigmove": "tengen.sources.bigmove:BigMove",
}
"""Parameter class of each built-in source, imported on first use. Add new sources here."""


class SourceCode(NamedTuple):
    """What the search needs to run a source (see `tengen.sources.kernels.registry`)."""

    kernel: Any
    parameters: Sequence[float] = ()
    """The source's own parameters, passed after the equivalent visits."""
    tables: npt.NDArray[np.float32] | None = None
    memory_cells: int = 0


class SourceParameters(Protocol):
    """The frozen dataclass of a compiled source's parameters."""

    meaning: ClassVar[str]
    """What the values mean, in one line."""

    def code(self) -> SourceCode:
        """Return the kernel and its data."""


@dataclass(frozen=True)
class CompiledSource:
    """A compiled source and its weight in the search."""

    name: str
    parameters: SourceParameters
    equivalent_visits: float
    before_move: int = NO_LIMIT
    to_depth: int = NO_LIMIT

    @property
    def meaning(self) -> str:
        """What the values mean, in one line."""
        return self.parameters.meaning

    def values(self, position: Position) -> Values:
        """Return the value of each point, NaN where the source gives no score.

        The values are those of the parameters' own `values` method, if there is one, or the
        average result of the equivalent visits.
        """
        if hasattr(self.parameters, "values"):
            own: Values = self.parameters.values(position)
            return own
        wins, visits = evaluate_sources([self], position)
        return np.where(visits > 0, wins / np.where(visits > 0, visits, 1), np.nan)


def parameters_of(name: str) -> Any:
    """Return the parameter class of a built-in source; raise TengenError if it is unknown."""
    if name not in BUILTIN_SOURCES:
        known = ", ".join(BUILTIN_SOURCES)
        raise TengenError(f"unknown source {name!r}: use {known}, or your own as FILE.py:NAME")
    module, _, kind = BUILTIN_SOURCES[name].partition(":")
    return getattr(importlib.import_module(module), kind)


def compiled_source(
    name: str,
    equivalent_visits: float,
    before_move: int = NO_LIMIT,
    to_depth: int = NO_LIMIT,
    values: Mapping[str, str] | None = None,
) -> CompiledSource:
    """Return a built-in source with parameters given as text; raise TengenError."""
    try:
        parameters = with_values(parameters_of(name)(), dict(values or {}))
    except TengenError as error:
        raise TengenError(
            f"source {name}: {error}" if name in BUILTIN_SOURCES else str(error)
        ) from None
    return CompiledSource(name, parameters, equivalent_visits, before_move, to_depth)


def pack_parameters(fields: np.dtype[Any], **values: float) -> npt.NDArray[np.float64]:
    """Return named parameters in the order of a kernel's record, unnamed ones 0."""
    record = np.zeros(1, dtype=fields)
    for name, value in values.items():
        record[name] = value
    return record.view(np.float64)


def source_table(sources: Sequence[CompiledSource]) -> Sources:
    """Return the sources as the kernels read them, compiling kernels that are not cached."""
    codes = [source.parameters.code() for source in sources]
    tables = [_tables(code) for code in codes]
    limits = [[float(source.before_move), float(source.to_depth)] for source in sources]
    return Sources(
        address=np.array([source_address(code.kernel) for code in codes], dtype=np.uint64),
        limits=np.array(limits, dtype=np.float64).reshape(-1, 2),
        parameters=_parameters(sources, codes),
        tables=np.concatenate([*tables, np.empty(0, dtype=np.float32)]),
        table_starts=_starts([table.size for table in tables]),
        memory_starts=_starts([code.memory_cells for code in codes]),
    )


def deferred_source_table(sources: Sequence[CompiledSource]) -> DeferredSources:
    """Return the sources; their kernels are compiled when the table is first read."""
    memory_cells = sum(source.parameters.code().memory_cells for source in sources)
    return DeferredSources(lambda: source_table(sources), memory_cells)


def evaluate_sources(
    sources: Sequence[CompiledSource], position: Position
) -> tuple[Values, Values]:
    """Return (value * visits, visits) of each point, summed over the sources."""
    wins = np.zeros(int(POINTS), dtype=np.float32)
    visits = np.zeros(int(POINTS), dtype=np.float32)
    table = source_table(sources)
    memory = np.zeros(int(table.memory_starts[-1]))
    add_priors(position.block, np.uintp(0), table, memory, wins, visits)
    return position.on_grid(wins), position.on_grid(visits)


def _tables(code: SourceCode) -> npt.NDArray[np.float32]:
    return np.empty(0, dtype=np.float32) if code.tables is None else code.tables.ravel()


def _parameters(
    sources: Sequence[CompiledSource], codes: Sequence[SourceCode]
) -> npt.NDArray[np.float64]:
    parameters = np.zeros((len(sources), MAX_PARAMETERS))
    for row, source, code in zip(parameters, sources, codes, strict=True):
        row[: 1 + len(code.parameters)] = source.equivalent_visits, *code.parameters
    return parameters


def _starts(lengths: list[int]) -> npt.NDArray[np.uint64]:
    return np.array([0, *accumulate(lengths)], dtype=np.uint64)
