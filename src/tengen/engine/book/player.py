"""Choosing moves from an opening book."""

import random
from typing import NamedTuple

from tengen.board import Position
from tengen.engine.book.book import BookMove, BookPosition, read_book
from tengen.engine.book.settings import BookSettings

PRIOR_GAMES = 20.0
"""Games at the position's win rate that are added to the results of every move."""


class WeightedMove(NamedTuple):
    """A book move with its weight."""

    move: BookMove
    value: float
    """Win rate, smoothed toward that of the position."""
    weight: float
    """Moves are sampled in proportion to it."""


def weigh_moves(position: BookPosition, settings: BookSettings) -> list[WeightedMove]:
    """Return the moves of a position, highest weight first.

    The weight is the number of games, including those that the shape probability counts for,
    times `(value / win rate of the position) ** book_result_power`.
    """
    decided = position.wins + position.losses
    win_rate = (position.wins + 1) / (decided + 2)
    weighted = []
    for move in position.moves:
        value = (move.wins + PRIOR_GAMES * win_rate) / (move.wins + move.losses + PRIOR_GAMES)
        games = move.games + settings.book_shape_games * (move.shape or 0.0)
        weight = games * (value / win_rate) ** settings.book_result_power
        weighted.append(WeightedMove(move, value, weight))
    return sorted(weighted, key=lambda candidate: -candidate.weight)


class BookPlayer:
    """Plays from one book, reproducibly for a given seed."""

    def __init__(self, settings: BookSettings, seed: int = 1):
        """Read the book; raise TengenError if that fails."""
        self._settings = settings
        self._book = read_book(settings.book)
        self._rng = random.Random(seed)

    def restart(self, seed: int) -> None:
        """Reseed the random generator."""
        self._rng = random.Random(seed)

    def choose(self, position: Position) -> int | None:
        """Return a move, or None if the book has too few games of the position."""
        known = self._book.look_up(position)
        if known is None or known.games < self._settings.book_min_games or not known.moves:
            return None
        weighted = weigh_moves(known, self._settings)
        min_weight = self._settings.book_min_weight * weighted[0].weight
        choices = [candidate for candidate in weighted if candidate.weight >= min_weight]
        chosen = self._rng.choices(choices, [candidate.weight for candidate in choices])[0]
        return self._rng.choice(chosen.move.equivalents)
