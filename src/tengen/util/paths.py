"""Per-user folders for cached and persistent data."""

import os
from pathlib import Path


def cache_dir() -> Path:
    """Return the folder for data that can be recreated; it need not exist.

    The environment variable `TENGEN_CACHE_DIR` overrides the platform's default.
    """
    override = os.environ.get("TENGEN_CACHE_DIR")
    if override:
        return Path(override)
    from platformdirs import user_cache_path

    return _expand(user_cache_path("tengen", appauthor=False, opinion=False))


def data_dir() -> Path:
    """Return the folder for the user's data (networks, game database); it need not exist."""
    from platformdirs import user_data_path

    return _expand(user_data_path("tengen", appauthor=False))


def _expand(path: Path) -> Path:
    """Return an absolute path; raise RuntimeError if there is no home folder.

    platformdirs leaves `~` in the path in that case.
    """
    return path.expanduser()
