"""Built-in sources as layers, and any source that a word names: `FILE.py:NAME`, `shape@1,...`."""

from functools import partial

import numpy as np

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.source_text import parse_source
from tengen.knowledge.catalogue import compiled_source
from tengen.knowledge.compiled import CompiledSource
from tengen.knowledge.source import PythonSource
from tengen.view.context import ViewContext
from tengen.view.info import LayerInfo, Said, best_points, legal_only
from tengen.view.layer import Grid

BUILT_IN = ("tactics", "patterns", "distance", "lines")


def _values(
    source: CompiledSource | PythonSource, position: Position, context: ViewContext
) -> Said:
    values = legal_only(position, source.values(position).astype(np.float64))
    low, high = (0.0, 1.0) if _is_share(values) else (None, None)
    return Said(values, best_points(position, values), low=low, high=high)


def _is_share(values: Grid) -> bool:
    said = values[np.isfinite(values)]
    return bool(said.size) and said.min() >= 0 and said.max() <= 1


def builtin_layers() -> list[LayerInfo]:
    """Return what the sources say that are on in every search."""
    layers = []
    for name in BUILT_IN:
        source = compiled_source(name, 20.0)
        meaning = f"The prior of the search, 0 bad to 1 good: {source.meaning}."
        make = partial(_values, source)
        layers.append(LayerInfo(name, name.capitalize(), meaning, "built-in", make, unit="value"))
    return layers


def named_layer(word: str) -> LayerInfo:
    """Return the layer of a source as the engine's settings write it; raise TengenError."""
    try:
        source = parse_source(word)
    except TengenError as error:
        raise TengenError(f"layer {word}: {error}") from None
    return source_layer(word, source)


def source_layer(word: str, source: CompiledSource | PythonSource) -> LayerInfo:
    """Return the layer of a source, whatever it is called."""
    meaning = f"A source, 0 bad to 1 good for the side to move: {source.meaning}"
    return LayerInfo(word, source.name, meaning, "own", partial(_values, source), unit="value")
