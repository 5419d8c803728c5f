"""The solver in the engine's place: for GTP it decides like an engine, and never errs."""

from collections.abc import Sequence
from pathlib import Path

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.clock import Clock
from tengen.engine.engine import Decision, Engine, Progress, Reason
from tengen.engine.move_limits import EVERYTHING, MoveLimits
from tengen.engine.settings import EngineSettings
from tengen.search.limit import Limit
from tengen.search.report import SearchReport
from tengen.solver.player import SolverPlayer


class SolverEngine(Engine):
    """Plays what the solver proves; makes no search tree, so it loads none of its kernels."""

    def __init__(self, settings: EngineSettings, table: Path | None = None):
        self.settings = settings
        self._player = SolverPlayer(table)

    def think(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
        limits: MoveLimits = EVERYTHING,
    ) -> Decision:
        """Decide on a move that keeps the value, in whatever time it takes."""
        move = self._player.move(position)
        return Decision(move, Reason.GAME_OVER if move == PASS else Reason.SEARCHED)

    def clean_up(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> Decision:
        """Decide like `think`: the solver scores the board as it stands, so it cleans up."""
        return self.think(position)

    def analyse(
        self,
        position: Position,
        limit: Limit,
        progress: Progress | None = None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = False,
    ) -> SearchReport:
        """Raise TengenError: there is no tree to tell of."""
        raise TengenError("the solver does not analyse: use `tengen solve`")

    def restart(self, seed: int) -> None:
        """Do nothing: what is proved stays proved."""

    def begin_game(self) -> None:
        """Do nothing: there is nobody who could have failed."""

    def ponder(self, position: Position) -> None:
        """Do nothing: the solver does not think on the opponent's time."""

    def stop_pondering(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing: a proof is not cut short."""

    @property
    def problems(self) -> list[str]:
        """No sources, no problems."""
        return []
