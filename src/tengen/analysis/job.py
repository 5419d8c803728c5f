"""One position to analyse, of those that a question asks about."""

from typing import TYPE_CHECKING

from tengen.analysis.query import Query
from tengen.board.position import Position
from tengen.engine.move_limits import MoveLimits

if TYPE_CHECKING:
    from tengen.engine.engine import Engine


class Job:
    """A question and one of its turns; it can be ended from another thread."""

    def __init__(self, query: Query, turn: int):
        self.query = query
        self.turn = turn
        self.position: Position = query.positions[turn]
        self.limits: MoveLimits = query.limits[self.position.to_play]
        self.is_terminated = False
        self._engine: Engine | None = None

    @property
    def priority(self) -> int:
        """The greater, the sooner."""
        return self.query.priorities[self.turn]

    def begin(self, engine: "Engine") -> None:
        """Remember who works on it."""
        self._engine = engine

    def terminate(self) -> None:
        """End the search for it soon, if there is one.

        A search that is about to begin does not notice; it asks `is_terminated` as it runs.
        """
        self.is_terminated = True
        if self._engine is not None:
            self._engine.stop()

    def end(self) -> None:
        """Forget who worked on it: that engine has other work now."""
        self._engine = None
