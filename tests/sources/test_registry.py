"""The interface of compiled sources: parameters, tables, memory, limits, pruning."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from tengen.board import PASS, Position, parse_vertex
from tengen.board.kernels.layout import EMPTY_COUNT, EMPTY_LIST
from tengen.engine import parse_source
from tengen.playout.policy import LIGHT_POLICY
from tengen.search import EvaluatorSet, Searcher, SearchLimit, SearchSettings
from tengen.sources import CompiledSource, evaluate_sources, registry, source_table
from tengen.sources.kernels.registry import PRUNED, add_priors
from tengen.sources.registry import SourceCode
from tengen.util import TengenError, check, parameter
from tengen.util.compiler import kernel

pytestmark = pytest.mark.kernels


@kernel
def add_probe(block, parameters, tables, memory, wins, visits):
    """Record the arguments: B1 the parameters, C1 the table, D1 the number of calls."""
    memory[0] += 1
    bottom = np.uintp(parameters[2])
    wins[bottom], visits[bottom] = parameters[0] * parameters[1], parameters[0]
    wins[bottom + np.uintp(1)], visits[bottom + np.uintp(1)] = tables[1], len(tables)
    wins[bottom + np.uintp(2)], visits[bottom + np.uintp(2)] = memory[0], len(memory)


@kernel
def add_pruning(block, parameters, tables, memory, wins, visits):
    """Prune every empty point but one."""
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if point != np.uintp(parameters[1]):
            visits[point] = PRUNED


@dataclass(frozen=True)
class Probe:
    """A source that records its arguments."""

    meaning: ClassVar[str] = "nothing"
    value: float = parameter(0.25, "at B1", low=0, high=1)
    cells: int = parameter(3, "of memory", low=1, high=9)

    def __post_init__(self):
        check(self)

    def code(self):
        tables = np.array([7, 8], dtype=np.float32)
        b1 = parse_vertex("B1", 5, 5)
        return SourceCode(add_probe, (self.value, float(b1)), tables, self.cells)


@dataclass(frozen=True)
class Pruning:
    """Prunes all points but one, or all."""

    meaning: ClassVar[str] = "one point only"
    point: int = 0

    def code(self):
        return SourceCode(add_pruning, (float(self.point),))


def test_each_source_gets_its_own_parameters_tables_and_memory():
    sources = [
        CompiledSource("first", Probe(), 10.0),
        CompiledSource("second", Probe(0.5, cells=5), 20.0),
    ]
    table = source_table(sources)
    memory = np.zeros(int(table.memory_starts[-1]))
    wins, visits = (np.zeros(424, dtype=np.float32) for _ in range(2))
    for _ in range(3):
        add_priors(Position(5).block, np.uintp(0), table, memory, wins, visits)
    assert memory.tolist() == [3, 0, 0, 3, 0, 0, 0, 0]
    b1 = parse_vertex("B1", 5, 5)
    assert wins[b1 : b1 + 3].tolist() == [10, 8, 3]
    assert visits[b1 : b1 + 3].tolist() == [20, 2, 5]


def test_parses_and_checks_parameters(monkeypatch):
    monkeypatch.setitem(registry.BUILTIN_SOURCES, "probe", f"{__name__}:Probe")
    source = parse_source("probe@30,before=5,value=0.75,depth=2")
    assert isinstance(source, CompiledSource)
    assert (source.equivalent_visits, source.before_move, source.to_depth) == (30, 5, 2)
    assert evaluate_sources([source], Position(5))[0][4, 1] == 30 * 0.75
    for wrong in ("probe@1,value=2", "probe@1,valeu=1", "probe@1,value", "probe@1,cells=many"):
        with pytest.raises(TengenError, match="source"):
            parse_source(wrong)


def candidates(point: int) -> set[int]:
    source = CompiledSource("pruning", Pruning(point), 1.0)
    settings = SearchSettings(threads=1, memory_mib=8, expansion_visits=1)
    searcher = Searcher(settings, LIGHT_POLICY, EvaluatorSet(source_table([source])))
    searcher.set_position(Position(5))
    searcher.run(SearchLimit(simulations=300))
    return {candidate.move for candidate in searcher.report().candidates}


def test_pruned_moves_are_not_searched():
    middle = parse_vertex("C3", 5, 5)
    assert candidates(middle) == {middle, PASS}


def test_all_moves_are_kept_if_all_are_pruned():
    assert len(candidates(0)) == 26


def test_pruned_points_have_negative_visits():
    source = CompiledSource("pruning", Pruning(parse_vertex("C3", 5, 5)), 1.0)
    pruned = evaluate_sources([source], Position(5))[1] < 0
    assert pruned.sum() == 24
    assert not pruned[2, 2]
