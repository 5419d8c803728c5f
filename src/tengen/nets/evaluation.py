"""The evaluation of a position by a network, and a cache of evaluations."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, column_of, row_of
from tengen.util import TengenError

Floats = npt.NDArray[np.float32]

OVERHEAD_BYTES = 900
"""Approximate size of an evaluation and its cache key, without the two arrays."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Network outputs for one position; arrays may be shared and must not be modified."""

    policy: Floats
    """Rows x columns: probability of each move, 0 if illegal."""
    pass_probability: float
    """With the policy it sums to 1."""
    win_to_play: float
    """Winning probability of the side to move."""
    lead_to_play: float
    """Score lead of the side to move in points, including komi."""
    ownership_to_play: Floats
    """Rows x columns: 1 if the side to move will own the point, -1 if the opponent will."""

    def probability(self, move: int) -> float:
        """Return the probability of a move, a point of the padded board or the pass."""
        if move == PASS:
            return self.pass_probability
        return float(self.policy[row_of(move), column_of(move)])

    @property
    def bytes(self) -> int:
        """Approximate memory use."""
        return self.policy.nbytes + self.ownership_to_play.nbytes + OVERHEAD_BYTES


class Outputs(NamedTuple):
    """Raw outputs of a model for n positions of one size, for the side to move."""

    policy: Floats
    """(n, rows * columns + 1): logits, legal or not; the pass is last."""
    win: Floats
    """(n,): winning probability."""
    lead: Floats
    """(n,): score lead in points."""
    ownership: Floats
    """(n, rows, columns): from -1 to 1."""


class NonFiniteOutputsError(TengenError):
    """A network returned NaN or infinity."""


def check_finite(name: str, outputs: Outputs) -> None:
    """Raise NonFiniteOutputsError if an output is NaN or infinite; `name` is the network's."""
    if not all(np.isfinite(part).all() for part in outputs):
        raise NonFiniteOutputsError(
            f"network {name}: outputs are not finite; the file is damaged or the training diverged"
        )


def to_evaluation(outputs: Outputs, index: int, legal: npt.NDArray[np.bool_]) -> Evaluation:
    """Return one position of a batch with the policy normalized over legal moves.

    `legal` is rows x columns; passing is always legal.
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


class EvaluationCache:
    """Least-recently-used cache of about `limit_bytes`; safe to share between threads."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self.hits = 0
        self._kept: OrderedDict[Hashable, Evaluation] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> Evaluation | None:
        """Return the evaluation of a key, or None; count hits."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self.hits += 1
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, evaluation: Evaluation) -> None:
        """Store an evaluation; evict the least recently used ones beyond the limit."""
        with self._lock:
            self._remove(key)
            self._kept[key] = evaluation
            self.used_bytes += evaluation.bytes
            while self.used_bytes > self.limit_bytes:
                self._remove(next(iter(self._kept)))

    def clear(self) -> None:
        """Remove all evaluations."""
        with self._lock:
            self._kept.clear()
            self.used_bytes = 0

    def _remove(self, key: Hashable) -> None:
        old = self._kept.pop(key, None)
        if old is not None:
            self.used_bytes -= old.bytes
