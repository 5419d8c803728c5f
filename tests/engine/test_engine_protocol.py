"""All engines implement the `Engine` protocol."""

import inspect

import pytest

from tengen.board import PASS, Position
from tengen.engine import Engine, EngineSettings, MoveReason, SolverEngine, create_engine
from tengen.engine.search_engine import FlatEngine, TreeEngine
from tengen.search import SearchLimit
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

SETTINGS = EngineSettings().with_overrides(
    ["threads=1", "memory_mib=8", "playouts=20", "flat_playouts=5", "seed=7"]
)
MEMBERS = [name for name in vars(Engine) if not name.startswith("_")] + list(Engine.__annotations__)


@pytest.fixture(params=[TreeEngine, FlatEngine, SolverEngine])
def engine(request):
    return request.param(SETTINGS)


def test_members_and_signatures_match(engine):
    assert "seed" in MEMBERS
    assert "think" in MEMBERS
    for name in MEMBERS:
        assert hasattr(engine, name), name
        if callable(expected := getattr(Engine, name, None)):
            actual = list(inspect.signature(getattr(type(engine), name)).parameters)
            assert actual == list(inspect.signature(expected).parameters), name


def test_seed_is_set_and_changed_by_restart(engine):
    assert engine.seed == 7
    engine.restart(8)
    assert engine.seed == 8


def test_plays_a_legal_move(engine):
    position = Position(2)
    engine.new_game()
    decision = engine.think(position)
    assert decision.move == PASS or position.is_legal(decision.move)
    assert not decision.resigns
    assert engine.problems == []
    engine.ponder(position)
    engine.stop_pondering()
    engine.stop()


def test_solver_seed_is_random_without_a_setting():
    assert SolverEngine().seed > 0


def test_solver_cannot_analyze():
    with pytest.raises(TengenError, match="cannot analyze"):
        SolverEngine().analyze(Position(2), SearchLimit())


def test_solver_passes_when_nothing_is_left():
    decision = SolverEngine().clean_up(Position(1))
    assert (decision.move, decision.reason) == (PASS, MoveReason.GAME_OVER)


def test_create_engine_follows_the_settings():
    assert isinstance(create_engine(SETTINGS), TreeEngine)
    assert isinstance(create_engine(SETTINGS.with_overrides(["algorithm=flat"])), FlatEngine)
