"""Questions about chains, eyes and single moves. Nothing here changes the board."""

import numpy as np

from tengen.board.kernels.around import (
    DIAGONAL,
    empty_beside,
    has_several,
    is_enclosed,
    stones_around,
    walls_around,
)
from tengen.board.kernels.layout import (
    AROUND,
    COLOUR,
    COLOURS,
    DOWN,
    HEAD,
    LEFT,
    LIBERTIES,
    LIBERTY_SQUARES,
    LIBERTY_SUM,
    RIGHT,
    UP,
    WALL,
)
from tengen.core.compiler import inline_kernel


@inline_kernel
def in_atari(block, head):
    """Tell whether the chain has exactly one liberty."""
    count = np.uint64(block[LIBERTIES + head])
    total = np.uint64(block[LIBERTY_SUM + head])
    squares = np.uint64(block[LIBERTY_SQUARES + head])
    return count * squares == total * total


@inline_kernel
def atari_point(block, head):
    """Return the liberty of a chain in atari."""
    return np.uintp(block[LIBERTY_SUM + head]) // np.uintp(block[LIBERTIES + head])


@inline_kernel
def is_suicide(block, point, colour):
    """Tell whether a stone on the empty `point` would leave its own chain without a liberty."""
    if empty_beside(np.uintp(block[AROUND + point])):
        return False
    is_saved = False
    # All four without a branch: which of them saves it cannot be guessed, and a wrong guess of the
    # processor costs more than to look at all.
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        beside = block[COLOUR + neighbour]
        # A friend with another liberty saves the stone, so does an enemy without one.
        saves = (beside == colour) != in_atari(block, block[HEAD + neighbour])
        is_saved |= saves & (beside != WALL)
    return not is_saved


@inline_kernel
def is_eye_like(block, point, colour):
    """Tell whether all four neighbours of the empty `point` are stones of `colour` or wall."""
    return is_enclosed(np.uintp(block[AROUND + point]), colour)


@inline_kernel
def is_eye(block, point, colour):
    """Tell whether the empty `point` is an eye that `colour` should not fill.

    The usual rule: surrounded by one's own stones, and the enemy holds at most one diagonal
    point, or none at the edge.
    """
    code = np.uintp(block[AROUND + point])
    if not is_enclosed(code, colour):
        return False
    against = stones_around(code, COLOURS - colour, DIAGONAL)
    if walls_around(code, DIAGONAL):
        return against == np.uintp(0)
    return not has_several(against)


@inline_kernel
def touched_before(block, point, offset, head):
    """Tell whether a neighbour of `point` before `offset` belongs to the chain of `head`.

    For loops over the four neighbours that must count each chain once.
    """
    colour = block[COLOUR + head]
    for earlier in (UP, LEFT, RIGHT, DOWN):
        if earlier == offset:
            return False
        neighbour = point + earlier
        if block[COLOUR + neighbour] == colour and block[HEAD + neighbour] == head:
            return True
    return False
