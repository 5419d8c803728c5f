"""What a match is made of, as text: from the command line or from a TOML file.

```toml
mode = "gauntlet"          # or "round-robin"
games = 200                # for each pairing
size = "9"
komi = 7.5
handicap = 0               # or 2 to 9 stones for Black
time = "1s/move"
openings = "random:4"

[[players]]
name = "candidate"
command = "tengen playouts=5000"

[[players]]
command = "gnugo --mode gtp --level 10 --chinese-rules"
```
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tengen.board.handicap import KOMI as HANDICAP_KOMI
from tengen.board.points import parse_size
from tengen.board.rules import Rules, rules_named
from tengen.core.errors import TengenError
from tengen.core.toml_file import read_toml
from tengen.match.clock import parse_duration, parse_time
from tengen.match.judge import DEFAULT_JUDGE, judge_named
from tengen.match.openings import load_openings
from tengen.match.plan import MatchPlan, Pairing, gauntlet, round_robin
from tengen.match.probe import probe_players
from tengen.match.runner import Limits
from tengen.match.setting import GameSetting
from tengen.match.stats import Sprt

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MODES = ("round-robin", "gauntlet")
MOST_ELO = 2000
"""Beyond it a sequential test meets scores that are 0 or 1 but for rounding."""
Config = TypeVar("Config", bound="DataclassInstance")


@dataclass(frozen=True)
class MatchConfig:
    """A match as the user writes it. Fields are named as in the file and the options."""

    players: tuple[str, ...] = ()
    """What makes each player: see `tengen.match.factory`."""
    names: tuple[str | None, ...] = ()
    """What each is called; None to ask the player."""
    mode: str = "round-robin"
    games: int = 100
    """For each pairing; even, as games come in pairs."""
    size: str = "9"
    komi: float | None = None
    """None for the komi of the rules, or that of a handicap game."""
    handicap: int = 0
    """Stones that Black gets."""
    rules: str = "chinese"
    time: str = "none"
    lag: str = "200ms"
    move_timeout: str = "5m"
    """For a move where there is no time control."""
    openings: str = "empty"
    sprt: str = ""
    """`ELO0,ELO1` for a match of two players."""
    judge: str = DEFAULT_JUDGE
    seed: int = 1

    def setting(self) -> GameSetting:
        """Return board, rules and limits; raise TengenError if a text is wrong."""
        rows, columns = parse_size(self.size)
        return GameSetting(
            rows,
            columns,
            self._rules(),
            parse_time(self.time),
            lag_s=parse_duration(self.lag),
            move_timeout_s=parse_duration(self.move_timeout),
            handicap=self.handicap,
        )

    def _rules(self) -> Rules:
        """Return the rules with the komi of the match."""
        rules = rules_named(self.rules)
        if self.komi is not None:
            return rules.with_komi(self.komi)
        return rules.with_komi(HANDICAP_KOMI) if self.handicap else rules

    def pairings(self) -> tuple[Pairing, ...]:
        """Return who plays whom."""
        if self.mode not in MODES:
            raise TengenError(f"unknown mode {self.mode!r}: use one of {', '.join(MODES)}")
        if len(self.players) < 2:
            raise TengenError("a match needs at least two players")
        make = gauntlet if self.mode == "gauntlet" else round_robin
        return make(len(self.players))

    def limits(self) -> Limits:
        """Return when the match is over."""
        if self.games < 2 or self.games % 2:
            wanted = "an even number from 2 up, as colours are swapped"
            raise TengenError(f"{self.games} games: use {wanted}")
        if self.sprt and len(self.players) != 2:
            raise TengenError("a sequential test is for two players")
        return Limits(self.games * len(self.pairings()), parse_sprt(self.sprt))

    def plan(self) -> MatchPlan:
        """Start every player once and return the plan; raise TengenError if anything is wrong."""
        setting, pairings = self.setting(), self.pairings()
        openings = load_openings(self.openings, setting, self.seed)
        judge_named(self.judge)
        names = self.names or (None,) * len(self.players)
        if len(names) != len(self.players):
            raise TengenError(f"{len(names)} names for {len(self.players)} players")
        entrants = probe_players(self.players, names, setting)
        return MatchPlan(entrants, pairings, setting, openings, self.judge, self.seed)


def parse_sprt(text: str) -> Sprt | None:
    """Read `ELO0,ELO1`; None for an empty text; raise TengenError."""
    if not text:
        return None
    try:
        elo0, elo1 = (float(word) for word in text.split(","))
    except ValueError:
        raise TengenError(f"invalid sprt {text!r}: write it like 0,20") from None
    if elo0 >= elo1:
        raise TengenError(f"invalid sprt {text!r}: the second Elo must be above the first")
    if not all(abs(elo) <= MOST_ELO for elo in (elo0, elo1)):
        raise TengenError(f"invalid sprt {text!r}: use Elo from -{MOST_ELO} to {MOST_ELO}")
    return Sprt(elo0, elo1)


def read_config(path: Path) -> MatchConfig:
    """Read a match from a TOML file; raise TengenError if it is not one."""
    table = read_toml(path)
    players = table.pop("players", [])
    if not isinstance(players, list) or not all(_is_player(player) for player in players):
        raise TengenError(f"{path}: each of [[players]] has a command and may have a name")
    config = override(MatchConfig(), table, str(path))
    return replace(
        config,
        players=tuple(player["command"] for player in players),
        names=tuple(player.get("name") for player in players),
    )


def _is_player(player: object) -> bool:
    return (
        isinstance(player, dict)
        and isinstance(player.get("command"), str)
        and isinstance(player.get("name", ""), str)
        and set(player) <= {"command", "name"}
    )


def override(config: Config, values: Mapping[str, object], source: str) -> Config:
    """Return the config with some fields replaced; raise TengenError for a wrong name or type.

    The default of a field tells its type; None stands for a number.
    """
    known = {field.name: field.default for field in fields(config)}
    for name, value in values.items():
        if name not in known:
            raise TengenError(f"{source}: unknown setting {name!r}; known: {', '.join(known)}")
        expected = float if known[name] is None else type(known[name])
        if not isinstance(value, (int, float) if expected is float else expected):
            raise TengenError(f"{source}: {name} must be of type {expected.__name__}")
    return replace(config, **values)
