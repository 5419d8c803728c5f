"""Moves that leave one's own chain in atari: which are blunders, which kill."""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    COLOURS,
    DOWN,
    EMPTY,
    HEAD,
    LEFT,
    NEXT,
    RIGHT,
    STONES,
    UP,
    WALL,
)
from tengen.board.kernels.tactics import in_atari, touched_before
from tengen.core.compiler import inline_kernel, kernel

ONE = np.uintp(1)
LARGEST_NAKADE = np.uintp(5)


@inline_kernel
def _other_liberty(block, stone, point, known):
    """Return (second, known): whether the chain has a liberty besides `point` and `known`."""
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            liberty = current + offset
            if block[COLOUR + liberty] == EMPTY and liberty != point and liberty != known:
                if known != np.uintp(0):
                    return True, known
                known = liberty
        current = np.uintp(block[NEXT + current])
    return False, known


@kernel
def is_self_atari(block, point, colour):
    """Tell whether a stone of `colour` at the empty `point` would have at most one liberty.

    A captured neighbour counts as one liberty, which is exact for a single stone.
    """
    known = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        beside = block[COLOUR + neighbour]
        if beside == WALL:
            continue
        if beside == colour:
            second, known = _other_liberty(block, neighbour, point, known)
            if second:
                return False
        elif beside == EMPTY or in_atari(block, np.uintp(block[HEAD + neighbour])):
            if known != np.uintp(0) and known != neighbour:
                return False
            known = neighbour
    return True


@inline_kernel
def _joined_stones(block, point, colour):
    """Return how many stones the chain would have after a move at `point`."""
    total = ONE
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        if block[COLOUR + neighbour] == colour:
            head = np.uintp(block[HEAD + neighbour])
            if not touched_before(block, point, offset, head):
                total += np.uintp(block[STONES + head])
    return total


@inline_kernel
def _same_neighbours(block, stone, colour, point):
    """Return how many neighbours of `stone` are of `colour`, with one more stone at `point`."""
    count = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = stone + offset
        count += np.uintp(block[COLOUR + neighbour] == colour or neighbour == point)
    return count


@kernel
def _is_killing_shape(block, point, colour, size):
    """Tell whether the chain that a move at `point` makes would be a nakade when captured.

    One to three stones always; four as a square or a T, five with a stone that touches three
    others: shapes that leave the captor with one eye.
    """
    if size <= np.uintp(3):
        return True
    if size > LARGEST_NAKADE:
        return False
    most = _same_neighbours(block, point, colour, point)
    pairs = most
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        if block[COLOUR + neighbour] != colour:
            continue
        head = np.uintp(block[HEAD + neighbour])
        if touched_before(block, point, offset, head):
            continue
        stone = neighbour
        for _ in range(np.uintp(block[STONES + head])):
            links = _same_neighbours(block, stone, colour, point)
            pairs += links
            most = max(most, links)
            stone = np.uintp(block[NEXT + stone])
    return most >= np.uintp(3) or (size == np.uintp(4) and pairs == np.uintp(8))


@inline_kernel
def _touches_enemy(block, point, colour):
    """Tell whether an enemy stone lies beside `point`."""
    enemy = COLOURS - colour
    for offset in (UP, LEFT, RIGHT, DOWN):
        if block[COLOUR + point + offset] == enemy:
            return True
    return False


@kernel
def is_bad_self_atari(block, point, colour):
    """Tell whether a move puts one's own stones into atari for nothing.

    Throw-ins and nakade shapes beside the enemy are not bad; giving away more stones is.
    """
    if not is_self_atari(block, point, colour):
        return False
    size = _joined_stones(block, point, colour)
    if not _touches_enemy(block, point, colour):
        return True
    return not _is_killing_shape(block, point, colour, size)
