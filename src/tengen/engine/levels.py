"""Levels of play by rank, from a beginner to all that the machine can give.

A weak level searches little and draws its move among those the search looked at, the likelier the
more it did (`temperature`). Its moves look natural, since patterns of strong players guide even a
small search; it passes and resigns as the strongest does, because that is not drawn.
They were measured on 9x9, each against the one below and one against GNU Go, which is taken for 8
kyu; a rank is about 63 Elo there. What they are worth on larger boards is not known
(docs/strength.md).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.core.errors import TengenError

if TYPE_CHECKING:
    from tengen.engine.settings import EngineSettings


@dataclass(frozen=True)
class Level:
    """A level of play; its name is its rank."""

    name: str
    meaning: str
    words: tuple[str, ...] = ()
    """The settings that make it."""
    measured: str = ""
    """How often it beats the level below."""

    @property
    def rank(self) -> str:
        """The rank, for people: `15 kyu`."""
        grades = {"k": "kyu", "d": "dan"}
        grade = grades.get(self.name[-1])
        return f"{self.name[:-1]} {grade}" if grade else self.name

    def settings(self, base: "EngineSettings") -> "EngineSettings":
        """Return `base` at this level."""
        return base.with_words(self.words)


def _level(
    name: str, meaning: str, playouts: int, temperature: float = 0.0, measured: str = ""
) -> Level:
    """Return a level below the strongest: it needs no net and no clock."""
    words = ("net=none", f"playouts={playouts}", f"temperature={temperature:g}")
    return Level(name, meaning, words, measured)


STRONGEST = "strongest"
LEVELS = (
    _level("25k", "a beginner who knows the rules", 200, 5.0),
    _level("20k", "plays shapes, sees little", 200, 1.7, "86% of 200"),
    _level("16k", "sees captures now and then", 200, 1.0, "80% of 200"),
    _level("13k", "knows what is large", 200, 0.6, "77% of 200"),
    _level("10k", "a casual player", 200, 0.2, "74% of 200"),
    _level(
        "8k", "about as strong as GNU Go on 9x9", 300, 0.0, "68% of 200; 47% of 98 against GNU Go"
    ),
    _level("5k", "a club player", 600, 0.0, "74% of 200"),
    _level("2k", "a strong club player", 1300, 0.0, "73% of 200"),
    _level("1d", "stronger still", 3000, 0.0, "71% of 70"),
    Level(STRONGEST, "all that the settings and the clock allow"),
)
"""From weak to strong."""


def level_named(name: str) -> Level:
    """Return the level of that name; raise TengenError if there is none."""
    for level in LEVELS:
        if level.name == name.strip().lower():
            return level
    names = ", ".join(level.name for level in LEVELS)
    raise TengenError(f"unknown level {name!r}: there are {names}")
