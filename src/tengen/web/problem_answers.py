"""Answers to moves in a problem that the file does not have, and lines of play.

`ProblemTask` gets them from `ProblemAnswers`: from a proof of life and death if there is one
within a few seconds (`ProvedAnswers`), otherwise from a search of the region (`EngineAnswers`).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tengen.board import PASS, Position
from tengen.engine import NONE, Engine, ProblemAnswer, ProblemSolver
from tengen.review import MoveReview, PositionAnalyst
from tengen.search import SearchLimit
from tengen.util import TengenError
from tengen.web.engine_pool import SearchJob
from tengen.web.problems import Problem, cut_line
from tengen.web.teaching import MAX_SEARCH_S, PLAYOUT_VISITS, VISITS, JobStop

LOSS_POINTS = 2.0
"""A move that loses fewer points by the engine's count may be right, although not in the file."""
PROOF_S = 2.0
"""CPU seconds for a proof."""


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
    return ProvedAnswers(problem, job, EngineAnswers(problem, engine, job))


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


class ProvedAnswers:
    """Answers by proofs of life and death; those of the engine where there is no proof."""

    def __init__(self, problem: Problem, job: SearchJob, engine: EngineAnswers):
        self._job = job
        self._engine = engine
        self._solver = ProblemSolver(PROOF_S, NONE)
        self._solver.poll = self._stop_with_job
        self._has_stones_of_both = len({*problem.position.board().ravel().tolist()} - {0}) == 2

    def _stop_with_job(self) -> None:
        if self._job.is_stopped:
            raise TengenError("the search was stopped")

    def _proof(self, position: Position) -> ProblemAnswer | None:
        """Return the answer to a position if it is proved that the side to move succeeds."""
        if not self._has_stones_of_both:
            return None
        try:
            answer = self._solver.solve(position)
        except TengenError:
            return None
        return answer if answer.is_proved and answer.succeeds else None

    def judge(self, before: Position, after: Position) -> Verdict:
        """Judge a move by the proof of the position before it, or as the engine does."""
        answer = self._proof(before)
        if answer is None:
            return self._engine.judge(before, after)
        move = after.moves[-1].move
        if move in answer.moves:
            return Verdict(is_wrong=False)
        if move in answer.failing:
            return Verdict(True, None, tuple(self.best_line(after)))
        return self._engine.judge(before, after)

    def best_line(self, position: Position) -> list[int]:
        """Return the first move of a proof, or the line of the engine."""
        answer = self._proof(position)
        if answer is None or answer.best == PASS:
            return self._engine.best_line(position)
        return [answer.best]
