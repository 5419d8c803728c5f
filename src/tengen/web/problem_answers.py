"""Answers to moves in a problem that the file does not have, and lines of play.

`ProblemTask` gets them from `ProblemAnswers`; another implementation, such as one that proves life
and death, takes the place of `EngineAnswers` in `answers_for`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tengen.board import Position
from tengen.engine import NONE, Engine
from tengen.review import MoveReview, PositionAnalyst
from tengen.search import SearchLimit
from tengen.web.engine_pool import SearchJob
from tengen.web.problems import Problem, cut_line
from tengen.web.teaching import MAX_SEARCH_S, PLAYOUT_VISITS, VISITS, JobStop

LOSS_POINTS = 2.0
"""A move that loses fewer points by the engine's count may be right, although not in the file."""


@dataclass(frozen=True)
class Verdict:
    """The judgment of a move."""

    is_wrong: bool
    points_loss: float | None = None
    """None if it is not known in points."""
    refutation: tuple[int, ...] = ()
    """Moves after a wrong one."""


class ProblemAnswers(Protocol):
    """Judges moves and finds lines; called in a search thread."""

    def judge(self, before: Position, after: Position) -> Verdict:
        """Judge the last move of `after`, which was played in `before`."""
        ...

    def best_line(self, position: Position) -> list[int]:
        """Return the best moves of both sides, within the region of the problem."""
        ...


def answers_for(problem: Problem, engine: Engine, job: SearchJob) -> ProblemAnswers:
    """Return what answers a problem."""
    return EngineAnswers(problem, engine, job)


class EngineAnswers:
    """Answers by a search that is restricted to the region of the problem."""

    def __init__(self, problem: Problem, engine: Engine, job: SearchJob):
        visits = PLAYOUT_VISITS if engine.settings.play.net == NONE else VISITS

        def limit() -> SearchLimit:
            return SearchLimit(simulations=visits, until_s=time.monotonic() + MAX_SEARCH_S)

        def allowed(position: Position) -> Sequence[int] | None:
            return problem.allowed(position)

        self._problem = problem
        self._analyst = PositionAnalyst(engine, limit, JobStop(job), allowed)

    def judge(self, before: Position, after: Position) -> Verdict:
        """Compare a move with the best one; a wrong move loses `LOSS_POINTS` or more."""
        move = after.moves[-1]
        estimate = self._analyst.estimate(before, move.move, after)
        review = MoveReview(1, move.color, move.move, estimate, None, LOSS_POINTS)
        if review.points_loss < LOSS_POINTS:
            return Verdict(is_wrong=False, points_loss=review.points_loss)
        return Verdict(True, review.points_loss, tuple(self.best_line(after)))

    def best_line(self, position: Position) -> list[int]:
        """Return the principal variation up to the first move outside of the region."""
        line = self._analyst.estimate(position).line
        return cut_line(list(line), self._problem.region())
