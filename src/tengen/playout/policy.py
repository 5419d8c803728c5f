"""Parameters of playouts."""

from dataclasses import astuple, dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tengen.util import check, parameter


class PlayoutRule(IntEnum):
    """What chose a playout move; the values are those of the kernels."""

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
class PlayoutPolicy:
    """Probabilities with which a heavy playout tries each rule.

    Rules are tried in this order; the first one that finds a move plays it. The order of the
    fields is that of `PlayoutRule`.
    """

    reply: float = _probability(
        0.0, "repeat the last good reply", "Baier and Drake, The Power of Forgetting, 2010"
    )
    atari: float = _probability(0.9, "capture or save stones in atari near the last move")
    nakade: float = _probability(
        1.0, "play the vital point of an eye space adjacent to the last move"
    )
    two_liberties: float = _probability(
        0.6, "attack or defend chains with two liberties near the last move"
    )
    shape_answer: float = _probability(
        0.0, "draw a neighbor of the last move by the odds of its 3x3 pattern", "paper 004"
    )
    pattern: float = _probability(
        0.9, "play a 3x3 pattern adjacent to the last move", "MoGo's patterns, 2006"
    )
    avoid_self_atari: float = _probability(0.95, "reject uniformly drawn moves that are self-atari")

    def __post_init__(self) -> None:
        check(self)

    def thresholds(self) -> npt.NDArray[np.uint64]:
        """Return the probabilities as thresholds for 32 random bits, uint64 [7]."""
        return np.array([round(value * 2**32) for value in astuple(self)], dtype=np.uint64)


LIGHT_POLICY = PlayoutPolicy(0, 0, 0, 0, 0, 0, 0)
"""Uniformly random moves that do not fill own eyes."""

HEAVY_POLICY = PlayoutPolicy()
