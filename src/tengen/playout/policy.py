"""The parameters of the playouts."""

from dataclasses import astuple, dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tengen.core.parameters import check, parameter


class Rule(IntEnum):
    """What chose a playout move; the order is that of the counters and of `Policy`."""

    REPLY = 0
    ATARI = 1
    NAKADE = 2
    TWO_LIBERTIES = 3
    SHAPE = 4
    PATTERN = 5
    UNIFORM = 6
    PASS = 7


def _probability(default: float, meaning: str, origin: str = "") -> float:
    return parameter(  # type: ignore[no-any-return]
        default, meaning, low=0, high=1, origin=origin
    )


@dataclass(frozen=True)
class Policy:
    """How a heavy playout chooses: the probability with which each rule is tried.

    The rules are tried in this order; the first that finds a move plays it.
    """

    reply: float = _probability(
        0.0, "repeat the last reply that won", "Baier and Drake, The Power of Forgetting, 2010"
    )
    atari: float = _probability(0.9, "capture or save stones in atari around the last move")
    nakade: float = _probability(1.0, "take the vital point of an eye space beside the last move")
    two_liberties: float = _probability(
        0.6, "attack or help chains of two liberties around the last move"
    )
    shape_answer: float = _probability(
        0.0, "draw beside the last move by strong players' odds of the 3x3 pattern", "paper 004"
    )
    pattern: float = _probability(
        0.9, "play where a 3x3 pattern fits beside the last move", "MoGo's patterns, 2006"
    )
    avoid_self_atari: float = _probability(0.95, "refuse a uniform move that throws stones away")

    def __post_init__(self) -> None:
        check(self)

    def thresholds(self) -> npt.NDArray[np.uint64]:
        """Return the probabilities as bounds for 32 random bits, as the kernels want them."""
        return np.array([round(value * 2**32) for value in astuple(self)], dtype=np.uint64)


LIGHT = Policy(0, 0, 0, 0, 0, 0, 0)
"""Uniform moves, no eye filling: nothing else."""

HEAVY = Policy()
