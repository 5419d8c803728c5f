"""Sources that a network replaces are compiled only when they are needed."""

import pytest

from tengen.board import Position
from tengen.engine import EngineSettings, create_engine
from tengen.engine.search_engine import TreeEngine
from tengen.search import SearchLimit
from tengen.sources import registry


@pytest.fixture
def compiled(monkeypatch):
    """Return the kernels that are compiled."""
    found = []
    genuine = registry.source_address
    monkeypatch.setattr(registry, "source_address", lambda k: (found.append(k), genuine(k))[1])
    return found


def make_engine(*words) -> TreeEngine:
    settings = ["preset=laptop", "threads=1", "memory_mib=8", "seed=1", *words]
    return create_engine(EngineSettings().with_overrides(settings))


def test_a_network_needs_no_sources(compiled):
    engine = make_engine()
    engine.analyze(Position(9), SearchLimit(simulations=20))
    assert compiled == []


def test_small_boards_need_them(compiled):
    """The network does not evaluate boards smaller than 5x5."""
    engine = make_engine()
    report = engine.analyze(Position(4), SearchLimit(simulations=50))
    assert report.visits >= 50
    assert len(compiled) == len(engine.settings.compiled_sources())


@pytest.mark.parametrize("word", ["net=none", "net_weight=0.5"])
def test_sources_that_have_influence_are_compiled_at_the_start(compiled, word):
    engine = make_engine(word)
    assert len(compiled) == len(engine.settings.compiled_sources())
