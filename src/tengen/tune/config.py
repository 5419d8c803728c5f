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

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.toml_file import read_toml
from tengen.match.config import MatchConfig, override
from tengen.match.judge import judge_named
from tengen.match.openings import load_openings
from tengen.match.probe import probe_players
from tengen.tune.duel import Tuner
from tengen.tune.objective import JudgeObjective, MatchObjective, Objective, load_positions
from tengen.tune.parameter import Parameter, check_parameters, fill
from tengen.tune.population import Population, PopulationSettings
from tengen.tune.spsa import Spsa, SpsaSettings

METHODS = ("spsa", "population")
MATCH_FIELDS = ["size", "komi", "rules", "time", "lag", "move_timeout", "openings", "judge", "seed"]
SPSA_FIELDS = ("iterations", "step")
POPULATION_FIELDS = tuple(field.name for field in fields(PopulationSettings))


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
        return asdict(self)

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
    known = ("method", "player", "parameters", "judge", *MATCH_FIELDS)
    known += SPSA_FIELDS + POPULATION_FIELDS
    for name in table:
        if name not in known:
            raise TengenError(f"{source}: unknown setting {name!r}; known: {', '.join(known)}")
    if table.get("method") not in METHODS or not isinstance(table.get("player"), str):
        raise TengenError(f"{source}: needs a player, and a method: {' or '.join(METHODS)}")
    entries = [dict(entry) for entry in table.get("parameters", [])]
    eras = tuple(int(entry.pop("era", 1)) for entry in entries)
    parameters = tuple(_parameter(entry, source) for entry in entries)
    check_parameters(parameters)
    valuer = table.get("judge") if isinstance(table.get("judge"), dict) else {}
    return TuneConfig(
        table["method"],
        table["player"],
        parameters,
        eras,
        override(MatchConfig(), _part(table, MATCH_FIELDS), source),
        replace(SpsaSettings(), **_part(table, SPSA_FIELDS)),
        replace(PopulationSettings(), **_part(table, POPULATION_FIELDS)),
        **_valuer(valuer or {}, source),
    )


def _part(table: Mapping[str, Any], names: Any) -> dict[str, Any]:
    """Return the entries of those names; a table under `judge` is a valuer, not a judge."""
    return {n: table[n] for n in names if n in table and not isinstance(table[n], dict)}


def _parameter(entry: dict[str, Any], source: str) -> Parameter:
    try:
        return Parameter(**entry)
    except TypeError:
        names = ", ".join(field.name for field in fields(Parameter))
        raise TengenError(
            f"{source}: each of [[parameters]] has name, low and high; known: {names}, era"
        ) from None


def _valuer(table: Mapping[str, Any], source: str) -> dict[str, str]:
    if table and set(table) != {"command", "positions"}:
        raise TengenError(f"{source}: [judge] has a command and positions")
    return {"valuer": table["command"], "positions": table["positions"]} if table else {}
