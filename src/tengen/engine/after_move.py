"""Whose the points will be after each of some moves, which the tree does not keep."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.board.position import Position
from tengen.engine.opinion import net_opinion
from tengen.playout.judge import ownership

MOST_MOVES = 10
"""More than the best ten are not looked at: each takes some milliseconds."""
PLAYOUTS = 48

Grid = npt.NDArray[np.float64]


def ownership_after(position: Position, moves: Sequence[int], net: str) -> dict[int, Grid]:
    """Return the ownership after each of the first moves, -1 White's to 1 Black's.

    It is the net's, or that of a few playouts where there is no net.
    """
    found: dict[int, Grid] = {}
    for move in moves[:MOST_MOVES]:
        after = position.copy()
        after.play(move)
        found[move] = _ownership(after, net)
    return found


def _ownership(position: Position, net: str) -> Grid:
    said = net_opinion(net, position)
    if said is None:
        owned, _ = ownership(position, position.to_play, PLAYOUTS)
        return np.array(position.on_grid(owned))
    sign = position.to_play.sign
    return sign * said.ownership_to_play.astype(np.float64)
