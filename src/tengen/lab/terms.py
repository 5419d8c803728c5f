"""How the games of an experiment are played: what all of its matches have in common."""

import argparse
from dataclasses import dataclass

from tengen.core.errors import TengenError


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


def add_terms(
    parser: argparse.ArgumentParser,
    size: str = "9",
    komi: float = 7.5,
    openings: str = "random:2",
    games: int = 100,
    test: str | None = "",
) -> None:
    """Describe the options that make `Terms`; `test` by default, None if there can be none."""
    parser.add_argument("--games", type=int, default=games, help=f"for each contest ({games})")
    parser.add_argument("--size", default=size, help=f"9, 19 or 7x9 ({size})")
    parser.add_argument("--komi", type=float, default=komi, help=f"({komi:g})")
    parser.add_argument("--openings", default=openings, help=f"as for tengen match ({openings})")
    parser.set_defaults(sprt="")
    if test is not None:
        usual = f" ({test})" if test else ""
        meaning = f"stop when decided{usual}"
        parser.add_argument("--sprt", metavar="ELO0,ELO1", default=test, help=meaning)
    parser.add_argument("--seed", type=int, default=1, help="(1)")
    parser.add_argument("--workers", type=int, default=1, help="games at a time (1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler: tcp://...")


def terms_of(arguments: argparse.Namespace) -> Terms:
    """Return the terms that the options give; raise TengenError."""
    if arguments.workers < (0 if arguments.cluster else 1):
        raise TengenError(f"{arguments.workers} workers: at least one is needed")
    return Terms(**{name: getattr(arguments, name) for name in Terms.__dataclass_fields__})
