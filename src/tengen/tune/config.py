"""What is to be tuned, from a TOML file.

```toml
method = "spsa"                 # or "population"
player = "tengen playouts=500"  # {name} stands for a value; Tengen takes them without
iterations = 1000               # SPSA: pairs of games
size = "9"
komi = 7.5
openings = "random:4"

[[parameters]]
name = "exploration"
low = 0.0
high = 2.0

# Instead of games: a stronger engine values the chosen moves on positions of these games (of
# the first 5,000 on the board).
# [judge]
# command = "katago gtp -model ..."
# positions = "games/"
```

For a population, `era = 2` with a parameter admits it in the second era.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.toml_file import read_toml
from tengen.match.config import MatchConfig, override
from tengen.match.judge import judge_named
from tengen.match.named_files import named_files
from tengen.match.openings import load_openings
from tengen.match.probe import probe_players
from tengen.tune.duel import Tuner
from tengen.tune.objective import JudgeObjective, MatchObjective, Objective, load_positions
from tengen.tune.parameter import Parameter, check_parameters, fill
from tengen.tune.population import Population, PopulationSettings
from tengen.tune.spsa import Spsa, SpsaSettings

MATCH_FIELDS = ["size", "komi", "rules", "time", "lag", "move_timeout", "openings", "judge", "seed"]
METHOD_FIELDS = {
    "spsa": ("iterations", "step"),
    "population": tuple(field.name for field in fields(PopulationSettings)),
}


@dataclass(frozen=True)
class TuneConfig:
    """A run of a tuner as the user writes it."""

    method: str
    player: str
    parameters: tuple[Parameter, ...]
    eras: tuple[int, ...]
    """The era, from 1, that admits each parameter."""
    match: MatchConfig
    spsa: SpsaSettings = SpsaSettings()
    population: PopulationSettings = PopulationSettings()
    valuer: str = ""
    """The command of a stronger engine, to judge by moves instead of games."""
    positions: str = ""

    @property
    def identity(self) -> dict[str, object]:
        """What must be the same to go on with a log."""
        known = asdict(self)
        del known["match"]["handicap"]  # no tuning has one, and those of earlier versions go on
        return known | named_files([self.player])

    def tuner(self) -> Tuner:
        """Return the tuner at its start."""
        if self.method == "spsa":
            return Spsa(self.parameters, self.spsa, self.match.seed)
        admitted = [
            [p for p, era in zip(self.parameters, self.eras, strict=True) if era == number]
            for number in range(1, max(self.eras) + 1)
        ]
        return Population(admitted, self.population, self.match.seed)

    def objective(self) -> Objective:
        """Try the player once and return the objective; raise TengenError if anything is wrong."""
        setting, seed = self.match.setting(), self.match.seed
        start = {parameter.name: parameter.settle(parameter.first) for parameter in self.parameters}
        probe_players([fill(self.player, start)], [None], setting)
        if self.valuer:
            probe_players([self.valuer], [None], setting)
            games = load_positions(self.positions, setting)
            return JudgeObjective(self.player, self.valuer, setting, games, seed)
        judge_named(self.match.judge)
        openings = load_openings(self.match.openings, setting, seed)
        return MatchObjective(self.player, setting, openings, self.match.judge, seed)


def read_tune_config(path: Path) -> TuneConfig:
    """Read what is to be tuned; raise TengenError if the file does not say it well."""
    return tune_config(read_toml(path), str(path))


def tune_config(table: Mapping[str, Any], source: str) -> TuneConfig:
    """Return the config that a table describes; raise TengenError for what is wrong in it."""
    method = table.get("method")
    if method not in METHOD_FIELDS or not isinstance(table.get("player"), str):
        raise TengenError(f"{source}: needs a player, and a method: {' or '.join(METHOD_FIELDS)}")
    known = ["method", "player", "parameters", "judge", *MATCH_FIELDS, *METHOD_FIELDS[method]]
    for name in table:
        if name not in known:
            known_text = ", ".join(known)
            raise TengenError(f"{source}: unknown setting {name!r}; {method} knows: {known_text}")
    entries = _entries(table.get("parameters", []), source)
    eras = _eras([entry.pop("era", 1) for entry in entries], method, source)
    parameters = tuple(_parameter(entry, source) for entry in entries)
    check_parameters(parameters)
    valuer = table.get("judge") if isinstance(table.get("judge"), dict) else {}
    return TuneConfig(
        method,
        table["player"],
        parameters,
        eras,
        _match(table, source),
        override(SpsaSettings(), _part(table, METHOD_FIELDS["spsa"]), source),
        override(PopulationSettings(), _part(table, METHOD_FIELDS["population"]), source),
        **_valuer(valuer or {}, source),
    )


def _match(table: Mapping[str, Any], source: str) -> MatchConfig:
    config = override(MatchConfig(), _part(table, MATCH_FIELDS), source)
    if config.seed < 0:
        raise TengenError(f"{source}: seed must not be below 0")
    return config


def _part(table: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the entries of those names; a table under `judge` is a valuer, not a judge."""
    found = {n: table[n] for n in names if n in table and not isinstance(table[n], dict)}
    return {n: tuple(v) if isinstance(v, list) else v for n, v in found.items()}


def _entries(found: object, source: str) -> list[dict[str, Any]]:
    """Return the tables of the parameters, to be taken apart."""
    if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
        raise TengenError(f"{source}: write [[parameters]] over each parameter")
    return [dict(entry) for entry in found]


def _eras(eras: list[Any], method: str, source: str) -> tuple[int, ...]:
    """Check the era of each parameter."""
    numbers = sorted({era for era in eras if isinstance(era, int)})
    whole = all(isinstance(era, int) for era in eras)
    if not whole or numbers != list(range(1, len(numbers) + 1)):
        raise TengenError(f"{source}: eras count 1, 2, 3... without a gap")
    if len(numbers) > 1 and method != "population":
        raise TengenError(f"{source}: only a population has eras")
    return tuple(eras)


def _parameter(entry: dict[str, Any], source: str) -> Parameter:
    kinds = {field.name: (int, float) for field in fields(Parameter)} | {"name": str, "whole": bool}
    if {"name", "low", "high"} <= set(entry) <= set(kinds) and all(
        isinstance(value, kinds[name]) for name, value in entry.items()
    ):
        return Parameter(**entry)
    raise TengenError(
        f"{source}: each of [[parameters]] has name, low and high; known: {', '.join(kinds)}, era"
    )


def _valuer(table: Mapping[str, Any], source: str) -> dict[str, str]:
    is_text = all(isinstance(value, str) for value in table.values())
    if table and (set(table) != {"command", "positions"} or not is_text):
        raise TengenError(f"{source}: [judge] has a command and positions, both texts")
    return {"valuer": table["command"], "positions": table["positions"]} if table else {}
