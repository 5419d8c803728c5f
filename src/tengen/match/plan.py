"""The plan of a match: every game follows from its number.

Games come in pairs with the same opening. In game 2k the first player of a pairing has Black, in
game 2k + 1 White. With several pairings, each plays one pair before any plays its second.
"""

import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tengen.board import BLACK, WHITE, Color, Move
from tengen.engine import TimeControl
from tengen.match.entrants import Entrant, file_identity
from tengen.match.game import DEFAULT_SCORING
from tengen.match.openings import Openings
from tengen.match.settings import MatchSettings
from tengen.match.stats import Sprt

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
