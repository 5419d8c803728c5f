"""What a net says of a position."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A net's opinion of one position; do not write into its arrays, others may hold them."""

    policy: Floats
    """Rows x columns: the probability of each move; 0 where it is illegal."""
    pass_probability: float
    """Of the pass; with the policy it sums to 1."""
    win_to_play: float
    """Probability that the side to move wins."""
    lead_to_play: float
    """Points by which the side to move is ahead, komi counted."""
    ownership_to_play: Floats
    """Rows x columns: 1 where the side to move will own the point, -1 where the opponent will."""

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return self.policy.nbytes + self.ownership_to_play.nbytes + OVERHEAD_BYTES


OVERHEAD_BYTES = 900
"""Of an evaluation and its key in the cache, beside the numbers in its two arrays."""


class Outputs(NamedTuple):
    """What a model computes for a batch of n positions of one size, for the side to move."""

    policy: Floats
    """(n, rows * columns + 1): logits, legal or not; the pass stands last."""
    win: Floats
    """(n,): probability of winning."""
    lead: Floats
    """(n,): points."""
    ownership: Floats
    """(n, rows, columns): from -1 to 1."""


def to_evaluation(outputs: Outputs, index: int, legal: npt.NDArray[np.bool_]) -> Evaluation:
    """Return one position of a batch, with the policy over the moves that are legal.

    `legal` is rows x columns; the pass is always legal.
    """
    allowed = np.append(legal.reshape(-1), True)
    logits = np.where(allowed, outputs.policy[index], -np.inf)
    policy = np.exp(logits - logits.max())
    policy /= policy.sum()
    return Evaluation(
        policy=policy[:-1].reshape(legal.shape).astype(np.float32),
        pass_probability=float(policy[-1]),
        win_to_play=float(outputs.win[index]),
        lead_to_play=float(outputs.lead[index]),
        ownership_to_play=outputs.ownership[index].copy(),
    )
