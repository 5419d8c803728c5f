"""Where the database lies when no other place is named."""

import os
from pathlib import Path

from tengen.core.folders import data_folder


def usual_place() -> Path:
    """Return the file: `TENGEN_GAMES` names it, else it is in the user's data folder."""
    named = os.environ.get("TENGEN_GAMES")
    return Path(named) if named else data_folder() / "games.sqlite"
