"""A search as a teacher: what it says of positions, in the form in which nets say it.

The third way of paper 001, section 2.2.4: a net trained "specifically to inform the Monte Carlo
Tree Search rather than help select a move". We read it so: the policy it learns is not the move
that somebody played, but how a search shared its visits out among the moves. A move that must be
read and refuted has its share then, as it needs it in the tree.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tengen.board.colour import BLACK
from tengen.board.kernels.layout import POINTS
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.outlook import outlook
from tengen.engine.settings import EngineSettings
from tengen.network.evaluation import Evaluation, Floats
from tengen.search.limit import Limit
from tengen.search.report import SearchReport


class SearchTeacher:
    """Looks at every position afresh, until a limit."""

    def __init__(self, settings: EngineSettings, limit: Callable[[], Limit]) -> None:
        """Take the engine's settings; raise TengenError for a search that shares out no visits."""
        if settings.search.kind == "flat":
            raise TengenError("flat search visits all moves alike: give another kind of search")
        self._engine = Engine(settings)
        self._limit = limit

    def evaluate(self, positions: Sequence[Position]) -> list[Evaluation]:
        """Return what a search says of each position: shares of visits, win rate, lead, owners."""
        return [self._look_at(position) for position in positions]

    def _look_at(self, position: Position) -> Evaluation:
        self._engine.restart(self._engine.seed)
        report = self._engine.analyse(position, self._limit())
        if self._engine.problems:
            # Labels of what is left would pass for those of the whole engine.
            raise TengenError(self._engine.problems[0])
        seen = outlook(report, position, self._engine.settings.play)
        shares = visit_shares(report)
        side = 1 if position.to_play == BLACK else -1
        return Evaluation(
            policy=position.on_grid(shares).copy(),
            pass_probability=float(shares[PASS]),
            win_to_play=report.value,
            lead_to_play=side * seen.lead,
            ownership_to_play=(side * seen.ownership).astype(np.float32),
        )


def visit_shares(report: SearchReport) -> Floats:
    """Return the share of the visits that each move at the root got, by padded point.

    Where no move was visited, all is the pass's.
    """
    shares = np.zeros(int(POINTS), dtype=np.float32)
    for candidate in report.candidates:
        shares[candidate.move] = candidate.visits
    if not shares.any():
        shares[PASS] = 1
    shares /= shares.sum()
    return shares
