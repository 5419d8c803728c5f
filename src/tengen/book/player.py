"""Choosing a move from a book."""

import random
from typing import NamedTuple

from tengen.board.position import Position
from tengen.book.book import BookMove, BookPosition
from tengen.book.book_file import read_book
from tengen.book.settings import BookSettings

PRIOR_GAMES = 20.0
"""Games at the position's own win rate that every move is given: few games say little."""


class Weighed(NamedTuple):
    """A move of the book with what speaks for it."""

    move: BookMove
    value: float
    """Its win rate, drawn towards that of the position where it has few games."""
    weight: float
    """Moves are drawn in proportion to it."""


def weigh(found: BookPosition, settings: BookSettings) -> list[Weighed]:
    """Return the moves of a position, the weightiest first.

    A move weighs as many games as it has, and those that SHAPE adds, times the power of its
    results: `(value / win rate of the position) ** book_results`.
    """
    decided = found.wins + found.losses
    usual = (found.wins + 1) / (decided + 2)
    weighed = []
    for move in found.moves:
        value = (move.wins + PRIOR_GAMES * usual) / (move.wins + move.losses + PRIOR_GAMES)
        games = move.games + settings.book_shape * (move.shape or 0.0)
        weighed.append(Weighed(move, value, games * (value / usual) ** settings.book_results))
    return sorted(weighed, key=lambda one: -one.weight)


class BookPlayer:
    """Plays from one book as its settings say. Draws of lots are repeated by the seed."""

    def __init__(self, settings: BookSettings, seed: int = 1):
        """Read the book; raise TengenError if it cannot be."""
        self._settings = settings
        self._book = read_book(settings.book)
        self._rng = random.Random(seed)

    def restart(self, seed: int) -> None:
        """Draw lots from `seed` on."""
        self._rng = random.Random(seed)

    def choose(self, position: Position) -> int | None:
        """Return a move; None where the book has too few games, or none."""
        found = self._book.look_up(position)
        if found is None or found.games < self._settings.book_games or not found.moves:
            return None
        weighed = weigh(found, self._settings)
        least = self._settings.book_least * weighed[0].weight
        drawn = [one for one in weighed if one.weight >= least]
        one = self._rng.choices(drawn, [one.weight for one in drawn])[0]
        return self._rng.choice(one.move.equals)
