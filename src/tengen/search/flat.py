"""Flat Monte Carlo: the same number of playouts for every move (Brügmann 1993; paper 002).

Compiled sources may prune moves, as in the tree; their priors are not used.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, Color, Position
from tengen.board.kernels.layout import POINTS
from tengen.board.kernels.tactics import is_eye
from tengen.playout import PlayoutPolicy
from tengen.playout.kernels.heavy import NO_ODDS, new_playout_memory
from tengen.search.kernels.simulation import run_flat
from tengen.search.report import Candidate, SearchReport
from tengen.search.settings import SearchSettings
from tengen.sources.kernels.registry import Sources, add_priors

ROOT_DEPTH = np.uintp(0)
MOVES_PER_CALL = 8
"""Moves per kernel call; Ctrl-C is handled between calls."""
ROUNDS = 100
"""Playouts are split into this many rounds, so that at any time all moves have equally many."""


def flat_candidates(
    position: Position,
    sources: Sources,
    fill_eyes: bool = False,
    allowed: Sequence[int] | None = None,
) -> list[int]:
    """Return the legal moves that no source prunes and that fill no own eye (unless `fill_eyes`).

    If all moves are pruned, pruning is ignored.
    """
    color = np.uintp(position.to_play)
    moves = position.legal_moves() if allowed is None else allowed
    candidates = [
        move for move in moves if fill_eyes or not is_eye(position.block, np.uintp(move), color)
    ]
    return _unpruned(position, sources, candidates) or candidates


def _unpruned(position: Position, sources: Sources, moves: list[int]) -> list[int]:
    """Return the moves that no source prunes."""
    wins, visits = (np.zeros(int(POINTS), dtype=np.float32) for _ in range(2))
    memory = np.zeros(int(sources.memory_starts[-1]))
    add_priors(position.block, ROOT_DEPTH, sources, memory, wins, visits)
    return [move for move in moves if visits[move] >= 0]


class FlatSearch:
    """A flat search of one position, which may end between two rounds."""

    def __init__(
        self,
        position: Position,
        settings: SearchSettings,
        policy: PlayoutPolicy,
        seed: int,
        sources: Sources,
        allowed: Sequence[int] | None = None,
        odds: npt.NDArray[np.uint32] = NO_ODDS,
    ):
        """Choose the candidates; `odds` are the pattern odds of the playouts."""
        self._position = position
        self._settings = settings
        self._policy = policy
        self._moves = flat_candidates(position, sources, settings.flat_fill_eyes, allowed)
        self._rewards = np.zeros(len(self._moves))
        self._playouts = 0
        self._memory = new_playout_memory(seed * 7919 + len(position.moves) + 1, odds)

    def run(self, is_over: Callable[[], bool] = lambda: False) -> SearchReport:
        """Play `flat_playouts` per candidate; end early if `is_over` after a round."""
        for playouts in _rounds(self._settings.flat_playouts):
            self._play_round(playouts)
            if is_over():
                break
        return self.report()

    def report(self) -> SearchReport:
        """Return the candidates by mean reward; requires at least one round."""
        position, playouts, count = self._position, self._playouts, len(self._moves)
        means = self._rewards / playouts
        if position.to_play is Color.WHITE:
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

    def _play_round(self, playouts: int) -> None:
        """Run more playouts for each candidate."""
        points, scratch = np.array(self._moves, dtype=np.uint32), self._position.block.copy()
        for first in range(0, len(points), MOVES_PER_CALL):
            part = slice(first, first + MOVES_PER_CALL)
            run_flat(
                self._position.block,
                scratch,
                points[part],
                np.uintp(playouts),
                self._policy.thresholds(),
                self._memory,
                float(self._position.area_komi),
                self._settings.score_weight,
                self._rewards[part],
            )
        self._playouts += playouts


def _rounds(playouts: int) -> list[int]:
    """Return the number of playouts per move in each round."""
    rounds = min(ROUNDS, playouts)
    return [playouts * (n + 1) // rounds - playouts * n // rounds for n in range(rounds)]


def _candidate(move: int, visits: int, value: float) -> Candidate:
    return Candidate(move, visits, float(value), 0.0, 0.0, 0, 0.0, 0.0, [move])
