"""A search as a teacher: its results in the form of network evaluations.

A network distilled from search results (paper 001, section 2.2.4) learns the distribution of
visits over the moves, instead of the move that was played.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tengen.board import PASS, Position
from tengen.board.kernels.layout import POINTS
from tengen.engine.estimate import estimate_score
from tengen.engine.search_engine import TreeEngine
from tengen.engine.settings import EngineSettings
from tengen.nets import Evaluation, Floats
from tengen.search import FLAT, SearchLimit, SearchReport
from tengen.util import TengenError


class SearchTeacher:
    """Searches every position from scratch, until a limit."""

    def __init__(self, settings: EngineSettings, limit: Callable[[], SearchLimit]) -> None:
        """Create the engine; raise TengenError for the flat search, whose visits are uniform."""
        if settings.search.algorithm == FLAT:
            raise TengenError(
                "algorithm=flat visits all moves equally often: use another one to label"
            )
        self._engine = TreeEngine(settings)
        self._limit = limit

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return visit distribution, win rate, lead and ownership of each position."""
        return [self._evaluate(position) for position in positions]

    def _evaluate(self, position: Position) -> Evaluation:
        self._engine.restart(self._engine.seed)
        report = self._engine.analyze(position, self._limit())
        if self._engine.problems:
            # Without the evaluator that failed, the labels would be those of another engine.
            raise TengenError(self._engine.problems[0])
        estimate = estimate_score(report, position, self._engine.settings.play)
        shares = visit_shares(report)
        sign = position.to_play.sign
        return Evaluation(
            policy=position.on_grid(shares).copy(),
            pass_probability=float(shares[PASS]),
            win_to_play=report.value,
            lead_to_play=sign * estimate.lead,
            ownership_to_play=(sign * estimate.ownership).astype(np.float32),
        )


def visit_shares(report: SearchReport) -> Floats:
    """Return each root move's share of the visits, float32 [POINTS]; the pass if none has any."""
    shares = np.zeros(int(POINTS), dtype=np.float32)
    for candidate in report.candidates:
        shares[candidate.move] = candidate.visits
    if not shares.any():
        shares[PASS] = 1
    shares /= shares.sum()
    return shares
