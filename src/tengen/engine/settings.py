"""The settings of an engine, each of which can be set as `name=value`."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.engine.book.settings import BookSettings
from tengen.engine.levels.table import STRONGEST, level_named
from tengen.engine.presets import preset_named
from tengen.nets import SYMMETRIES
from tengen.playout import PlayoutPolicy
from tengen.playout.kernels.heavy import NO_ODDS
from tengen.search import EvaluatorWeights, SearchLimit, SearchSettings
from tengen.sources import (
    NO_LIMIT,
    CompiledSource,
    PythonSource,
    answer_odds,
    compiled_source,
    load_source,
)
from tengen.util import TengenError, check, did_you_mean, parameter, with_values

DEFAULT_VISITS = 20.0
"""Equivalent visits of a source whose text does not give them."""

RENAMED = {
    "kind": "algorithm",
    "exploration": "uct_exploration",
    "equivalent_rave": "rave_equivalence",
    "first_play": "fpu_value",
    "puct_reduction": "fpu_reduction",
    "wide_root": "wide_root_noise",
    "expand_at": "expansion_visits",
    "final": "final_choice",
    "flat_eyes": "flat_fill_eyes",
    "reuse": "subtree_reuse",
    "net_reading": "net_value_node",
    "net_cap": "net_max_weight",
    "doubt_points": "disagreement_points",
    "book_games": "book_min_games",
    "book_results": "book_result_power",
    "book_shape": "book_shape_games",
    "book_least": "book_min_weight",
}
"""Settings that had another name in version 0.1."""


@dataclass(frozen=True)
class PriorSettings:
    """Equivalent visits of the built-in sources; 0 disables a source."""

    even: float = parameter(7.0, "value 0.5 for every move", low=0, high=10**4)
    tactics: float = parameter(20.0, "captures, escapes, ataris", low=0, high=10**4)
    patterns: float = parameter(14.0, "3x3 patterns", low=0, high=10**4)
    distance: float = parameter(7.0, "distance to the last move along stones", low=0, high=10**4)
    lines: float = parameter(20.0, "lines of the board in empty regions", low=0, high=10**4)
    shape: float = parameter(80.0, "shape patterns of strong players", low=0, high=10**4)

    def __post_init__(self) -> None:
        check(self)

    def sources(self) -> list[CompiledSource]:
        """Return the enabled sources."""
        pairs = dataclasses.asdict(self).items()
        return [compiled_source(name, visits) for name, visits in pairs if visits > 0]


@dataclass(frozen=True)
class PlaySettings:
    """How the engine plays a game."""

    level: str = parameter(
        STRONGEST,
        "rank to play at, 30k to 9d, or auto; other settings have no effect on its moves",
    )
    playouts: int = parameter(
        0, "simulations per move; 0 to use the time instead", low=0, high=10**9
    )
    seconds: float = parameter(1.0, "seconds per move without a clock", low=0.01, high=86400)
    lag: float = parameter(0.15, "network lag allowance, in seconds", low=0, high=60)
    stop_early: bool = parameter(
        True, "stop when no move can overtake the best; only when limited by time"
    )
    ponder: bool = parameter(False, "search during the opponent's turn")
    resign: float = parameter(
        0.08,
        "win rate below which to resign, after 200 visits or 20 with a network; 0 for never",
        low=0,
        high=0.5,
    )
    resign_after: float = parameter(
        0.25, "moves per point of the board before resigning is allowed", low=0, high=1
    )
    temperature: float = parameter(
        0.0,
        "sample the move by visits to the power 1/temperature; 0 for the best move",
        low=0,
        high=10,
    )
    net: str = parameter("none", "network: a file, a name in `tengen net list`, or `none`")
    net_below: str = parameter(
        "none", "faster network below `net_depth`", origin="paper 001, section 2.2.4"
    )
    net_depth: int = parameter(8, "maximum depth of the first network", low=0, high=1000)
    net_symmetry: str = parameter(
        "none",
        "board symmetry for the network: none, one drawn at random, or the average of all",
        choices=SYMMETRIES,
    )
    human_net: str = parameter(
        "none", "human-like network that analysis reports beside the first; as `net`"
    )
    human_profile: str = parameter(
        "", "players that it imitates: rank_5k, preaz_9d, proyear_1985, ..."
    )
    dynamic_komi: bool = parameter(True, "use dynamic komi in uneven games")
    seed: int = parameter(0, "random seed; 0 for a new one each time", low=0, high=2**31)

    def __post_init__(self) -> None:
        check(self)
        # The name as in `LEVELS`, so that equal settings compare equal.
        object.__setattr__(self, "level", level_named(self.level).name)
        if self.human_profile:
            from tengen.nets.katago import parse_profile  # slow to import

            parse_profile(self.human_profile)

    def limit(self) -> SearchLimit:
        """Return the limit of one search that starts now: playouts if set, otherwise seconds."""
        if self.playouts:
            return SearchLimit(simulations=self.playouts)
        return SearchLimit.after(self.seconds)


@dataclass(frozen=True)
class EngineSettings:
    """All settings of an engine.

    Examples
    --------
    >>> settings = EngineSettings().with_overrides(["playouts=100", "search.algorithm=uct"])
    >>> settings.play.playouts, settings.search.algorithm
    (100, 'uct')
    """

    play: PlaySettings = field(default_factory=PlaySettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    policy: PlayoutPolicy = field(default_factory=PlayoutPolicy)
    priors: PriorSettings = field(default_factory=PriorSettings)
    opening: BookSettings = field(default_factory=BookSettings)
    net: EvaluatorWeights = field(default_factory=EvaluatorWeights)
    sources: tuple[PythonSource | CompiledSource, ...] = ()
    """Sources in addition to the built-in ones of `priors`."""

    def compiled_sources(self) -> list[CompiledSource]:
        """Return all compiled sources."""
        return [*self.priors.sources(), *self.named_sources()]

    def named_sources(self) -> list[CompiledSource]:
        """Return the compiled sources that were added by name; they may be filters."""
        return [source for source in self.sources if isinstance(source, CompiledSource)]

    def python_sources(self) -> list[PythonSource]:
        """Return the Python sources."""
        return [source for source in self.sources if isinstance(source, PythonSource)]

    def answer_odds(self) -> npt.NDArray[np.uint32]:
        """Return the odds of the playouts' shape answers; empty if they are disabled."""
        return answer_odds() if self.policy.shape_answer > 0 else NO_ODDS

    def with_overrides(self, overrides: Iterable[str]) -> "EngineSettings":
        """Return the settings with `name=value` overrides applied in order; raise TengenError.

        Names may include the part (`search.algorithm=uct`). `prior=bigmove@50` adds a source (see
        `parse_source`); `preset=classic` applies the settings of a preset.
        """
        settings = self
        for override in overrides:
            name, equals, value = override.partition("=")
            if not equals:
                raise TengenError(f"settings must be given as name=value, got {override!r}")
            settings = settings._with(name.strip(), value.strip())
        return settings

    def overrides(self, with_parts: bool = True) -> list[str]:
        """Return the changes from the defaults as `part.name=value` or `name=value`."""
        words, default = [], EngineSettings()
        for part in PARTS:
            usual, chosen = getattr(default, part), getattr(self, part)
            changed = ((f.name, getattr(chosen, f.name)) for f in dataclasses.fields(chosen))
            prefix = f"{part}." if with_parts else ""
            words += [f"{prefix}{n}={value}" for n, value in changed if value != getattr(usual, n)]
        return words + [f"prior={s.name}@{s.equivalent_visits:g}" for s in self.sources]

    def _with(self, name: str, value: str) -> "EngineSettings":
        if name == "prior":
            return dataclasses.replace(self, sources=(*self.sources, parse_source(value)))
        if name == "preset":
            return self.with_overrides(preset_named(value).overrides)
        part, _, own = name.rpartition(".")
        for candidate in [part] if part else PARTS:
            component = getattr(self, candidate, None) if candidate in PARTS else None
            if component is not None and own in _names(component):
                changes: dict[str, Any] = {candidate: with_values(component, {own: value})}
                return dataclasses.replace(self, **changes)
        if own in RENAMED:
            raise TengenError(f"unknown setting {name!r}: it was renamed to {RENAMED[own]!r}")
        hint = did_you_mean(own, setting_names())
        raise TengenError(f"unknown setting {name!r}: `tengen gtp --help` lists them{hint}")


PARTS = ("play", "search", "policy", "priors", "net", "opening")


def setting_names() -> set[str]:
    """Return the names of all settings."""
    parts = (_names(getattr(EngineSettings(), part)) for part in PARTS)
    return {"prior", "preset"}.union(*parts)


def _names(component: object) -> set[str]:
    return {item.name for item in dataclasses.fields(component)}  # type: ignore[arg-type]


def parse_source(
    text: str, visits: float = DEFAULT_VISITS, before: int = NO_LIMIT, depth: int = NO_LIMIT
) -> PythonSource | CompiledSource:
    """Parse a source, such as `lines@14,before=20` or `my_sources.py:corners@50,depth=2`.

    The name of a compiled source or FILE.py:FUNCTION is followed by `@` and the equivalent
    visits, then by limits (`before` a move number, down to a `depth` of the tree) and by
    parameters of a compiled source. The arguments are the defaults. Raise TengenError.
    """
    at = text.find("@", text.rfind(".py:") + 1)  # directory names may contain @
    name, tail = (text[:at], text[at + 1 :]) if at >= 0 else (text, "")
    weight, *words = tail.split(",")
    visits = _parse_number(weight, "equivalent visits") if weight else visits
    values = dict(_parse_parameter(word) for word in words)
    before, depth = _parse_limit(values, "before", before), _parse_limit(values, "depth", depth)
    if ":" not in name:
        return compiled_source(name, visits, before, depth, values)
    if values:
        raise TengenError(f"unknown limit {min(values)!r} of a source: use before=MOVE or depth=N")
    return load_source(name, visits, before, depth)


def _parse_parameter(word: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not equals:
        raise TengenError(f"parameters of a source must be given as name=value, got {word!r}")
    return key, value


def _parse_limit(values: dict[str, str], key: str, default: int) -> int:
    """Remove a limit from the parameters of a source and return it."""
    return int(_parse_number(values.pop(key), key)) if key in values else default


def _parse_number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise TengenError(f"{name} must be a non-negative number, got {text!r}")
    return value
