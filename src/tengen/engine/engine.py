"""The engine interface that GTP, matches, reviews and the web page use.

An engine holds no game: every call gets a position, so one engine can serve several games.
`tengen.engine.search_engine` and `tengen.engine.solver_engine` implement it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, Position
from tengen.engine.clock import Clock
from tengen.engine.settings import EngineSettings
from tengen.search import Candidate, SearchLimit, SearchReport

Progress = Callable[[Callable[[], SearchReport]], None]
"""Called between batches of simulations with a function that returns the current report."""


class MoveReason(IntEnum):
    """Why the engine chose a move."""

    SEARCHED = 0
    GAME_OVER = 1
    NO_MOVE = 2
    RESIGNED = 3
    BOOK = 4
    """The move comes from the opening book, without a search."""


@dataclass(frozen=True)
class MoveDecision:
    """The move an engine chose; PASS if it resigns."""

    move: int
    reason: MoveReason
    report: SearchReport | None = None

    @property
    def resigns(self) -> bool:
        """Whether the engine resigns."""
        return self.reason is MoveReason.RESIGNED


@dataclass(frozen=True)
class MoveRestrictions:
    """Moves that the side to move may play, like KataGo's `allow` and `avoid`; all by default."""

    avoided: frozenset[int] = frozenset()
    allowed: frozenset[int] | None = None

    def avoiding(self, moves: Iterable[int]) -> "MoveRestrictions":
        """Return restrictions that exclude these moves as well."""
        return MoveRestrictions(self.avoided.union(moves), self.allowed)

    def allowing(self, moves: Iterable[int]) -> "MoveRestrictions":
        """Return restrictions to these moves and the moves allowed before."""
        return MoveRestrictions(self.avoided, (self.allowed or frozenset()).union(moves))

    def permit(self, move: int) -> bool:
        """Return whether a move is permitted."""
        return move not in self.avoided and (self.allowed is None or move in self.allowed)

    def moves(self, position: Position) -> list[int] | None:
        """Return the permitted points, or None for all."""
        if self.allowed is None and not self.avoided:
            return None
        return [move for move in position.legal_moves() if self.permit(move)]

    def filter(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Remove the pass, which every search tree has, if it is not permitted."""
        permitted = [c for c in candidates if c.move != PASS or self.permit(PASS)]
        return permitted or list(candidates)


NO_RESTRICTIONS = MoveRestrictions()


class Engine(Protocol):
    """Chooses moves and analyzes positions.

    Only `stop` may be called while another thread uses the engine. Positions are not changed.

    Examples
    --------
    >>> from tengen.api import Position, make_engine
    >>> engine = make_engine(playouts=20, threads=1, memory_mib=8, seed=1)
    >>> decision = engine.think(Position(5))
    >>> decision.resigns, engine.problems
    (False, [])
    """

    settings: EngineSettings
    seed: int

    def restart(self, seed: int) -> None:
        """Discard everything learned from earlier searches and reseed the random generators."""

    def new_game(self) -> None:
        """Prepare for a new game: reactivate evaluators that failed."""

    def think(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
        restrictions: MoveRestrictions = NO_RESTRICTIONS,
    ) -> MoveDecision:
        """Choose a move for the side to move."""

    def clean_up(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> MoveDecision:
        """Choose a move; pass only when all dead stones of the opponent are captured."""

    def analyze(
        self,
        position: Position,
        limit: SearchLimit,
        progress: Progress | None = None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = False,
    ) -> SearchReport:
        """Search a position until the limit or `stop`.

        The search uses the komi of the rules, or the dynamic komi of `think` if `is_dynamic`.
        """

    def ponder(self, position: Position) -> None:
        """Search in the background until the next call, if pondering is enabled."""

    def stop_pondering(self) -> None:
        """End the background search and keep its tree."""

    def stop(self) -> None:
        """End a running search soon; callable from any thread."""

    @property
    def problems(self) -> list[str]:
        """Error messages of evaluators that failed, and warnings about unused ones."""

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """Number of playout moves per `PlayoutRule` in tree searches so far."""
