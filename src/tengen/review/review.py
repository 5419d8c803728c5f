"""Review of a game: an estimate of every position, the loss of every move, the mistakes.

The loss of a move is the lead after the best move minus the lead after the move played. Both come
from the same root with the same number of visits: if the played move has fewer than the best, the
position after it is searched further. That search continues in the tree of the next position, so
it costs no extra visits.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tengen.board import Color, Position
from tengen.engine import Engine, ScoreEstimate, estimate_score, evaluate_with_net, for_black
from tengen.playout import ownership, score_position
from tengen.records import GameRecord, unplayable_reason
from tengen.search import NEVER, SearchLimit, SearchReport, ValueEstimate
from tengen.search.kernels.worker import OWNERSHIP_INTERVAL
from tengen.util import StopFlag, TengenError

SCORE_PLAYOUTS = 200
"""Minimum number of playouts behind a score lead without a network.

A search counts points in one of `OWNERSHIP_INTERVAL` playouts; missing ones are played after its
best move.
"""
MISTAKE_POINTS = 2.0
"""Default minimum points loss of a mistake."""
MISTAKE_Z = 1.96
"""Minimum points loss of a mistake in standard errors of the loss."""
MAX_MISTAKES = 5
"""Largest mistakes listed per player."""

NewLimit = Callable[[], SearchLimit]
"""Creates the limit of one search; time limits are absolute, so each search needs its own."""


@dataclass(frozen=True)
class MoveValue:
    """The evaluation of the position after a move, from Black's point of view."""

    winrate: float
    lead: float
    lead_error: float
    """Standard error of the lead, in points."""
    visits: int
    """Visits behind the evaluation; 0 for a scored final position."""


@dataclass(frozen=True)
class PositionEstimate:
    """The evaluation of one position, from Black's point of view."""

    winrate: float
    lead: float
    """Score lead in points, including komi: the network's, or else the mean over playouts."""
    line: tuple[int, ...]
    """Principal variation; empty when the game is over."""
    visits: int
    """Visits behind the evaluation; 0 for a scored final position."""
    best: MoveValue | None = None
    """The engine's best move, the first of the line."""
    played: MoveValue | None = None
    """The move played here; None for the last position."""

    @property
    def best_move(self) -> int | None:
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
    after: PositionEstimate | None
    """None until the review reaches it."""
    mistake_points: float = MISTAKE_POINTS
    """Minimum points loss of a mistake."""

    @property
    def is_best(self) -> bool:
        """Whether the move is the engine's choice."""
        return self.move == self.before.best_move

    @property
    def winrate_loss(self) -> float:
        """The player's loss of win rate against the best move; 0 for the engine's choice."""
        return self._loss(lambda value: value.winrate)

    @property
    def points_loss(self) -> float:
        """The player's loss of points against the best move; 0 for the engine's choice."""
        return self._loss(lambda value: value.lead)

    @property
    def points_error(self) -> float:
        """Standard error of the points loss; 0 for the engine's choice."""
        best, played = self.before.best, self.before.played
        if self.is_best or best is None or played is None:
            return 0.0
        return math.hypot(best.lead_error, played.lead_error)

    def _loss(self, black: Callable[[MoveValue], float]) -> float:
        """Return the loss of the player; an apparent gain, due to search noise, counts as 0."""
        best, played = self.before.best, self.before.played
        if self.is_best or best is None or played is None:
            return 0.0
        return max(0.0, self.color.sign * (black(best) - black(played)))

    @property
    def is_mistake(self) -> bool:
        """Whether the points loss is large and statistically significant."""
        return self.points_loss >= max(self.mistake_points, MISTAKE_Z * self.points_error)

    @property
    def is_uncertain_mistake(self) -> bool:
        """Whether the points loss is large, but not statistically significant."""
        return self.points_loss >= self.mistake_points and not self.is_mistake


@dataclass(frozen=True)
class GameReview:
    """The review of a game, or of its first moves while it is in progress.

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
    """Of the positions before the first move and after each move, as far as they are searched."""
    mistake_points: float = MISTAKE_POINTS
    """Minimum points loss of a mistake."""

    @property
    def is_complete(self) -> bool:
        """Whether all positions are searched."""
        return len(self.estimates) == len(self.game.moves) + 1

    @property
    def moves(self) -> list[MoveReview]:
        """The moves in order, as far as the positions before them are searched."""
        following = [*self.estimates[1:], None]
        rows = zip(self.game.moves, self.estimates, following, strict=False)
        return [
            MoveReview(number, played.color, played.move, before, after, self.mistake_points)
            for number, (played, before, after) in enumerate(rows, start=1)
        ]

    def moves_of(self, color: Color) -> list[MoveReview]:
        """Return the moves of a player."""
        return [move for move in self.moves if move.color is color]

    def mistakes(self, color: Color, most: int | None = MAX_MISTAKES) -> list[MoveReview]:
        """Return the mistakes of a player, largest first; all of them if `most` is None."""
        found = [move for move in self.moves_of(color) if move.is_mistake]
        found.sort(key=lambda move: (-move.points_loss, -move.winrate_loss))
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
    mistake_points: float = MISTAKE_POINTS,
) -> GameReview:
    """Estimate every position of the main line of a game.

    A limit of simulations is one of visits: it includes those of a reused subtree. `known` are
    estimates of the first positions, from an interrupted review. Raise ReviewStopped soon after
    `stop` is set, and TengenError if the game cannot be reviewed.
    """
    problem = review_problem(game)
    if problem:
        raise TengenError(f"{game.source or 'the game'}: {problem}")
    estimates = list(known)
    total = len(game.moves) + 1
    analyst = PositionAnalyst(engine, limit, stop)
    following = itertools.chain(positions(game, len(estimates) + 1), [None])
    for position, after in zip(positions(game, len(estimates)), following, strict=True):
        move = None if after is None else game.moves[len(estimates)].move
        estimate = analyst.estimate(position, move, after)
        estimates.append(estimate)
        if progress is not None:
            progress(len(estimates), total, estimate)
    return GameReview(game, tuple(estimates), mistake_points)


def review_problem(game: GameRecord) -> str | None:
    """Return why a game cannot be reviewed, or None."""
    if not game.is_playable:
        return unplayable_reason(game)
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


class PositionAnalyst:
    """Estimates the positions of a game, one after another."""

    def __init__(
        self,
        engine: Engine,
        limit: NewLimit,
        stop: StopFlag | None = None,
        allowed: Callable[[Position], Sequence[int] | None] = lambda position: None,
    ):
        """Search only the moves that `allowed` returns for a position, all of them if None."""
        self._engine = engine
        self._allowed = allowed
        self._new_limit = limit
        self._stop = stop
        self._limit: SearchLimit | None = None
        """The limit of the next position, whose search has begun with the move played."""

    def estimate(
        self, position: Position, move: int | None = None, after: Position | None = None
    ) -> PositionEstimate:
        """Search a position and the move played there, which leads to `after`.

        A finished game is scored instead. Raise ReviewStopped soon after the flag is set.
        """
        if position.is_over:
            value = _final_value(position)
            return PositionEstimate(value.winrate, value.lead, (), 0)
        limit, self._limit = self._limit or self._new_limit(), None
        report = self._search(position, limit)
        score = self._score_estimate(report, position)
        root = _value(report.value, report.visits, report.estimate, position, score)
        best = report.candidates[0] if report.candidates else None
        estimate = PositionEstimate(root.winrate, root.lead, (), report.visits)
        if best is None:
            return estimate
        best_value = _value(best.value, best.visits, best.estimate, position, score)
        estimate = replace(estimate, line=tuple(best.line), best=best_value)
        if move is None or after is None:
            return estimate
        return replace(estimate, played=self._played_value(report, position, move, after, score))

    def _played_value(
        self,
        report: SearchReport,
        position: Position,
        move: int,
        after: Position,
        score: ScoreEstimate,
    ) -> MoveValue:
        """Return the value of the move played, with as many visits as the best move."""
        if after.is_over:
            return _final_value(after)
        visits = report.candidates[0].visits
        found = next((c for c in report.candidates if c.move == move), None)
        if found is not None and found.visits >= visits:
            return _value(found.value, found.visits, found.estimate, position, score)
        self._limit = self._new_limit()
        below = self._search(after, replace(self._limit, simulations=visits))
        return _value(below.value, below.visits, below.estimate, after, score)

    def _search(self, position: Position, limit: SearchLimit) -> SearchReport:
        """Search with a limit of visits instead of simulations."""

        def poll(read: Callable[[], SearchReport]) -> None:
            if self._stop is not None and self._stop.is_set():
                self._engine.stop()

        by_visits = replace(limit, simulations=NEVER, visits=limit.simulations)
        report = self._engine.analyze(position, by_visits, poll, self._allowed(position))
        if self._stop is not None and self._stop.is_set():
            raise ReviewStopped  # the search may have been cut short
        return report

    def _score_estimate(self, report: SearchReport, position: Position) -> ScoreEstimate:
        """Return the score estimate of a report; without a network, by more playouts."""
        play = self._engine.settings.play
        score = estimate_score(report, position, play)
        if report.estimate is not None or evaluate_with_net(play.net, position) is not None:
            return score
        return replace(score, lead=_playout_lead(position, report))


def _final_value(position: Position) -> MoveValue:
    score = score_position(position).score
    return MoveValue(0.5 if score == 0 else float(score > 0), score, 0.0, 0)


def _value(
    value_to_play: float,
    visits: int,
    estimate: ValueEstimate | None,
    position: Position,
    score: ScoreEstimate,
) -> MoveValue:
    """Return a search result from Black's point of view, rounded as in files.

    Without a network, the win rate gives the lead, and its sampling error that of the lead.
    """
    if estimate is not None:
        winrate = for_black(estimate.winrate, position.to_play)
        lead, error = position.to_play.sign * estimate.lead, estimate.lead_error
    else:
        winrate = for_black(value_to_play, position.to_play)
        lead = score.lead_at(winrate)
        spread = math.sqrt(winrate * (1 - winrate) / max(visits, 1))
        error = abs(score.lead_at(winrate + spread) - score.lead_at(winrate - spread)) / 2
    return MoveValue(round(winrate, 4), round(lead, 2), round(error, 2), visits)


def _playout_lead(position: Position, report: SearchReport) -> float:
    """Return Black's mean score lead in playouts."""
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
