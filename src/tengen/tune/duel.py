"""What a tuner asks for, what it is told, and the contract between tuners and their runner."""

from typing import NamedTuple, Protocol

from tengen.tune.parameter import Values


class Duel(NamedTuple):
    """Two settings to compare. Its number says all about its place in the tuner's plan."""

    number: int
    first: Values
    second: Values


class DuelResult(NamedTuple):
    """What came of a duel."""

    score: float
    """Of the first, 0 to 1: wins and half of the draws, or what a judge makes of it."""
    margin: float = 0.0
    """The mean margin in points, from the first's side, over the games that were counted."""
    games: int = 2
    problem: str = ""
    """What kept it from being judged, so that it counts as even, broke off all of its games, or
    failed in a player that played on without."""


class Tuner(Protocol):
    """Hands out duels and takes results, in any order, each duel once.

    A tuner is deterministic: the same results in the same order bring it to the same state, so
    a log of results is all that is needed to go on after a stop.
    """

    @property
    def done(self) -> bool:
        """Whether all that was planned is done."""

    @property
    def progress(self) -> tuple[int, int]:
        """How many duels are done, and of how many, as far as that is known."""

    def next_duel(self) -> Duel | None:
        """Return a duel to have fought; None if none can be given before more results come."""

    def take(self, number: int, result: DuelResult) -> None:
        """Learn from the result of a duel, handed out before or known from a log."""

    def recommend(self) -> dict[str, float]:
        """Return the setting to use: the mean of the model, never the luckiest sample."""
