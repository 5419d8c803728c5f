"""Review of a game: an estimate of every position, the loss of every move, the mistakes."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tengen.board.color import BLACK, Color
from tengen.board.position import Position
from tengen.engine.engine import Engine
from tengen.engine.estimate import estimate_score
from tengen.engine.nets import evaluate_with_net
from tengen.engine.settings import PlaySettings
from tengen.playout.scoring import ownership, score_position
from tengen.records.game import GameRecord
from tengen.search.kernels.worker import OWNERSHIP_INTERVAL
from tengen.search.limit import SearchLimit
from tengen.search.report import SearchReport
from tengen.util.errors import TengenError
from tengen.util.processes import StopFlag

SCORE_PLAYOUTS = 200
"""Minimum number of playouts behind a score lead without a network.

A search counts points in one of `OWNERSHIP_INTERVAL` playouts; missing ones are played after its
best move.
"""
MISTAKE_WINRATE = 0.05
"""Minimum win rate loss of a mistake."""
MISTAKE_Z = 1.96
"""Minimum loss of a mistake in standard errors of the two searches."""
MAX_MISTAKES = 5
"""Mistakes listed per player."""

NewLimit = Callable[[], SearchLimit]
"""Creates the limit of one search; time limits are absolute, so each search needs its own."""


@dataclass(frozen=True)
class PositionEstimate:
    """The evaluation of one position, from Black's point of view."""

    winrate: float
    lead: float
    """Score lead in points, including komi: the network's, or else the mean over playouts."""
    line: tuple[int, ...]
    """Principal variation; empty when the game is over."""
    visits: int
    """Visits behind the win rate; 0 for a scored final position."""

    @property
    def variance(self) -> float:
        """Sampling variance of the win rate."""
        return self.winrate * (1 - self.winrate) / self.visits if self.visits else 0.0

    @property
    def best(self) -> int | None:
        """The engine's best move, or None when the game is over."""
        return self.line[0] if self.line else None


@dataclass(frozen=True)
class MoveReview:
    """One move of a game with the estimates before and after it.

    Examples
    --------
    >>> from tengen.api import BLACK, Position, record_from_position, review_game
    >>> game = record_from_position(Position(5).after("C3 B2"))
    >>> review = review_game(game, playouts=10, threads=1, memory_mib=8)
    >>> first = review.moves[0]
    >>> first.number, first.color.name, 0 <= first.winrate_loss <= 1
    (1, 'BLACK', True)
    """

    number: int
    """From 1."""
    color: Color
    move: int
    before: PositionEstimate
    after: PositionEstimate

    @property
    def is_best(self) -> bool:
        """Whether the move is the engine's choice."""
        return self.move == self.before.best

    @property
    def winrate_loss(self) -> float:
        """The player's loss of win rate; 0 for the engine's choice."""
        return self._loss(self.before.winrate - self.after.winrate)

    @property
    def points_loss(self) -> float:
        """The player's loss of points; 0 for the engine's choice."""
        return self._loss(self.before.lead - self.after.lead)

    def _loss(self, black_loss: float) -> float:
        """Return the loss of the player; an apparent gain, due to search noise, counts as 0."""
        return 0.0 if self.is_best else max(0.0, black_loss if self.color is BLACK else -black_loss)

    @property
    def is_mistake(self) -> bool:
        """Whether the win rate loss is large and statistically significant."""
        error = math.sqrt(self.before.variance + self.after.variance)
        return self.winrate_loss >= max(MISTAKE_WINRATE, MISTAKE_Z * error)

    @property
    def is_uncertain_mistake(self) -> bool:
        """Whether the win rate loss is large, but not statistically significant."""
        return self.winrate_loss >= MISTAKE_WINRATE and not self.is_mistake


@dataclass(frozen=True)
class GameReview:
    """The review of a whole game.

    Examples
    --------
    >>> from tengen.api import BLACK, Position, record_from_position, review_game
    >>> game = record_from_position(Position(5).after("C3 B2"))
    >>> review = review_game(game, playouts=10, threads=1, memory_mib=8)
    >>> len(review.estimates), len(review.moves_of(BLACK))
    (3, 1)
    """

    game: GameRecord
    estimates: tuple[PositionEstimate, ...]
    """Of every position, before the first move and after each move."""

    @property
    def moves(self) -> list[MoveReview]:
        """All moves in order."""
        return [
            MoveReview(number + 1, move.color, move.move, *self.estimates[number : number + 2])
            for number, move in enumerate(self.game.moves)
        ]

    def moves_of(self, color: Color) -> list[MoveReview]:
        """Return the moves of a player."""
        return [move for move in self.moves if move.color is color]

    def mistakes(self, color: Color, most: int = MAX_MISTAKES) -> list[MoveReview]:
        """Return the mistakes of a player, largest first."""
        found = [move for move in self.moves_of(color) if move.is_mistake]
        found.sort(key=lambda move: (-move.winrate_loss, -move.points_loss))
        return found[:most]

    def agreement(self, color: Color) -> float | None:
        """Return the fraction of a player's moves that are the engine's choice, or None."""
        choices = [move.is_best for move in self.moves_of(color)]
        return sum(choices) / len(choices) if choices else None

    def mean_loss(self, color: Color) -> float | None:
        """Return a player's mean loss of points per move, or None without moves."""
        losses = [move.points_loss for move in self.moves_of(color)]
        return sum(losses) / len(losses) if losses else None


class ReviewStopped(Exception):  # noqa: N818  (not an error)
    """A review was stopped."""


ReviewProgress = Callable[[int, int, PositionEstimate], None]
"""Called after each position with the number of positions done, their total, and the estimate."""


def review_game(
    game: GameRecord,
    engine: Engine,
    limit: NewLimit,
    progress: ReviewProgress | None = None,
    known: Sequence[PositionEstimate] = (),
    stop: StopFlag | None = None,
) -> GameReview:
    """Estimate every position of the main line of a game.

    `known` are estimates of the first positions, from an interrupted review. Raise ReviewStopped
    soon after `stop` is set, and TengenError if the game cannot be reviewed.
    """
    problem = review_problem(game)
    if problem:
        raise TengenError(f"{game.source or 'the game'}: {problem}")
    estimates = list(known)
    total = len(game.moves) + 1
    for position in positions(game, len(estimates)):
        estimate = estimate_position(position, engine, limit, stop)
        estimates.append(estimate)
        if progress is not None:
            progress(len(estimates), total, estimate)
    return GameReview(game, tuple(estimates))


def review_problem(game: GameRecord) -> str | None:
    """Return why a game cannot be reviewed, or None."""
    if not game.is_playable:
        return f"not a game of Go on a board up to 19x19 (it is {game.columns}x{game.rows})"
    return None if game.moves else "the game has no moves"


def positions(game: GameRecord, first: int = 0) -> Iterator[Position]:
    """Iterate over the positions of a game from number `first`, the next player to play in each.

    The game is replayed once; only setup stones after the first move make it start over.
    """
    if first > len(game.moves):
        return
    position = game.position(first)
    setup_numbers = {change.before_move for change in game.setup_changes}
    for number in range(first, len(game.moves) + 1):
        if number > first:
            if number in setup_numbers:
                position = game.position(number)
            else:
                position.play_sequence([game.moves[number - 1]])
        current = position.copy()
        if number < len(game.moves):
            current.to_play = game.moves[number].color
        yield current


def estimate_position(
    position: Position, engine: Engine, limit: NewLimit, stop: StopFlag | None = None
) -> PositionEstimate:
    """Search a position; a finished game is scored instead.

    Raise ReviewStopped soon after `stop` is set.
    """
    if position.is_over:
        score = score_position(position).score
        return PositionEstimate(0.5 if score == 0 else float(score > 0), score, (), 0)

    def poll(read: Callable[[], SearchReport]) -> None:
        if stop is not None and stop.is_set():
            engine.stop()

    report = engine.analyze(position, limit(), poll)
    if stop is not None and stop.is_set():
        raise ReviewStopped  # the search may have been cut short
    best = report.candidates[0] if report.candidates else None
    value, visits = report.value, report.visits
    if best is not None and best.visits > 0:
        value, visits = best.value, best.visits
    winrate = value if position.to_play is BLACK else 1 - value
    return PositionEstimate(
        winrate=winrate,
        lead=_lead(position, report, winrate, engine.settings.play),
        line=tuple(best.line) if best else (),
        visits=visits,
    )


def _lead(position: Position, report: SearchReport, winrate: float, play: PlaySettings) -> float:
    """Return Black's score lead: the network's, adjusted by the search, or else by playouts."""
    if evaluate_with_net(play.net, position) is not None:
        return estimate_score(report, position, play).lead_at(winrate)
    counted = report.simulations // int(OWNERSHIP_INTERVAL) if report.ownership.any() else 0
    missing = max(SCORE_PLAYOUTS - counted, 0)
    total = counted * float(report.ownership.sum())
    if missing:
        total += missing * _area_difference(position, report, missing)
    return total / (counted + missing) - position.area_komi


def _area_difference(position: Position, report: SearchReport, playouts: int) -> float:
    """Return Black's minus White's mean area in playouts after the best move."""
    after = position.copy()
    if report.candidates:
        after.play(report.candidates[0].move)
    owned, _ = ownership(after, after.to_play, playouts)
    return float(after.on_grid(owned).sum())
