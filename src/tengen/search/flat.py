"""The flat search: k playouts for each legal move (Brügmann 1993; the setting of paper 002)."""

from collections.abc import Sequence

import numpy as np

from tengen.board.colour import Colour
from tengen.board.kernels.tactics import is_eye
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.playout.kernels.heavy import new_playout_memory
from tengen.playout.policy import Policy
from tengen.search.kernels.flat import run_flat
from tengen.search.report import Candidate, SearchReport
from tengen.search.settings import SearchSettings

MOVES_A_CALL = 8
"""Moves in one call of the kernel: between calls Ctrl-C is heard."""


def flat_candidates(position: Position, allowed: Sequence[int] | None = None) -> list[int]:
    """Return the legal moves that fill no own eye."""
    colour = np.uintp(position.to_play)
    moves = position.legal_moves() if allowed is None else allowed
    return [move for move in moves if not is_eye(position.block, np.uintp(move), colour)]


def search_flat(
    position: Position,
    settings: SearchSettings,
    policy: Policy,
    seed: int,
    allowed: Sequence[int] | None = None,
) -> SearchReport:
    """Play `flat_playouts` for each move; the candidates are ordered by their mean reward."""
    moves = flat_candidates(position, allowed)
    playouts = settings.flat_playouts
    points = np.array(moves, dtype=np.uint32)
    rewards = np.zeros(len(moves))
    scratch, memory = position.block.copy(), new_playout_memory(seed + len(position.moves))
    for first in range(0, len(moves), MOVES_A_CALL):
        some = slice(first, first + MOVES_A_CALL)
        run_flat(
            position.block,
            scratch,
            points[some],
            np.uintp(playouts),
            policy.thresholds(),
            memory,
            float(position.rules.white_bonus(position.handicap)),
            settings.score_weight,
            rewards[some],
        )
    means = rewards / playouts if position.to_play is Colour.BLACK else 1 - rewards / playouts
    candidates = [_candidate(m, playouts, v) for m, v in zip(moves, means, strict=True)]
    candidates.sort(key=lambda candidate: candidate.value, reverse=True)
    total = playouts * len(moves)
    return SearchReport(
        candidates=candidates or [_candidate(PASS, 1, 0.5)],
        simulations=total,
        visits=total,
        value=float(means.mean()) if moves else 0.5,
        ownership=np.zeros((position.rows, position.columns)),
        nodes=len(moves) + 1,
        depth=1.0,
    )


def _candidate(move: int, visits: int, value: float) -> Candidate:
    return Candidate(move, visits, float(value), 0.0, 0.0, 0, 0.0, 0.0, [move])
