"""Who ends up owning each point, over many playouts."""

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    BLACK,
    COLOUR,
    COLUMNS,
    EMPTY,
    KO,
    NOWHERE,
    PASSES,
    POINTS,
    ROWS,
    TO_PLAY,
    WALL,
    WHITE,
)
from tengen.board.kernels.tactics import is_eye_like
from tengen.core.compiler import allocating_kernel, kernel
from tengen.playout.kernels.heavy import heavy_playout


@kernel
def final_owner(block, point):
    """Return who owns a point of a board that is played out; 0 if nobody does."""
    colour = np.uintp(block[COLOUR + point])
    if colour == EMPTY:
        if is_eye_like(block, point, BLACK):
            return BLACK
        if is_eye_like(block, point, WHITE):
            return WHITE
    return colour


@kernel
def _add_owners(block, owned, vacant):
    """Count who owns each point, and the points that nobody could fill."""
    for point in range(POINTS):
        if block[COLOUR + point] != WALL:
            owner = final_owner(block, point)
            owned[point] += np.int64(owner == BLACK) - np.int64(owner == WHITE)
            vacant[point] += np.int64(owner == EMPTY)


@allocating_kernel
def sum_ownership(start, first, policy, memory, count, owned, vacant):
    """Play `count` playouts in which `first` moves first, whoever's turn it is.

    Add to `owned` +1 for Black's points, -1 for White's, and 1 to `vacant` for nobody's.
    """
    block = np.empty_like(start)
    longest = np.uintp(3) * np.uintp(start[ROWS]) * np.uintp(start[COLUMNS])
    for _ in range(count):
        copy_block(start, block)
        block[TO_PLAY] = first
        block[PASSES] = 0
        block[KO] = NOWHERE
        heavy_playout(block, policy, memory, longest, longest)
        _add_owners(block, owned, vacant)
