"""Small things that a session keeps."""

from enum import IntEnum
from typing import NamedTuple

from tengen import __version__
from tengen.board.position import Position
from tengen.search.report import SearchReport


class Heed(IntEnum):
    """What ends the search that is running."""

    NOTHING = 0
    INTERRUPT = 1
    """The line `# interrupt` of GoGui."""
    ANY_LINE = 2


class Identity(NamedTuple):
    """Who the engine says it is."""

    name: str = "Tengen"
    version: str = __version__


class Seen(NamedTuple):
    """What the last search found, and where."""

    position: Position
    report: SearchReport
