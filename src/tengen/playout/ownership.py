"""Whose each point is at the end of some playouts from one board."""

import numpy as np
import numpy.typing as npt

from tengen.board.kernels.layout import POINTS
from tengen.board.position import Block
from tengen.playout.kernels.heavy import NO_ODDS, new_playout_memory
from tengen.playout.kernels.ownership import sum_ownership
from tengen.playout.policy import Policy

Field = npt.NDArray[np.float64]


def playout_owners(
    block: Block,
    first: int,
    playouts: int,
    seed: int,
    policy: Policy,
    odds: npt.NDArray[np.uint32] = NO_ODDS,
) -> tuple[Field, Field]:
    """Return for each padded point its owner, -1 White's to 1 Black's, and how often nobody's.

    `first` moves first in all of them, whoever's turn it is. The same block and seed, which is
    not 0, give the same answer. Several threads may call. `odds` are those of the rule SHAPE.
    """
    owned = np.zeros(int(POINTS), dtype=np.int64)
    vacant = np.zeros(int(POINTS), dtype=np.int64)
    memory = new_playout_memory(seed, odds)
    thresholds = policy.thresholds()
    sum_ownership(block, np.uintp(first), thresholds, memory, np.uintp(playouts), owned, vacant)
    return owned / playouts, vacant / playouts
