"""Read-only queries about neighborhoods, eyes, chains and liberties.

A *neighborhood code*, `block[NEIGHBORHOOD + point]`, has two bits for each of the eight neighbors:
1 for Black, 2 for White, 3 for the wall. The low bits mark Black or wall, the high bits White or
wall, so that queries about all neighbors need neither loops nor branches.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    DOWN,
    EMPTY,
    HEAD,
    LEFT,
    LIBERTIES,
    LIBERTY_SQUARES,
    LIBERTY_SUM,
    NEIGHBORHOOD,
    NEXT,
    RIGHT,
    STONES,
    UP,
    WALL,
)
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)

ADJACENT = np.uintp(0x1144)
"""The low bits of the four adjacent points."""
DIAGONAL = np.uintp(0x4411)
"""The low bits of the four diagonal points."""


@inline_kernel
def stones_around(code, color, which):
    """Return a bit for each stone of `color`; `which` is ADJACENT or DIAGONAL."""
    own, other = code >> (color - ONE), code >> (COLORS - ONE - color)
    return own & ~other & which


@inline_kernel
def has_stones_around(code):
    """Return whether one of the eight neighbors is a stone: its two bits differ."""
    return (code ^ (code >> ONE)) & (ADJACENT | DIAGONAL) != np.uintp(0)


@inline_kernel
def walls_around(code, which):
    """Return a bit for each neighbor outside the board; `which` is ADJACENT or DIAGONAL."""
    return code & (code >> ONE) & which


@inline_kernel
def empty_adjacent(code):
    """Return a bit for each empty adjacent point."""
    return ~(code | (code >> ONE)) & ADJACENT


@inline_kernel
def is_enclosed(code, color):
    """Return whether all four adjacent points are stones of `color` or wall."""
    mask = ADJACENT << (color - ONE)
    return code & mask == mask


@inline_kernel
def has_multiple_bits(bits):
    """Return whether more than one bit is set."""
    return bits & (bits - ONE) != np.uintp(0)


@inline_kernel
def in_atari(block, head):
    """Return whether the chain has exactly one liberty."""
    count = np.uint64(block[LIBERTIES + head])
    total = np.uint64(block[LIBERTY_SUM + head])
    squares = np.uint64(block[LIBERTY_SQUARES + head])
    return count * squares == total * total


@inline_kernel
def atari_point(block, head):
    """Return the liberty of a chain in atari."""
    return np.uintp(block[LIBERTY_SUM + head]) // np.uintp(block[LIBERTIES + head])


@inline_kernel
def is_suicide(block, point, color):
    """Return whether a stone on the empty `point` would leave its own chain without a liberty."""
    if empty_adjacent(np.uintp(block[NEIGHBORHOOD + point])):
        return False
    is_saved = False
    # Check all four without branching: a mispredicted branch costs more than the extra work.
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        occupant = block[COLOR + neighbor]
        # An own chain with another liberty saves the stone, and so does an enemy chain in atari.
        saves = (occupant == color) != in_atari(block, block[HEAD + neighbor])
        is_saved |= saves & (occupant != WALL)
    return not is_saved


@inline_kernel
def is_eye_like(block, point, color):
    """Return whether all four neighbors of the empty `point` are stones of `color` or wall."""
    return is_enclosed(np.uintp(block[NEIGHBORHOOD + point]), color)


@inline_kernel
def is_eye(block, point, color):
    """Return whether the empty `point` is an eye that `color` should not fill.

    All adjacent points are own stones or wall, and the enemy has at most one diagonal point, or
    none at the edge.
    """
    code = np.uintp(block[NEIGHBORHOOD + point])
    if not is_enclosed(code, color):
        return False
    enemies = stones_around(code, COLORS - color, DIAGONAL)
    if walls_around(code, DIAGONAL):
        return enemies == np.uintp(0)
    return not has_multiple_bits(enemies)


@inline_kernel
def touched_before(block, point, offset, head):
    """Return whether a neighbor of `point` before `offset` belongs to the chain of `head`.

    Loops over the four neighbors use it to count each chain once.
    """
    color = block[COLOR + head]
    for earlier in (UP, LEFT, RIGHT, DOWN):
        if earlier == offset:
            return False
        neighbor = point + earlier
        if block[COLOR + neighbor] == color and block[HEAD + neighbor] == head:
            return True
    return False


MAX_PSEUDO_OF_TWO = np.uintp(8)
"""The most pseudo-liberties that two liberties can have: each has four neighbors."""


@kernel
def contains(points, count, point):
    """Return whether `point` is among the first `count` of `points`."""
    for index in range(count):
        if points[index] == point:
            return True
    return False


@kernel
def find_liberties(block, stone, most, points):
    """Write up to `most` liberties of the chain at `stone` to `points`; return their number."""
    count = np.uintp(0)
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            point = current + offset
            if block[COLOR + point] == EMPTY and not contains(points, count, point):
                points[count] = point
                count += ONE
                if count == most:
                    return count
        current = np.uintp(block[NEXT + current])
    return count


@inline_kernel
def has_three_liberties(block, head):
    """Return whether the counters of a chain show at least three liberties.

    A chain of n stones with two liberties has at most max(n, 2) pseudo-liberties: two stones have
    no neighbor in common, and longer chains share few.
    """
    count = block[LIBERTIES + head]
    return count > MAX_PSEUDO_OF_TWO or count > max(block[STONES + head], np.uint32(2))


@kernel
def two_liberties(block, stone):
    """Return (count, first, second): the number of liberties, at most 3, and up to two of them."""
    one = np.uintp(0)
    other = np.uintp(0)
    head = block[HEAD + stone]
    if has_three_liberties(block, head):
        return np.uintp(3), one, other
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + head])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            point = current + offset
            if block[COLOR + point] == EMPTY and point != one and point != other:
                if one == np.uintp(0):
                    one = point
                elif other == np.uintp(0):
                    other = point
                else:
                    return np.uintp(3), one, other
        current = np.uintp(block[NEXT + current])
    if other != np.uintp(0):
        return np.uintp(2), one, other
    return ONE, one, other
