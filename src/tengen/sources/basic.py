"""Built-in sources for basic Go heuristics; active in every search by default."""

from dataclasses import dataclass
from typing import ClassVar

from tengen.sources.kernels import basic
from tengen.sources.registry import SourceCode


@dataclass(frozen=True)
class EvenGame:
    """Starts every move with even results, so that one lost playout does not rule it out."""

    meaning: ClassVar[str] = "an even result at every point"

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        return SourceCode(basic.add_even_game)


@dataclass(frozen=True)
class Tactics:
    """Captures, escapes, ataris and ladders."""

    meaning: ClassVar[str] = "captures, escapes and ataris are good, losing stones is bad"

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        return SourceCode(basic.add_tactics, memory_cells=basic.TACTICS_MEMORY)


@dataclass(frozen=True)
class Patterns:
    """The 3x3 patterns of the playouts."""

    meaning: ClassVar[str] = "matches one of MoGo's 3x3 patterns"

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        return SourceCode(basic.add_patterns)


@dataclass(frozen=True)
class Distance:
    """Chain distance from the last move."""

    meaning: ClassVar[str] = "near the last move, by chain distance"

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        return SourceCode(basic.add_distance, memory_cells=basic.DISTANCE_MEMORY)


@dataclass(frozen=True)
class Lines:
    """Line from the edge, where no stone is near."""

    meaning: ClassVar[str] = "with no stone near: first and second line bad, third line good"

    def code(self) -> SourceCode:
        """Return the kernel and its data."""
        return SourceCode(basic.add_lines)
