"""All layers by name, and the making of one."""

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.core.words import did_you_mean
from tengen.view.builtin_layers import builtin_layers, named_layer
from tengen.view.context import ViewContext
from tengen.view.expert_layers import expert_layers
from tengen.view.info import LayerInfo
from tengen.view.layer import Layer
from tengen.view.net_layers import net_layers
from tengen.view.paper_layers import bigmove_layers, metric_layers, potential_layers
from tengen.view.search_layers import search_layers
from tengen.view.shape_layers import shape_layers

LAYERS: dict[str, LayerInfo] = {
    info.name: info
    for info in (
        *bigmove_layers(),
        *potential_layers(),
        *shape_layers(),
        *net_layers(),
        *metric_layers(),
        *expert_layers(),
        *search_layers(),
        *builtin_layers(),
    )
}
"""In the order in which they are shown; those of a group stand together."""


def find_layer(name: str) -> LayerInfo:
    """Return a layer by its name, or that of a source `FILE.py:NAME` or `SOURCE@VISITS,...`.

    Raise TengenError if there is none.
    """
    if name in LAYERS:
        return LAYERS[name]
    if ":" in name or "@" in name:
        return named_layer(name)
    if name.endswith(".py"):
        raise TengenError(f"name a function of your file: {name}:NAME")
    hint = did_you_mean(name, LAYERS) or "; FILE.py:NAME is one of your own"
    raise TengenError(f"unknown source {name!r}: `tengen view --list` names them{hint}")


def make_layer(name: str, position: Position, context: ViewContext | None = None) -> Layer:
    """Return what a source says of a position.

    Raise TengenError with a clear line for an unknown name and for what it needs and is not
    there: no search, no database, a board too small for the net.
    """
    return layer_of(find_layer(name), position, context)


def layer_of(info: LayerInfo, position: Position, context: ViewContext | None = None) -> Layer:
    """Return a layer that is described already; raise TengenError as `make_layer` does."""
    said = info.make(position, context or ViewContext())
    return Layer(
        name=info.name,
        title=f"{info.title}: {said.note}" if said.note else info.title,
        meaning=info.meaning,
        values=said.values,
        scale=info.scale,
        marks=said.marks,
        labels=said.labels,
        notes=said.notes,
        unit=info.unit,
        low=said.low,
        high=said.high,
        board=position.board(),
    )
