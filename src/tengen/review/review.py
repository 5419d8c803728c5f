"""A game looked over move by move: what each move cost, and the largest mistakes."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tengen.board.colour import Colour
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.core.interrupt import Stop
from tengen.engine.engine import Engine
from tengen.records.game import GameRecord
from tengen.review.outlook import NewLimit, Outlook, for_mover, look

MISTAKE_WINRATE = 0.05
"""A move is called a mistake if it loses at least this."""
NOISE_Z = 1.96
"""And at least as many standard errors of the two searches: what is less may be luck."""
SHOWN_MISTAKES = 5
"""Of each player, by default."""

Progress = Callable[[int, int, Outlook], None]
"""Is told, after each position: how many positions are done, of how many, and the last one."""


@dataclass(frozen=True)
class MoveReview:
    """One move of a game: the prospects before and after it, and what it lost."""

    number: int
    """From 1."""
    colour: Colour
    move: int
    before: Outlook
    after: Outlook

    @property
    def is_best(self) -> bool:
        """Whether the engine would have played it too."""
        return self.move == self.before.best

    @property
    def winrate_loss(self) -> float:
        """How much win rate the player gave away; 0 for the engine's own choice."""
        return self._loss(self.before.winrate - self.after.winrate)

    @property
    def points_loss(self) -> float:
        """How many points the player gave away; 0 for the engine's own choice."""
        return self._loss(self.before.lead - self.after.lead)

    def _loss(self, black_lost: float) -> float:
        """Return a loss as the mover sees it: what looks like a gain shows a search too short."""
        return 0.0 if self.is_best else max(0.0, for_mover(black_lost, self.colour))

    @property
    def is_mistake(self) -> bool:
        """Whether it lost enough to speak of, and more than the searches may be off."""
        noise = NOISE_Z * math.sqrt(self.before.variance + self.after.variance)
        return self.winrate_loss >= max(MISTAKE_WINRATE, noise)

    @property
    def is_doubtful(self) -> bool:
        """Whether it lost enough to speak of, but no more than the searches may be off."""
        return self.winrate_loss >= MISTAKE_WINRATE and not self.is_mistake


@dataclass(frozen=True)
class Review:
    """A whole game."""

    game: GameRecord
    outlooks: tuple[Outlook, ...]
    """Of every position: before the first move, and after each."""

    @property
    def moves(self) -> list[MoveReview]:
        """Every move, in order."""
        return [
            MoveReview(number + 1, move.colour, move.move, *self.outlooks[number : number + 2])
            for number, move in enumerate(self.game.moves)
        ]

    def mistakes(self, colour: Colour, most: int = SHOWN_MISTAKES) -> list[MoveReview]:
        """Return the largest mistakes of a player, the largest first."""
        found = [move for move in self.moves if move.colour is colour and move.is_mistake]
        found.sort(key=lambda move: (-move.winrate_loss, -move.points_loss))
        return found[:most]

    def agreement(self, colour: Colour) -> float | None:
        """Return the share of a player's moves that the engine would play; None without any."""
        own = [move.is_best for move in self.moves if move.colour is colour]
        return sum(own) / len(own) if own else None

    def mean_loss(self, colour: Colour) -> float | None:
        """Return the points that a player lost in a move, on average; None without any."""
        own = [move.points_loss for move in self.moves if move.colour is colour]
        return sum(own) / len(own) if own else None


def review_game(
    game: GameRecord,
    engine: Engine,
    limit: NewLimit,
    progress: Progress | None = None,
    known: Sequence[Outlook] = (),
    stop: Stop | None = None,
) -> Review:
    """Look at every position of a game's main line.

    `limit` makes the limit of each search, such as `lambda: Limit(simulations=500)`. `known` are
    outlooks of the first positions, from a review that was stopped. Raise Stopped soon after
    `stop` is set, by whatever thread, and TengenError if the record holds nothing to look at.
    """
    problem = problem_of(game)
    if problem:
        raise TengenError(f"{game.source or 'the game'}: {problem}")
    outlooks = list(known)
    total = len(game.moves) + 1
    for position in positions(game, len(outlooks)):
        outlook = look(position, engine, limit, stop)
        outlooks.append(outlook)
        if progress is not None:
            progress(len(outlooks), total, outlook)
    return Review(game, tuple(outlooks))


def problem_of(game: GameRecord) -> str | None:
    """Return why a game cannot be looked over, or None."""
    if not game.is_playable:
        return f"not a game of Go on a board up to 19x19 (it is {game.columns}x{game.rows})"
    return None if game.moves else "it has no moves"


def positions(game: GameRecord, first: int = 0) -> Iterator[Position]:
    """Yield the positions of a game from the `first` on, each with who moved next to play."""
    for number in range(first, len(game.moves) + 1):
        position = game.position(number)
        for following in game.moves[number : number + 1]:
            position.to_play = following.colour
        yield position
