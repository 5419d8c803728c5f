"""The parameters of the playouts."""

from dataclasses import astuple, dataclass, fields
from enum import IntEnum

import numpy as np
import numpy.typing as npt


class Rule(IntEnum):
    """What chose a playout move; the order is that of the counters and of `Policy`."""

    REPLY = 0
    ATARI = 1
    NAKADE = 2
    TWO_LIBERTIES = 3
    PATTERN = 4
    UNIFORM = 5
    PASS = 6


@dataclass(frozen=True)
class Policy:
    """How a heavy playout chooses: the probability, 0 to 1, with which each rule is tried.

    The rules are tried in this order; the first that finds a move plays it.
    """

    reply: float = 0.0
    """Last good reply with forgetting (Baier and Drake 2010): what won here the last time."""
    atari: float = 0.9
    """Capture or save stones in atari around the last move."""
    nakade: float = 0.5
    """Play the vital point of an eye space beside the last move."""
    two_liberties: float = 0.3
    """Attack or help chains of two liberties around the last move."""
    pattern: float = 0.9
    """Play where a 3x3 pattern fits beside the last move."""
    avoid_self_atari: float = 0.95
    """Refuse a uniform move that throws stones away."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 <= getattr(self, field.name) <= 1:
                raise ValueError(f"{field.name} is a probability: from 0 to 1")

    def thresholds(self) -> npt.NDArray[np.uint64]:
        """Return the probabilities as bounds for 32 random bits, as the kernels want them."""
        return np.array([round(value * 2**32) for value in astuple(self)], dtype=np.uint64)


LIGHT = Policy(0, 0, 0, 0, 0, 0)
"""Uniform moves, no eye filling: nothing else."""

HEAVY = Policy()
