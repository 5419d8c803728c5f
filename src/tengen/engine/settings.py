"""All settings of an engine in one object, each settable by `name=value`."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.book.settings import BookSettings
from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter, with_values
from tengen.core.words import did_you_mean
from tengen.engine.levels import level_named
from tengen.engine.presets import preset_named
from tengen.engine.source_text import parse_source
from tengen.knowledge.catalogue import compiled_source
from tengen.knowledge.compiled import CompiledSource
from tengen.knowledge.shape_answers import answer_odds
from tengen.knowledge.source import PythonSource
from tengen.network.net import SYMMETRIES
from tengen.playout.kernels.heavy import NO_ODDS
from tengen.playout.policy import Policy
from tengen.search.limit import Limit
from tengen.search.net_use import NetUse
from tengen.search.settings import SearchSettings


@dataclass(frozen=True)
class PriorSettings:
    """Equivalent visits of each built-in source; 0 leaves it out."""

    even: float = parameter(7.0, "an even game at every move", low=0, high=10**4)
    tactics: float = parameter(20.0, "captures, escapes, ataris", low=0, high=10**4)
    patterns: float = parameter(14.0, "3x3 patterns", low=0, high=10**4)
    distance: float = parameter(7.0, "near the last move along the stones", low=0, high=10**4)
    lines: float = parameter(20.0, "lines in empty regions", low=0, high=10**4)
    shape: float = parameter(
        80.0, "patterns of strong players", low=0, high=10**4, origin="docs/strength.md"
    )

    def __post_init__(self) -> None:
        check(self)

    def sources(self) -> list[CompiledSource]:
        """Return the sources that have a weight."""
        pairs = dataclasses.asdict(self).items()
        return [compiled_source(name, visits) for name, visits in pairs if visits > 0]


@dataclass(frozen=True)
class PlaySettings:
    """How the engine plays a game."""

    playouts: int = parameter(0, "simulations a move; 0 goes by the clock", low=0, high=10**9)
    seconds: float = parameter(1.0, "seconds a move when there is no clock", low=0.01, high=86400)
    lag: float = parameter(0.15, "seconds kept for the way to the other side", low=0, high=60)
    stop_early: bool = parameter(True, "stop when no move can overtake the best; only by the clock")
    ponder: bool = parameter(False, "think on the opponent's time")
    resign: float = parameter(
        0.08,
        "resign below this win rate, once 200 simulations say so, 20 with a net; 0 for never",
        low=0,
        high=0.5,
    )
    resign_after: float = parameter(
        0.25, "but not before this share of the board's points was played", low=0, high=1
    )
    temperature: float = parameter(
        0.0,
        "draw the move by visits to the power 1/temperature: weaker, but natural; 0 plays the best",
        low=0,
        high=10,
    )
    net: str = parameter("none", "the net: a file, one of `tengen net list`, or `none`")
    net_below: str = parameter(
        "none", "a faster net for positions deeper in the tree", origin="paper 001, section 2.2.4"
    )
    net_depth: int = parameter(8, "down to this depth the first net speaks", low=0, high=1000)
    net_symmetry: str = parameter(
        "none",
        "the side from which the net sees a board: as it is, one drawn, or the mean of all",
        choices=SYMMETRIES,
    )
    dynamic_komi: bool = parameter(True, "lead komi from fair to real in uneven games")
    seed: int = parameter(0, "of all random numbers; 0 for a new one each time", low=0, high=2**31)

    def __post_init__(self) -> None:
        check(self)

    def limit(self) -> Limit:
        """Return how long to look at a position from now: the playouts if told, else seconds."""
        return Limit(simulations=self.playouts) if self.playouts else Limit.after(self.seconds)


@dataclass(frozen=True)
class EngineSettings:
    """Everything an engine can be told."""

    play: PlaySettings = field(default_factory=PlaySettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    policy: Policy = field(default_factory=Policy)
    priors: PriorSettings = field(default_factory=PriorSettings)
    opening: BookSettings = field(default_factory=BookSettings)
    net: NetUse = field(default_factory=NetUse)
    sources: tuple[PythonSource | CompiledSource, ...] = ()
    """Sources beside the built-in ones of `priors`."""

    def compiled_sources(self) -> list[CompiledSource]:
        """Return the sources that run compiled."""
        return [*self.priors.sources(), *self.named_sources()]

    def named_sources(self) -> list[CompiledSource]:
        """Return those of them that the user named: filters may be among them."""
        return [source for source in self.sources if isinstance(source, CompiledSource)]

    def python_sources(self) -> list[PythonSource]:
        """Return the sources that run as Python."""
        return [source for source in self.sources if isinstance(source, PythonSource)]

    def answer_odds(self) -> npt.NDArray[np.uint32]:
        """Return the odds by which playouts answer the last move, or none if they do not."""
        return answer_odds() if self.policy.shape_answer > 0 else NO_ODDS

    def with_words(self, words: Iterable[str]) -> "EngineSettings":
        """Return the settings with `name=value` words applied; raise TengenError.

        A name may be a parameter's own (`playouts=500`) or with its part (`search.kind=uct`);
        `prior=my_ideas.py:corner_lover@50` adds a source (see `engine.source_text`); `level=10k`
        and `preset=classic` stand for the settings of a level and of a preset.
        """
        settings = self
        for word in words:
            name, equals, value = word.partition("=")
            if not equals:
                raise TengenError(f"write settings as name=value, not {word!r}")
            settings = settings._with(name.strip(), value.strip())
        return settings

    def _with(self, name: str, value: str) -> "EngineSettings":
        if name == "prior":
            return dataclasses.replace(self, sources=(*self.sources, parse_source(value)))
        if name == "level":
            return level_named(value).settings(self)
        if name == "preset":
            return self.with_words(preset_named(value).words)
        part, _, own = name.rpartition(".")
        for candidate in [part] if part else PARTS:
            component = getattr(self, candidate, None) if candidate in PARTS else None
            if component is not None and own in _names(component):
                changes: dict[str, Any] = {candidate: with_values(component, {own: value})}
                return dataclasses.replace(self, **changes)
        near = did_you_mean(own, setting_names())
        raise TengenError(f"unknown setting {name!r}: `tengen gtp --help` lists them{near}")


PARTS = ("play", "search", "policy", "priors", "net", "opening")


def setting_names() -> set[str]:
    """Return the names of all settings."""
    return {"prior", "preset", "level"}.union(
        *(_names(getattr(EngineSettings(), p)) for p in PARTS)
    )


def _names(component: object) -> set[str]:
    return {item.name for item in dataclasses.fields(component)}  # type: ignore[arg-type]
