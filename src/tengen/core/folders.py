"""Where users' systems want a program to keep its files."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return Tengen's folder for what can be made again; it need not exist."""
    return _folder("Library/Caches", "XDG_CACHE_HOME", ".cache")


def data_folder() -> Path:
    """Return Tengen's folder for what the user would miss; it need not exist."""
    return _folder("Library/Application Support", "XDG_DATA_HOME", ".local/share")


def _folder(on_mac: str, variable: str, elsewhere: str) -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = f"~/{on_mac}"
    else:
        base = os.environ.get(variable) or f"~/{elsewhere}"
    return Path(base).expanduser() / "tengen"
