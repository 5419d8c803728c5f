"""Moves that a search shall look at, or leave alone, at the root."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.search.report import Candidate


@dataclass(frozen=True)
class MoveLimits:
    """What the side to move may try; by default everything."""

    avoided: frozenset[int] = frozenset()
    allowed: frozenset[int] | None = None

    def avoiding(self, moves: Iterable[int]) -> "MoveLimits":
        """Return limits that leave these moves alone too."""
        return MoveLimits(self.avoided.union(moves), self.allowed)

    def allowing(self, moves: Iterable[int]) -> "MoveLimits":
        """Return limits that keep to these moves, and those that were named before."""
        return MoveLimits(self.avoided, (self.allowed or frozenset()).union(moves))

    def may(self, move: int) -> bool:
        """Tell whether a move is left."""
        return move not in self.avoided and (self.allowed is None or move in self.allowed)

    def moves(self, position: Position) -> list[int] | None:
        """Return the points to search, or None for all."""
        if self.allowed is None and not self.avoided:
            return None
        return [move for move in position.legal_moves() if self.may(move)]

    def shown(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates that are left: a tree always has the pass, allowed or not."""
        left = [c for c in candidates if c.move != PASS or self.may(PASS)]
        return left or list(candidates)


EVERYTHING = MoveLimits()
"""No limits."""
