"""Tengen: a Go engine and laboratory in Python.

Its public functions stand in `tengen.api` (docs/api.md); `tengen.Position` and the others named
in `PUBLIC` come from there when they are first asked for, so that `import tengen` costs nothing.
To read the code, start at `tengen.board.position` (the game), then `tengen.board.kernels.layout`
(how a board lies in memory). `docs/architecture.md` has the map.
"""

import importlib

__version__ = "0.1.0"

PUBLIC = (
    "Colour",
    "Engine",
    "GameRecord",
    "Position",
    "Rules",
    "TengenError",
    "analyse",
    "judge",
    "make_engine",
    "read_games",
    "see",
    "sources",
)
"""From `tengen.api`; `search` and `match` are packages here, and functions only there."""


def __getattr__(name: str) -> object:
    if name == "api":
        return importlib.import_module("tengen.api")
    if name in PUBLIC:
        return getattr(importlib.import_module("tengen.api"), name)
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC, "api"])
