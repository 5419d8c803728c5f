"""Moves that leave one's own chain in atari: which are blunders, which kill."""

import numpy as np

from tengen.board.kernels.around import BESIDE, empty_beside, has_several, stones_around
from tengen.board.kernels.layout import (
    AROUND,
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


@inline_kernel
def _would_touch(block, stone, point, colour):
    """Tell whether `stone` lies beside the chain that a move at `point` makes."""
    for offset in (UP, LEFT, RIGHT, DOWN):
        beside = stone + offset
        if beside == point:
            return True
        if block[COLOUR + beside] == colour:
            for towards in (UP, LEFT, RIGHT, DOWN):
                joined = point + towards
                if (
                    block[COLOUR + joined] == colour
                    and block[HEAD + joined] == block[HEAD + beside]
                ):
                    return True
    return False


@kernel
def _frees_two(block, point, colour, captured):
    """Tell whether two stones of the chain `captured` make room for the chain that takes them."""
    stone = np.uintp(captured)
    freed = np.uintp(0)
    for _ in range(np.uintp(block[STONES + block[HEAD + captured]])):
        freed += np.uintp(_would_touch(block, stone, point, colour))
        stone = np.uintp(block[NEXT + stone])
    return freed > ONE


@kernel
def is_self_atari(block, point, colour):
    """Tell whether a stone of `colour` at the empty `point` would have at most one liberty."""
    if has_several(empty_beside(np.uintp(block[AROUND + point]))):
        return False
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
    # What is captured beside the point is one liberty; a chain of it may be more.
    return block[COLOUR + known] != COLOURS - colour or not _frees_two(block, point, colour, known)


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
def _look_around(block, stone, colour, point, captor):
    """Return (links, captor) for one stone of the chain that a move at `point` would make.

    `links` are its neighbours in that chain. `captor` is the one enemy chain that touches the
    stones seen so far: 0 before any was seen, WALL (never a head) once there are two.
    """
    enemy = COLOURS - colour
    links = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = stone + offset
        beside = block[COLOUR + neighbour]
        links += np.uintp(beside == colour or neighbour == point)
        if beside == enemy:
            head = np.uintp(block[HEAD + neighbour])
            if captor == np.uintp(0):
                captor = head
            elif captor != head:
                captor = WALL
    return links, captor


@kernel
def _is_nakade(block, point, colour, size):
    """Tell whether the chain that a move at `point` makes would kill by being captured.

    Two or three stones, four as a square or a T, five with a stone that touches three others:
    shapes that leave the captor with one eye. Only one enemy chain may touch them: with two, as
    in most sekis, capturing them joins the enemy to life.
    """
    most, captor = _look_around(block, point, colour, point, np.uintp(0))
    pairs = most
    for offset in (UP, LEFT, RIGHT, DOWN):
        stone = point + offset
        if block[COLOUR + stone] != colour:
            continue
        head = np.uintp(block[HEAD + stone])
        if touched_before(block, point, offset, head):
            continue
        for _ in range(np.uintp(block[STONES + head])):
            links, captor = _look_around(block, stone, colour, point, captor)
            pairs += links
            most = max(most, links)
            stone = np.uintp(block[NEXT + stone])
    if captor == WALL:
        return False
    is_square = size == np.uintp(4) and pairs == np.uintp(8)
    return size <= np.uintp(3) or most >= np.uintp(3) or is_square


@kernel
def is_bad_self_atari(block, point, colour):
    """Tell whether a move puts one's own stones into atari for nothing.

    A throw-in of one stone beside the enemy is not bad, nor is a nakade; giving away more is.
    """
    if not is_self_atari(block, point, colour):
        return False
    size = _joined_stones(block, point, colour)
    if size == ONE:
        return not _touches_enemy(block, point, colour)
    return size > LARGEST_NAKADE or not _is_nakade(block, point, colour, size)


@inline_kernel
def _touches_enemy(block, point, colour):
    """Tell whether an enemy stone lies beside `point`."""
    code = np.uintp(block[AROUND + point])
    return stones_around(code, COLOURS - colour, BESIDE) != np.uintp(0)
