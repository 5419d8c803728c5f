"""Self-atari detection, with exceptions for throw-ins and nakade."""

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    DOWN,
    EMPTY,
    HEAD,
    LEFT,
    NEIGHBORHOOD,
    NEXT,
    RIGHT,
    STONES,
    UP,
    WALL,
)
from tengen.board.kernels.tactics import (
    ADJACENT,
    empty_adjacent,
    has_multiple_bits,
    has_three_liberties,
    in_atari,
    stones_around,
    touched_before,
)
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
MAX_NAKADE = np.uintp(5)


@inline_kernel
def _other_liberty(block, stone, point, known):
    """Return (found, known): whether the chain has a liberty other than `point` and `known`."""
    head = np.uintp(block[HEAD + stone])
    if has_three_liberties(block, head):
        return True, known
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + head])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            liberty = current + offset
            if block[COLOR + liberty] == EMPTY and liberty != point and liberty != known:
                if known != np.uintp(0):
                    return True, known
                known = liberty
        current = np.uintp(block[NEXT + current])
    return False, known


@inline_kernel
def _would_touch(block, stone, point, color):
    """Return whether `stone` is adjacent to the chain made by a move at `point`."""
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = stone + offset
        if neighbor == point:
            return True
        if block[COLOR + neighbor] == color:
            for towards in (UP, LEFT, RIGHT, DOWN):
                joined = point + towards
                if (
                    block[COLOR + joined] == color
                    and block[HEAD + joined] == block[HEAD + neighbor]
                ):
                    return True
    return False


@kernel
def _frees_two(block, point, color, captured):
    """Return whether capturing the chain `captured` gives the capturing chain two liberties."""
    stone = np.uintp(captured)
    freed = np.uintp(0)
    for _ in range(np.uintp(block[STONES + block[HEAD + captured]])):
        freed += np.uintp(_would_touch(block, stone, point, color))
        stone = np.uintp(block[NEXT + stone])
    return freed > ONE


@kernel
def is_self_atari(block, point, color):
    """Return whether a stone of `color` at the empty `point` would have at most one liberty."""
    if has_multiple_bits(empty_adjacent(np.uintp(block[NEIGHBORHOOD + point]))):
        return False
    known = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        occupant = block[COLOR + neighbor]
        if occupant == WALL:
            continue
        if occupant == color:
            second, known = _other_liberty(block, neighbor, point, known)
            if second:
                return False
        elif occupant == EMPTY or in_atari(block, np.uintp(block[HEAD + neighbor])):
            if known != np.uintp(0) and known != neighbor:
                return False
            known = neighbor
    # A captured stone next to the point is one liberty; capturing a longer chain may give more.
    return block[COLOR + known] != COLORS - color or not _frees_two(block, point, color, known)


@inline_kernel
def _joined_stones(block, point, color):
    """Return the size of the chain made by a move at `point`."""
    total = ONE
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        if block[COLOR + neighbor] == color:
            head = np.uintp(block[HEAD + neighbor])
            if not touched_before(block, point, offset, head):
                total += np.uintp(block[STONES + head])
    return total


@inline_kernel
def _links_and_captor(block, stone, color, point, captor):
    """Return (links, captor) for one stone of the chain made by a move at `point`.

    `links` is the number of its neighbors in that chain. `captor` is the enemy chain that touches
    the stones visited so far: 0 for none, WALL (never a head) for more than one.
    """
    enemy = COLORS - color
    links = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = stone + offset
        occupant = block[COLOR + neighbor]
        links += np.uintp(occupant == color or neighbor == point)
        if occupant == enemy:
            head = np.uintp(block[HEAD + neighbor])
            if captor == np.uintp(0):
                captor = head
            elif captor != head:
                captor = WALL
    return links, captor


@kernel
def _is_nakade(block, point, color, size):
    """Return whether the chain made by a move at `point` is a nakade shape.

    Nakade shapes leave the capturing side with one eye: two or three stones, four as a square or a
    T, five with a stone that touches three others. They count only if a single enemy chain touches
    them: with two, as in most sekis, the capture connects the enemy.
    """
    most, captor = _links_and_captor(block, point, color, point, np.uintp(0))
    pairs = most
    for offset in (UP, LEFT, RIGHT, DOWN):
        stone = point + offset
        if block[COLOR + stone] != color:
            continue
        head = np.uintp(block[HEAD + stone])
        if touched_before(block, point, offset, head):
            continue
        for _ in range(np.uintp(block[STONES + head])):
            links, captor = _links_and_captor(block, stone, color, point, captor)
            pairs += links
            most = max(most, links)
            stone = np.uintp(block[NEXT + stone])
    if captor == WALL:
        return False
    is_square = size == np.uintp(4) and pairs == np.uintp(8)
    return size <= np.uintp(3) or most >= np.uintp(3) or is_square


@kernel
def is_bad_self_atari(block, point, color):
    """Return whether a move is a self-atari other than a throw-in or a nakade.

    A throw-in is a single stone adjacent to an enemy stone.
    """
    if not is_self_atari(block, point, color):
        return False
    size = _joined_stones(block, point, color)
    if size == ONE:
        return not _touches_enemy(block, point, color)
    return size > MAX_NAKADE or not _is_nakade(block, point, color, size)


@inline_kernel
def _touches_enemy(block, point, color):
    """Return whether an enemy stone is adjacent to `point`."""
    code = np.uintp(block[NEIGHBORHOOD + point])
    return stones_around(code, COLORS - color, ADJACENT) != np.uintp(0)
