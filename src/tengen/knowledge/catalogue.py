"""The compiled sources by name. A new one needs a line here and nothing else."""

import importlib
from collections.abc import Mapping
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.parameters import with_values
from tengen.knowledge.compiled import CompiledSource
from tengen.knowledge.source import ALWAYS

CATALOGUE = {
    "even": "tengen.knowledge.builtin:EvenGame",
    "tactics": "tengen.knowledge.builtin:Tactics",
    "patterns": "tengen.knowledge.builtin:Patterns",
    "distance": "tengen.knowledge.builtin:Distance",
    "lines": "tengen.knowledge.builtin:Lines",
    "metric": "tengen.knowledge.metric:Metric",
    "potential": "tengen.knowledge.potential:Potential",
    "shape": "tengen.knowledge.shape:Shape",
    "bigmove": "tengen.knowledge.bigmove:BigMove",
}
"""Module and class of each source's parameters; imported when it is used."""


def parameters_of(name: str) -> Any:
    """Return the class of a source's parameters; raise TengenError if there is no such source."""
    if name not in CATALOGUE:
        ours = ", ".join(CATALOGUE)
        raise TengenError(f"unknown source {name!r}: there are {ours}, and your own, FILE.py:NAME")
    module, _, kind = CATALOGUE[name].partition(":")
    return getattr(importlib.import_module(module), kind)


def compiled_source(
    name: str,
    equivalent_visits: float,
    before_move: int = ALWAYS,
    to_depth: int = ALWAYS,
    values: Mapping[str, str] | None = None,
) -> CompiledSource:
    """Return a source by its name, with its own parameters as texts; raise TengenError."""
    try:
        parameters = with_values(parameters_of(name)(), dict(values or {}))
    except TengenError as error:
        raise TengenError(f"source {name}: {error}" if name in CATALOGUE else str(error)) from None
    return CompiledSource(name, parameters, equivalent_visits, before_move, to_depth)
