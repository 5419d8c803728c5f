"""What is to be played: every game of a match follows from its number.

Games come in pairs on one opening: in game 2k the first of a pairing takes Black, in game 2k + 1
White. Where there are many pairings, each plays one pair before any plays its second.
"""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.position import Move
from tengen.core.errors import TengenError
from tengen.match.factory import settings_file, settings_of
from tengen.match.judge import DEFAULT_JUDGE
from tengen.match.named_files import named_files
from tengen.match.openings import Openings
from tengen.match.setting import GameSetting

Pairing = tuple[int, int]


@dataclass(frozen=True)
class Entrant:
    """A player of a match: what makes it (see `tengen.match.factory`), and what it is called."""

    label: str
    spec: str
    name: str = ""
    """What the player calls itself; not part of the plan."""
    version: str = ""

    @property
    def identity(self) -> list[str]:
        """Its label and what makes it; of a TOML file what stands in it too."""
        words = settings_of(self.spec) if settings_file(self.spec) else []
        return [self.label, self.spec, *words]


@dataclass(frozen=True)
class GameTask:
    """All that is needed to play one game anywhere."""

    number: int
    pair: int
    black: int
    white: int
    entrants: tuple[Entrant, Entrant]
    """Black and White, in that order."""
    setting: GameSetting
    opening: str
    moves: tuple[Move, ...]
    seed: int
    judge: str

    def entrant(self, colour: Colour) -> Entrant:
        """Return who takes that colour."""
        return self.entrants[0] if colour is BLACK else self.entrants[1]

    def player(self, colour: Colour | None) -> int | None:
        """Return the number of the player that takes a colour; None for none."""
        return {None: None, BLACK: self.black, WHITE: self.white}[colour]


@dataclass(frozen=True)
class MatchPlan:
    """Who plays whom, on what, from where."""

    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    setting: GameSetting
    openings: Openings
    judge: str = DEFAULT_JUDGE
    seed: int = 1

    def task(self, number: int) -> GameTask:
        """Return the game of that number."""
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
            self.setting,
            opening.name,
            opening.moves,
            game_seed(self.seed, number),
            self.judge,
        )

    @property
    def identity(self) -> dict[str, object]:
        """What must be the same for results to go into one file."""
        return {
            "players": [entrant.identity for entrant in self.entrants],
            "pairings": [list(pairing) for pairing in self.pairings],
            "setting": asdict(self.setting),
            "openings": self.openings.digest,
            "judge": self.judge,
            "seed": self.seed,
            **named_files(entrant.spec for entrant in self.entrants),
        }


def game_seed(match_seed: int, number: int) -> int:
    """Return the seed of a game: 31 bits, unlike its neighbours'."""
    digest = hashlib.blake2b(f"{match_seed}:{number}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


def round_robin(players: int) -> tuple[Pairing, ...]:
    """Return the pairings of everyone with everyone."""
    return tuple(itertools.combinations(range(players), 2))


def gauntlet(players: int) -> tuple[Pairing, ...]:
    """Return the pairings of the first player with each of the others."""
    return tuple((0, other) for other in range(1, players))


def distinct_labels(labels: Sequence[str]) -> None:
    """Raise TengenError if two players have the same label."""
    twice = {label for label in labels if labels.count(label) > 1}
    if twice:
        raise TengenError(f"two players are called {min(twice)!r}: give each a name of its own")
