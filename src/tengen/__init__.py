"""Tengen: a Go engine and research lab in Python.

The public API is `tengen.api` (docs/api.md). The names in `PUBLIC` are also available here and are
imported on first use, so that `import tengen` is fast. docs/architecture.md has a map of the code.
"""

import importlib

__version__ = "0.2.0"

PUBLIC = (
    "Color",
    "Engine",
    "EngineSettings",
    "GameRecord",
    "Position",
    "Rules",
    "TengenError",
    "engine_settings",
    "make_engine",
    "read_games",
    "review_game",
    "score_position",
    "see",
)
"""Names from `tengen.api`; `search`, `match` and `sources` are packages here, functions there."""


def __getattr__(name: str) -> object:
    if name == "api":
        return importlib.import_module("tengen.api")
    if name in PUBLIC:
        return getattr(importlib.import_module("tengen.api"), name)
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC, "api"])
