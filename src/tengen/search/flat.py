"""The flat search: k playouts for each legal move (Brügmann 1993; the setting of paper 002).

Compiled sources may prune moves first, as they may in the tree; what else they say has no part.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tengen.board.colour import Colour
from tengen.board.kernels.layout import POINTS
from tengen.board.kernels.tactics import is_eye
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.knowledge.kernels.registry import Sources, add_priors
from tengen.playout.kernels.heavy import NO_ODDS, new_playout_memory
from tengen.playout.policy import Policy
from tengen.search.kernels.flat import run_flat
from tengen.search.report import Candidate, SearchReport
from tengen.search.settings import SearchSettings

ROOT_DEPTH = np.uintp(0)
MOVES_A_CALL = 8
"""Moves in one call of the kernel: between calls Ctrl-C is heard."""
ROUNDS = 100
"""All moves get a part of their playouts, then the next: so they are alike whenever it is ended."""


def flat_candidates(
    position: Position,
    filters: Sources,
    fills_eyes: bool = False,
    allowed: Sequence[int] | None = None,
) -> list[int]:
    """Return the legal moves that no source prunes and that, unless wished, fill no own eye.

    If all would be pruned, none is.
    """
    colour = np.uintp(position.to_play)
    moves = position.legal_moves() if allowed is None else allowed
    wanted = [
        move for move in moves if fills_eyes or not is_eye(position.block, np.uintp(move), colour)
    ]
    return _unpruned(position, filters, wanted) or wanted


def _unpruned(position: Position, filters: Sources, moves: list[int]) -> list[int]:
    """Return the moves that no source prunes."""
    wins, visits = (np.zeros(int(POINTS), dtype=np.float32) for _ in range(2))
    memory = np.zeros(int(filters.memory_starts[-1]))
    add_priors(position.block, ROOT_DEPTH, filters, memory, wins, visits)
    return [move for move in moves if visits[move] >= 0]


class FlatSearch:
    """Playouts for each candidate of a position, all alike; may be ended between two rounds."""

    def __init__(
        self,
        position: Position,
        settings: SearchSettings,
        policy: Policy,
        seed: int,
        filters: Sources,
        allowed: Sequence[int] | None = None,
        odds: npt.NDArray[np.uint32] = NO_ODDS,
    ):
        """Choose the candidates; `odds` are those of 3x3 patterns, for the playouts' rule SHAPE."""
        self._position = position
        self._settings = settings
        self._policy = policy
        self._moves = flat_candidates(position, filters, settings.flat_eyes, allowed)
        self._rewards = np.zeros(len(self._moves))
        self._playouts = 0
        self._memory = new_playout_memory(seed * 7919 + len(position.moves) + 1, odds)

    def run(self, is_over: Callable[[], bool] = lambda: False) -> SearchReport:
        """Play `flat_playouts` for each candidate, or fewer if it is over after a round."""
        for playouts in _rounds(self._settings.flat_playouts):
            self._play(playouts)
            if is_over():
                break
        return self.report()

    def report(self) -> SearchReport:
        """Return the candidates by their mean reward so far; at least one round was played."""
        position, playouts, count = self._position, self._playouts, len(self._moves)
        means = self._rewards / playouts
        if position.to_play is Colour.WHITE:
            means = 1 - means
        candidates = [_candidate(m, playouts, v) for m, v in zip(self._moves, means, strict=True)]
        candidates.sort(key=lambda candidate: candidate.value, reverse=True)
        return SearchReport(
            candidates=candidates or [_candidate(PASS, 1, 0.5)],
            simulations=playouts * count,
            visits=playouts * count,
            value=float(means.mean()) if count else 0.5,
            ownership=np.zeros((position.rows, position.columns)),
            nodes=count + 1,
            depth=1.0,
        )

    def _play(self, playouts: int) -> None:
        """Give each candidate so many playouts more."""
        points, scratch = np.array(self._moves, dtype=np.uint32), self._position.block.copy()
        for first in range(0, len(points), MOVES_A_CALL):
            some = slice(first, first + MOVES_A_CALL)
            run_flat(
                self._position.block,
                scratch,
                points[some],
                np.uintp(playouts),
                self._policy.thresholds(),
                self._memory,
                float(self._position.area_bonus),
                self._settings.score_weight,
                self._rewards[some],
            )
        self._playouts += playouts


def _rounds(playouts: int) -> list[int]:
    """Return how many playouts each move gets in each round."""
    rounds = min(ROUNDS, playouts)
    return [playouts * (n + 1) // rounds - playouts * n // rounds for n in range(rounds)]


def _candidate(move: int, visits: int, value: float) -> Candidate:
    return Candidate(move, visits, float(value), 0.0, 0.0, 0, 0.0, 0.0, [move])
