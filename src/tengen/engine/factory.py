"""Creation of engines from settings."""

from tengen.engine.engine import Engine
from tengen.engine.first_start import compile_on_two_cores
from tengen.engine.levels.engine import LevelEngine
from tengen.engine.levels.table import STRONGEST
from tengen.engine.search_engine import FlatEngine, TreeEngine
from tengen.engine.settings import EngineSettings
from tengen.search import FLAT


def create_engine(settings: EngineSettings | None = None) -> Engine:
    """Return the engine that the settings describe; raise TengenError."""
    settings = settings or EngineSettings()
    if settings.play.level != STRONGEST:
        return LevelEngine(settings)
    if settings.search.algorithm == FLAT:
        return FlatEngine(settings)
    compile_on_two_cores(settings)
    return TreeEngine(settings)
