"""How the games of an experiment are played: what all of its matches have in common."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tengen.match.config import MatchConfig
from tengen.match.openings import load_openings
from tengen.match.workers import check_workers


@dataclass(frozen=True)
class Terms:
    """How the games of an experiment are played."""

    games: int
    size: str
    komi: float
    openings: str
    sprt: str
    seed: int
    workers: int
    cluster: str | None

    @property
    def identity(self) -> dict[str, object]:
        """What all games of a folder share; more games may be added."""
        return {name: getattr(self, name) for name in ("size", "komi", "openings", "sprt", "seed")}

    def match(self, players: Mapping[str, str], size: str = "") -> MatchConfig:
        """Return the match of players by name, on a board of that size or of the terms' own."""
        return MatchConfig(
            players=tuple(players.values()),
            names=tuple(players),
            games=self.games,
            size=size or self.size,
            komi=self.komi,
            openings=self.openings,
            sprt=self.sprt,
            seed=self.seed,
        )


def terms_of(arguments: argparse.Namespace, sizes: Sequence[int] = ()) -> Terms:
    """Return the terms that the options give; raise TengenError if no match can be played so.

    `sizes` are the boards, where the option names several.
    """
    check_workers(arguments.workers, arguments.cluster)
    terms = Terms(**{name: getattr(arguments, name) for name in Terms.__dataclass_fields__})
    for size in [str(size) for size in sizes] or [terms.size]:
        match = terms.match({"one": "", "other": ""}, size)
        load_openings(match.openings, match.setting(), match.seed)
        match.limits()
    return terms
