"""The configuration of a match, and its plan: every game follows from its number.

Games come in pairs with the same opening. In game 2k the first player of a pairing has Black, in
game 2k + 1 White. With several pairings, each plays one pair before any plays its second.

A configuration comes from the command line or a TOML file:

```toml
mode = "gauntlet"          # or "round-robin"
games = 200                # per pairing
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

import hashlib
import itertools
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tengen.board import BLACK, HANDICAP_KOMI, WHITE, Color, Move, Rules, parse_size, rules_named
from tengen.engine import TimeControl, parse_duration
from tengen.match.entrants import Entrant, PlayerSpec, file_identity, probe_players, spec_text
from tengen.match.game import DEFAULT_SCORING, scorer_named
from tengen.match.settings import MatchSettings, Openings, load_openings
from tengen.match.stats import Sprt
from tengen.util import TengenError, read_toml

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Pairing = tuple[int, int]
_STORED_CONTROL = ("main_s", "period_s", "stones", "increment_s", "periods")
"""Fields of a time control in match files."""


@dataclass(frozen=True)
class MatchLimits:
    """When a match ends."""

    games: int
    """Total number of games over all pairings."""
    sprt: Sprt | None = None
    """Ends a match between two players as soon as it decides."""


@dataclass(frozen=True)
class GameTask:
    """Everything needed to play one game in a worker."""

    number: int
    pair: int
    black: int
    white: int
    entrants: tuple[Entrant, Entrant]
    """Black and White."""
    settings: MatchSettings
    opening: str
    moves: tuple[Move, ...]
    seed: int
    scoring: str

    def entrant(self, color: Color) -> Entrant:
        """Return the entrant that plays a color."""
        return self.entrants[0] if color is BLACK else self.entrants[1]

    def player(self, color: Color | None) -> int | None:
        """Return the number of the player with a color; None for None."""
        return {None: None, BLACK: self.black, WHITE: self.white}[color]


@dataclass(frozen=True)
class MatchPlan:
    """Players, pairings, settings and openings of a match."""

    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    settings: MatchSettings
    openings: Openings
    scoring: str = DEFAULT_SCORING
    seed: int = 1
    command: str = ""
    """The command that plays the match; recorded, but not part of the identity."""

    def task(self, number: int) -> GameTask:
        """Return the game with a number."""
        pair = number // 2
        first, second = self.pairings[pair % len(self.pairings)]
        black, white = (first, second) if number % 2 == 0 else (second, first)
        opening = self.openings.opening(pair // len(self.pairings))
        return GameTask(
            number,
            pair,
            black,
            white,
            (self.entrants[black], self.entrants[white]),
            self.settings,
            opening.name,
            opening.moves,
            game_seed(self.seed, number),
            self.scoring,
        )

    @property
    def identity(self) -> dict[str, object]:
        """What must be equal for results to share a file. The keys are part of the file format."""
        return {
            "players": [entrant.identity for entrant in self.entrants],
            "pairings": [list(pairing) for pairing in self.pairings],
            "setting": settings_identity(self.settings),
            "openings": self.openings.digest,
            "judge": self.scoring,
            "seed": self.seed,
            **file_identity(entrant.spec for entrant in self.entrants),
        }


def settings_identity(settings: MatchSettings) -> dict[str, Any]:
    """Return the settings by the names used in match files."""
    identity = asdict(settings)
    control = identity.pop("time_control")
    stored = {name: control[name] for name in _STORED_CONTROL}
    return identity | {"control": None if settings.time_control.is_unlimited else stored}


def complete_settings(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored settings, with defaults for those an earlier version did not have."""
    defaults = settings_identity(MatchSettings(time_control=TimeControl()))
    return _with_defaults(stored, defaults)


def _with_defaults(stored: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    nested = {
        name: _with_defaults(stored[name], default)
        for name, default in defaults.items()
        if isinstance(default, Mapping) and isinstance(stored.get(name), Mapping)
    }
    return {**defaults, **stored, **nested}


def game_seed(match_seed: int, number: int) -> int:
    """Return the 31-bit seed of a game."""
    digest = hashlib.blake2b(f"{match_seed}:{number}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


def round_robin(players: int) -> tuple[Pairing, ...]:
    """Return all pairings."""
    return tuple(itertools.combinations(range(players), 2))


def gauntlet(players: int) -> tuple[Pairing, ...]:
    """Return the pairings of the first player with each of the others."""
    return tuple((0, other) for other in range(1, players))


MODES = ("round-robin", "gauntlet")
MAX_SPRT_ELO = 2000
"""Larger differences mean expected scores that round to 0 or 1."""
Config = TypeVar("Config", bound="DataclassInstance")


@dataclass(frozen=True)
class MatchConfig:
    """A match as written by the user. Fields have the names of options and file entries."""

    players: tuple[PlayerSpec, ...] = ()
    """Player specifications (see `tengen.match.entrants`)."""
    names: tuple[str | None, ...] = ()
    """Labels of the players; None for the player's own name."""
    mode: str = "round-robin"
    games: int = 100
    """Games per pairing; even, since games come in pairs."""
    size: str = "9"
    komi: float | None = None
    """None for the komi of the rules, or that of handicap games."""
    handicap: int = 0
    rules: str = "chinese"
    time: str = "none"
    lag: str = "200ms"
    move_timeout: str = "5m"
    """Time limit per move without a time control."""
    openings: str = "empty"
    sprt: str = ""
    """`ELO0,ELO1`, for two players."""
    scoring: str = DEFAULT_SCORING
    seed: int = 1

    def settings(self) -> MatchSettings:
        """Return board, rules and time limits; raise TengenError for invalid text."""
        rows, columns = parse_size(self.size)
        return MatchSettings(
            rows,
            columns,
            self._rules_with_komi(),
            TimeControl.parse(self.time),
            lag_s=parse_duration(self.lag),
            move_timeout_s=parse_duration(self.move_timeout),
            handicap=self.handicap,
        )

    def _rules_with_komi(self) -> Rules:
        rules = rules_named(self.rules)
        if self.komi is not None:
            return rules.with_komi(self.komi)
        return rules.with_komi(HANDICAP_KOMI) if self.handicap else rules

    def pairings(self) -> tuple[Pairing, ...]:
        """Return the pairings of the mode."""
        if self.mode not in MODES:
            raise TengenError(f"unknown mode {self.mode!r}: use one of {', '.join(MODES)}")
        if len(self.players) < 2:
            raise TengenError("a match needs at least two players")
        make = gauntlet if self.mode == "gauntlet" else round_robin
        return make(len(self.players))

    def limits(self) -> MatchLimits:
        """Return the limits; raise TengenError if they are invalid."""
        if self.games < 2 or self.games % 2:
            raise TengenError(f"games must be an even number of at least 2, got {self.games}")
        if self.sprt and len(self.players) != 2:
            raise TengenError("sprt needs exactly two players")
        return MatchLimits(self.games * len(self.pairings()), parse_sprt(self.sprt))

    def plan(self) -> MatchPlan:
        """Start every player once and return the plan; raise TengenError if anything is wrong."""
        settings, pairings = self.settings(), self.pairings()
        openings = load_openings(self.openings, settings, self.seed)
        scorer_named(self.scoring)
        names = self.names or (None,) * len(self.players)
        if len(names) != len(self.players):
            raise TengenError(f"{len(names)} names for {len(self.players)} players")
        entrants = probe_players(self.players, names, settings)
        return MatchPlan(
            entrants, pairings, settings, openings, self.scoring, self.seed, self.command_line()
        )

    def command_line(self) -> str:
        """Return the `tengen match` command of this match without its output file."""
        words = ["tengen", "match", *map(spec_text, self.players)]
        if any(self.names):
            words += ["--names", ",".join(name or "" for name in self.names)]
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in ("players", "names") and value != field.default:
                words += [f"--{field.name.replace('_', '-')}={value}"]
        return shlex.join(words)


def parse_sprt(text: str) -> Sprt | None:
    """Parse `ELO0,ELO1`; None for an empty text; raise TengenError."""
    if not text:
        return None
    try:
        elo0, elo1 = (float(word) for word in text.split(","))
    except ValueError:
        raise TengenError(f"invalid sprt {text!r}: write it like 0,20") from None
    if elo0 >= elo1:
        raise TengenError(f"invalid sprt {text!r}: the second Elo must be above the first")
    if not all(abs(elo) <= MAX_SPRT_ELO for elo in (elo0, elo1)):
        limit = MAX_SPRT_ELO
        raise TengenError(f"invalid sprt {text!r}: use Elo from -{limit} to {limit}")
    return Sprt(elo0, elo1)


def read_config(path: Path) -> MatchConfig:
    """Read a match configuration from a TOML file; raise TengenError if it is invalid."""
    table = read_toml(path)
    players = table.pop("players", [])
    if not isinstance(players, list) or not all(_is_player(player) for player in players):
        raise TengenError(f"{path}: each of [[players]] needs a command and may have a name")
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

    The type is that of the field's default; None stands for a number.
    """
    known = {field.name: field.default for field in fields(config)}
    for name, value in values.items():
        if name not in known:
            raise TengenError(f"{source}: unknown setting {name!r}: use one of {', '.join(known)}")
        expected = float if known[name] is None else type(known[name])
        if not isinstance(value, (int, float) if expected is float else expected):
            raise TengenError(f"{source}: {name} must be of type {expected.__name__}")
    return replace(config, **values)
