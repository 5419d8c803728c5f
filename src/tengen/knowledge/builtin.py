"""What every Go player sees at a glance, as sources: on in every search unless told otherwise."""

from dataclasses import dataclass
from typing import ClassVar

from tengen.knowledge.compiled import SourceCode
from tengen.knowledge.kernels import basic


@dataclass(frozen=True)
class EvenGame:
    """Gives every move some even experience, so that one lost playout does not end it."""

    meaning: ClassVar[str] = "an even game at every point: nothing is known yet"

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        return SourceCode(basic.add_even_game)


@dataclass(frozen=True)
class Tactics:
    """Reads captures, escapes, ataris and ladders."""

    meaning: ClassVar[str] = "captures, escapes and ataris are good, throwing stones away is bad"

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        return SourceCode(basic.add_tactics, memory_cells=basic.TACTICS_MEMORY)


@dataclass(frozen=True)
class Patterns:
    """Looks for the 3x3 patterns of the playouts."""

    meaning: ClassVar[str] = "a 3x3 pattern of MoGo's fits"

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        return SourceCode(basic.add_patterns)


@dataclass(frozen=True)
class Distance:
    """Draws the search to where the last move was."""

    meaning: ClassVar[str] = "near the last move, along the stones"

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        return SourceCode(basic.add_distance, memory_cells=basic.DISTANCE_MEMORY)


@dataclass(frozen=True)
class Lines:
    """Keeps off the edge where nothing is near."""

    meaning: ClassVar[str] = "where no stone is near: first and second line bad, third good"

    def code(self) -> SourceCode:
        """Return what runs in the search."""
        return SourceCode(basic.add_lines)
