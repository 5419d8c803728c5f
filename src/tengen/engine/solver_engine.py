"""An engine that plays perfectly on small boards by solving them."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, Position
from tengen.engine.clock import Clock
from tengen.engine.engine import (
    NO_RESTRICTIONS,
    MoveDecision,
    MoveReason,
    MoveRestrictions,
    Progress,
)
from tengen.engine.settings import EngineSettings
from tengen.playout import PlayoutRule
from tengen.search import SearchLimit, SearchReport
from tengen.solver import SolverPlayer
from tengen.util import TengenError


class SolverEngine:
    """Plays a move that the solver proves optimal; has no search tree."""

    def __init__(self, settings: EngineSettings | None = None, table: Path | None = None):
        self.settings = settings or EngineSettings()
        self.seed = self.settings.play.seed or time.time_ns() % 2**31
        self._table = table
        self._player = SolverPlayer(table)

    def __reduce__(self) -> tuple[type, tuple[EngineSettings, Path | None]]:
        """Pickle the settings: workers create the engine anew."""
        return type(self), (self.settings, self._table)

    def think(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
        restrictions: MoveRestrictions = NO_RESTRICTIONS,
    ) -> MoveDecision:
        """Choose an optimal move, without regard to the clock."""
        move = self._player.move(position)
        return MoveDecision(move, MoveReason.GAME_OVER if move == PASS else MoveReason.SEARCHED)

    def clean_up(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> MoveDecision:
        """Choose an optimal move: the solver scores by area and captures dead stones anyway."""
        return self.think(position)

    def analyze(
        self,
        position: Position,
        limit: SearchLimit,
        progress: Progress | None = None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = False,
    ) -> SearchReport:
        """Raise TengenError: the solver has no candidates to report."""
        raise TengenError("the solver cannot analyze: use `tengen solve`")

    def restart(self, seed: int) -> None:
        """Set the seed; proofs do not depend on it and are kept."""
        self.seed = seed

    def new_game(self) -> None:
        """Do nothing."""

    def ponder(self, position: Position) -> None:
        """Do nothing: the solver does not ponder."""

    def stop_pondering(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing: a proof cannot be interrupted."""

    @property
    def problems(self) -> list[str]:
        """No problems: the solver has no evaluators."""
        return []

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """Zeros: the solver plays no playouts."""
        return np.zeros(len(PlayoutRule), dtype=np.int64)
