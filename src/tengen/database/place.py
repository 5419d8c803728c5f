"""Where the database lies when no other place is named."""

import os
import sys
from pathlib import Path


def usual_place() -> Path:
    """Return the file: `TENGEN_GAMES` names it, else it is in the user's data folder."""
    if named := os.environ.get("TENGEN_GAMES"):
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "tengen" / "games.sqlite"
