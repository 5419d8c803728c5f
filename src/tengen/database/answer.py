"""What was played in a position or a pattern, how often, and with what result."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board.colour import Colour
from tengen.board.symmetry import inverse_symmetries
from tengen.database.kernels.events import COLOUR_SHIFT, POINT_MASK, REMOVAL, SETUP
from tengen.database.pattern import SYMMETRIES, Pattern
from tengen.database.shelf import Findings, Shelf

_MOVES = int(POINT_MASK) + 1
_NOT_A_MOVE = np.uint16(REMOVAL | SETUP)


class Continuation(NamedTuple):
    """A move that was played, turned and coloured as the pattern was asked for."""

    move: int
    colour: Colour
    games: int
    wins: int
    """Of who played it. Games without a winner are neither wins nor losses."""
    losses: int

    @property
    def rate(self) -> float | None:
        """The share of wins among the games with a winner; None if there are none."""
        decided = self.wins + self.losses
        return self.wins / decided if decided else None


class Occurrence(NamedTuple):
    """A game in which the pattern stood on the board."""

    game: int
    """Its number in the database."""
    after_move: int
    """It stood when the answer came, after so many moves; at the game's end if none came."""
    answer: int | None
    """The answer, turned as asked for."""


@dataclass(frozen=True)
class Answer:
    """All that the games say of a pattern."""

    pattern: Pattern
    searched: int
    """How many games of that board size there are."""
    games: int
    """In how many it occurred; each game counts once, at the first time."""
    swapped: int
    """In how many of these with colours swapped."""
    continuations: list[Continuation]
    """The most frequent first. Moves that a symmetry of the pattern makes equal are one."""
    occurrences: list[Occurrence]
    """Some of the games, as many as were asked for."""
    elapsed_s: float = 0.0

    def is_of(self, continuation: Continuation, move: int, colour: Colour) -> bool:
        """Tell whether a move, played where the pattern was taken from, is that continuation."""
        stands_for = int(self.pattern.folds()[move])
        return (continuation.move, continuation.colour) == (stands_for, colour)

    @property
    def unanswered(self) -> int:
        """In how many games no answer came."""
        return self.games - sum(one.games for one in self.continuations)


class _Moves(NamedTuple):
    """The answers of some games, as they were asked for and as they were played."""

    games: npt.NDArray[np.intp]
    moves: npt.NDArray[np.int64]
    colours: npt.NDArray[np.int64]
    played: npt.NDArray[np.int64]
    """By which colour."""


def summarise(
    shelf: Shelf,
    pattern: Pattern,
    found: Findings,
    most: int,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> Answer:
    """Count what was found; tell of `most` games. Only games that are `allowed` count."""
    stood = found.variants >= 0
    matched = np.flatnonzero(stood if allowed is None else stood & allowed)
    answers = _answers(shelf, pattern, found, matched)
    return Answer(
        pattern,
        len(shelf) if allowed is None else int(allowed.sum()),
        len(matched),
        int((found.variants[matched] >= SYMMETRIES).sum()),
        _continuations(shelf, answers),
        _occurrences(shelf, found, matched[:most], answers),
    )


def _answers(
    shelf: Shelf, pattern: Pattern, found: Findings, matched: npt.NDArray[np.intp]
) -> _Moves:
    answered = matched[found.answers[matched] >= 0]
    events = shelf.events[found.answers[answered]].astype(np.int64)
    variants = found.variants[answered]
    back = inverse_symmetries(pattern.rows, pattern.columns)
    moves = back[variants % len(back), events & int(POINT_MASK)]
    played = events >> int(COLOUR_SHIFT) & 3
    colours = np.where(variants >= SYMMETRIES, 3 - played, played)
    return _Moves(answered, pattern.folds()[moves].astype(np.int64), colours, played)


def _continuations(shelf: Shelf, answers: _Moves) -> list[Continuation]:
    keys = answers.colours * _MOVES + answers.moves
    winners = shelf.winners[answers.games]
    games = np.bincount(keys)
    wins = np.bincount(keys[winners == answers.played], minlength=len(games))
    losses = np.bincount(keys[winners == 3 - answers.played], minlength=len(games))
    found = [
        Continuation(
            int(key) % _MOVES,
            Colour(int(key) // _MOVES),
            *(int(games[key]), int(wins[key]), int(losses[key])),
        )
        for key in np.flatnonzero(games)
    ]
    return sorted(found, key=lambda one: (-one.games, one.colour, one.move))


def _occurrences(
    shelf: Shelf, found: Findings, matched: npt.NDArray[np.intp], answers: _Moves
) -> list[Occurrence]:
    occurrences = []
    for index in matched.tolist():
        start, end = int(shelf.starts[index]), int(shelf.starts[index + 1])
        place = int(found.answers[index])
        before = shelf.events[start : end if place < 0 else place]
        where = np.searchsorted(answers.games, index)
        after = int(np.count_nonzero((before & _NOT_A_MOVE) == 0))
        answer = None if place < 0 else int(answers.moves[where])
        occurrences.append(Occurrence(int(shelf.ids[index]), after, answer))
    return occurrences
