"""The registry of layers: lookup, computation, and compilation in the background."""

import os
import subprocess
import sys
from pathlib import Path

from tengen.board import Position
from tengen.util import TengenError, did_you_mean
from tengen.view.evaluation_layers import expert_layers, net_layers, search_layers
from tengen.view.layer import Layer
from tengen.view.layer_info import LayerInfo, Need, ViewContext
from tengen.view.source_layers import (
    bigmove_layers,
    builtin_layers,
    metric_layers,
    named_layer,
    potential_layers,
    shape_layers,
)

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
"""All layers by name, in display order; the layers of a group are consecutive."""

_NICENESS = 15
"""Scheduling priority of the background process."""
_WARM_UP_CODE = "from tengen.view.registry import run_warm_up; run_warm_up()"


def find_layer(name: str) -> LayerInfo:
    """Return a layer by name, or the layer of a source `FILE.py:NAME` or `SOURCE@VISITS,...`.

    Raise TengenError if there is none.
    """
    if name in LAYERS:
        return LAYERS[name]
    if ":" in name or "@" in name:
        return named_layer(name)
    if name.endswith(".py"):
        raise TengenError(f"add the name of a function of the file: {name}:NAME")
    hint = did_you_mean(name, LAYERS) or "; use FILE.py:NAME for your own"
    raise TengenError(f"unknown source {name!r}: see `tengen view --list`{hint}")


def make_layer(name: str, position: Position, context: ViewContext | None = None) -> Layer:
    """Compute a layer of a position.

    Raise TengenError for an unknown name and for missing inputs: no search, no database, or a
    board size that the network does not support.
    """
    return compute_layer(find_layer(name), position, context)


def compute_layer(info: LayerInfo, position: Position, context: ViewContext | None = None) -> Layer:
    """Compute a layer from its description; raise TengenError as `make_layer` does."""
    found = info.make(position, context or ViewContext())
    return Layer(
        name=info.name,
        title=f"{info.title}: {found.note}" if found.note else info.title,
        meaning=info.meaning,
        values=found.values,
        scale=info.scale,
        marks=found.marks,
        labels=found.labels,
        notes=found.notes,
        unit=info.unit,
        low=found.low,
        high=found.high,
        board=position.board(),
    )


# Compilation in the background


def start_warm_up() -> subprocess.Popen[bytes] | None:
    """Start a process that compiles the kernels of all layers; None if they are compiled.

    Compiling in this process would block it for seconds, since Numba holds the GIL.
    """
    stamp = _stamp_file()
    if stamp is None or stamp.exists():
        return None
    null = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-c", _WARM_UP_CODE], stdin=null, stdout=null, stderr=null
    )


def run_warm_up() -> None:
    """Run `warm_up` at low priority: the background process."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    warm_up()


def warm_up() -> None:
    """Compute every layer that needs no search and no database, then mark completion."""
    for name, info in LAYERS.items():
        if info.needs in (Need.NOTHING, Need.NET):
            make_layer(name, Position(9))
    stamp = _stamp_file()
    if stamp is not None:
        stamp.touch()


def _stamp_file() -> Path | None:
    """Return the file that marks completion, in the kernel cache; None without a cache."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    return Path(folder) / "layers-are-compiled" if folder else None
