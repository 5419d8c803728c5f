"""Evaluators with a known bias."""

import numpy as np

from tengen.board import BLACK
from tengen.nets import Evaluation


def opinion(position, black_win, bias=0.0, lead=0.0):
    """Return an evaluation that prefers the first legal points; `bias` is for the side to move."""
    legal = position.legal_grid()
    policy = np.where(legal, 2.0 ** -np.cumsum(legal).reshape(legal.shape), 0).astype(np.float32)
    win = black_win if position.to_play is BLACK else 1 - black_win
    return Evaluation(
        policy=policy,
        pass_probability=1 - float(policy.sum()),
        win_to_play=win + bias,
        lead_to_play=lead,
        ownership_to_play=np.zeros(policy.shape, dtype=np.float32),
    )


class Biased:
    """Favors the side to move by `bias`, and Black by `for_black`.

    Without a bias, Black's winning probability depends on the number of stones only.
    """

    name = "biased"

    def __init__(self, bias=0.0, for_black=0.0, spread=0.0):
        self.bias, self.for_black, self.spread = bias, for_black, spread

    def evaluate(self, positions):
        return [self._evaluate(position) for position in positions]

    def _evaluate(self, position):
        stones = int((position.board() > 0).sum())
        black_win = 0.5 + self.spread * (stones // 2 % 2) + self.for_black
        return opinion(position, black_win, self.bias)
