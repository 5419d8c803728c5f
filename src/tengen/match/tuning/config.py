"""Tuning configuration from a TOML file.

```toml
method = "spsa"                 # or "population"
player = "tengen playouts=500"  # {name} is replaced by a value; not needed for Tengen
iterations = 1000               # SPSA: pairs of games
size = "9"
komi = 7.5
openings = "random:4"

[[parameters]]
name = "uct_exploration"
low = 0.0
high = 2.0

# Instead of games: a reference engine evaluates the chosen moves in positions of these games
# (at most 5,000 of the board size).
# [reference]
# command = "katago gtp -model ..."
# positions = "games/"
```

With `method = "population"`, `era = 2` admits a parameter in the second era.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tengen.match.entrants import file_identity, probe_players
from tengen.match.game import scorer_named
from tengen.match.plan import MatchConfig, override
from tengen.match.settings import load_openings
from tengen.match.tuning.objective import MatchObjective, Objective, ReferenceObjective, load_games
from tengen.match.tuning.population import Population, PopulationSettings
from tengen.match.tuning.tuner import (
    Parameter,
    Spsa,
    SpsaSettings,
    Tuner,
    check_parameters,
    fill_template,
)
from tengen.util import TengenError, read_toml

MATCH_FIELDS = (
    *("size", "komi", "rules", "time", "lag", "move_timeout", "openings", "scoring", "seed"),
)
METHOD_FIELDS = {
    "spsa": ("iterations", "step"),
    "population": tuple(field.name for field in fields(PopulationSettings)),
}


@dataclass(frozen=True)
class TuneConfig:
    """A tuning run as written by the user."""

    method: str
    player: str
    parameters: tuple[Parameter, ...]
    eras: tuple[int, ...]
    """The era, from 1, that admits each parameter."""
    match: MatchConfig
    spsa: SpsaSettings = SpsaSettings()
    population: PopulationSettings = PopulationSettings()
    reference: str = ""
    """Command of a reference engine that evaluates moves instead of games."""
    positions: str = ""

    @property
    def identity(self) -> dict[str, object]:
        """What must be equal to resume a log. The keys are part of the log format."""
        identity = _renamed(asdict(self), "reference", "valuer")
        identity["match"] = _renamed(identity["match"], "scoring", "judge")
        del identity["match"]["handicap"]
        return {**identity, **file_identity([self.player])}

    def tuner(self) -> Tuner:
        """Return a new tuner."""
        if self.method == "spsa":
            return Spsa(self.parameters, self.spsa, self.match.seed)
        admitted = [
            [p for p, era in zip(self.parameters, self.eras, strict=True) if era == number]
            for number in range(1, max(self.eras) + 1)
        ]
        return Population(admitted, self.population, self.match.seed)

    def objective(self) -> Objective:
        """Start the player once and return the objective; raise TengenError on any error."""
        settings, seed = self.match.settings(), self.match.seed
        start = {parameter.name: parameter.settle(parameter.first) for parameter in self.parameters}
        probe_players([fill_template(self.player, start)], [None], settings)
        if self.reference:
            probe_players([self.reference], [None], settings)
            games = load_games(self.positions, settings)
            return ReferenceObjective(self.player, self.reference, settings, games, seed)
        scorer_named(self.match.scoring)
        openings = load_openings(self.match.openings, settings, seed)
        return MatchObjective(self.player, settings, openings, self.match.scoring, seed)


def _renamed(table: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in table.items()}


def read_tune_config(path: Path) -> TuneConfig:
    """Read a TOML file; raise TengenError if it is invalid."""
    return tune_config(read_toml(path), str(path))


def tune_config(table: Mapping[str, Any], source: str) -> TuneConfig:
    """Return the configuration in a table; raise TengenError if it is invalid."""
    method = table.get("method")
    if method not in METHOD_FIELDS or not isinstance(table.get("player"), str):
        methods = " or ".join(METHOD_FIELDS)
        raise TengenError(f"{source}: a player and a method ({methods}) are required")
    known = ["method", "player", "parameters", "reference", *MATCH_FIELDS, *METHOD_FIELDS[method]]
    for name in table:
        if name not in known:
            raise TengenError(
                f"{source}: unknown setting {name!r}: method {method} has {', '.join(known)}"
            )
    entries = _parameter_tables(table.get("parameters", []), source)
    eras = _check_eras([entry.pop("era", 1) for entry in entries], method, source)
    parameters = tuple(_parse_parameter(entry, source) for entry in entries)
    check_parameters(parameters)
    return TuneConfig(
        method,
        table["player"],
        parameters,
        eras,
        _parse_match(table, source),
        override(SpsaSettings(), _select(table, METHOD_FIELDS["spsa"]), source),
        override(PopulationSettings(), _select(table, METHOD_FIELDS["population"]), source),
        *_parse_reference(table.get("reference", {}), source),
    )


def _parse_match(table: Mapping[str, Any], source: str) -> MatchConfig:
    config = override(MatchConfig(), _select(table, MATCH_FIELDS), source)
    if config.seed < 0:
        raise TengenError(f"{source}: seed must not be negative")
    return config


def _select(table: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the entries with these names, lists as tuples."""
    found = {name: table[name] for name in names if name in table}
    return {name: tuple(v) if isinstance(v, list) else v for name, v in found.items()}


def _parameter_tables(found: object, source: str) -> list[dict[str, Any]]:
    """Return copies of the [[parameters]] tables."""
    if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
        raise TengenError(f"{source}: write [[parameters]] above each parameter")
    return [dict(entry) for entry in found]


def _check_eras(eras: list[Any], method: str, source: str) -> tuple[int, ...]:
    """Check the era of each parameter."""
    numbers = sorted({era for era in eras if isinstance(era, int)})
    are_integers = all(isinstance(era, int) for era in eras)
    if not are_integers or numbers != list(range(1, len(numbers) + 1)):
        raise TengenError(f"{source}: eras must be numbered 1, 2, 3... without gaps")
    if len(numbers) > 1 and method != "population":
        raise TengenError(f"{source}: eras need method population")
    return tuple(eras)


def _parse_parameter(entry: dict[str, Any], source: str) -> Parameter:
    kinds = {field.name: (int, float) for field in fields(Parameter)} | {"name": str, "whole": bool}
    if {"name", "low", "high"} <= set(entry) <= set(kinds) and all(
        isinstance(value, kinds[name]) for name, value in entry.items()
    ):
        return Parameter(**entry)
    raise TengenError(
        f"{source}: each of [[parameters]] needs name, low and high; known: {', '.join(kinds)}, era"
    )


def _parse_reference(table: object, source: str) -> tuple[str, str]:
    """Return command and positions of the [reference] table, empty if there is none."""
    if table == {}:
        return "", ""
    if (
        not isinstance(table, Mapping)
        or set(table) != {"command", "positions"}
        or not all(isinstance(value, str) for value in table.values())
    ):
        raise TengenError(f"{source}: [reference] needs a command and positions, both strings")
    return table["command"], table["positions"]
