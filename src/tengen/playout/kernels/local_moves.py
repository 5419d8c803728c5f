"""Playout moves near the last move: captures, escapes, ataris, nakade and 3x3 patterns.

Each rule writes candidate moves to `moves`, uint32 [MAX_MOVES], and returns their number.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    DOWN,
    EMPTY,
    HEAD,
    KO,
    LEFT,
    NEIGHBORHOOD,
    NEIGHBORS,
    NEXT,
    NOWHERE,
    PASS,
    RIGHT,
    STONES,
    UP,
)
from tengen.board.kernels.tactics import (
    ADJACENT,
    atari_point,
    contains,
    in_atari,
    is_suicide,
    stones_around,
    touched_before,
    two_liberties,
)
from tengen.playout.kernels.patterns import MAX_EYE_SPACE, fits_pattern, has_no_eye_space
from tengen.playout.kernels.random import random_below
from tengen.playout.kernels.self_atari import is_bad_self_atari, is_self_atari
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
MAX_MOVES = 24
"""Maximum number of candidate moves; further ones are dropped."""
VITAL_LINKS = np.array([9, 9, 9, 2, 3, 3, 4], dtype=np.uint32)
"""By eye space size: how many neighbors of the vital point are in the eye space. Shapes without
such a point (four in a row, a square) are settled."""


@kernel
def _small_region(block, start, color, region):
    """Collect the empty region around `start`, which has no adjacent enemy; return its size.

    The size is 0 if the region is too large or not enclosed by `color`.
    """
    enemy = COLORS - color
    region[0] = start
    size = ONE
    done = np.uintp(0)
    while done < size:
        point = np.uintp(region[done])
        done += ONE
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = point + offset
            if block[COLOR + neighbor] != EMPTY or contains(region, size, neighbor):
                continue
            if size == MAX_EYE_SPACE:
                return np.uintp(0)
            if stones_around(np.uintp(block[NEIGHBORHOOD + neighbor]), enemy, ADJACENT):
                return np.uintp(0)
            region[size] = neighbor
            size += ONE
    return size


@kernel
def nakade_point(block, start, color, region):
    """Return the vital point of the eye space of `color` around the empty `start`, or NOWHERE.

    The eye space has three to six points, all empty. `region` is scratch memory for six points.
    """
    if has_no_eye_space(block, start, color):
        return NOWHERE
    size = _small_region(block, start, color, region)
    if size < np.uintp(3):
        return NOWHERE
    for index in range(size):
        point = np.uintp(region[index])
        links = np.uintp(0)
        for offset in (UP, LEFT, RIGHT, DOWN):
            links += np.uintp(block[COLOR + point + offset] == EMPTY)
        if links >= VITAL_LINKS[size]:
            return point
    return NOWHERE


@inline_kernel
def _add(block, moves, count, point, color):
    """Append a move if it is legal and there is room; return the new count."""
    if count >= np.uintp(MAX_MOVES) or point == block[KO]:
        return count
    if is_suicide(block, point, color):
        return count
    moves[count] = point
    return count + ONE


@kernel
def _adjacent_captures(block, stone, color, moves, count):
    """Append captures of enemy chains in atari adjacent to the own chain at `stone`."""
    enemy = COLORS - color
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = current + offset
            if block[COLOR + neighbor] == enemy:
                head = np.uintp(block[HEAD + neighbor])
                if in_atari(block, head):
                    count = _add(block, moves, count, atari_point(block, head), color)
        current = np.uintp(block[NEXT + current])
    return count


@kernel
def atari_moves(block, last, color, moves):
    """Find captures of the last played chain and escapes of own chains that it put into atari."""
    count = np.uintp(0)
    if block[COLOR + last] == COLORS - color:
        head = np.uintp(block[HEAD + last])
        if in_atari(block, head):
            count = _add(block, moves, count, atari_point(block, head), color)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = last + offset
        if block[COLOR + neighbor] != color:
            continue
        head = np.uintp(block[HEAD + neighbor])
        if not in_atari(block, head) or touched_before(block, last, offset, head):
            continue
        count = _adjacent_captures(block, neighbor, color, moves, count)
        escape = atari_point(block, head)
        if not is_self_atari(block, escape, color):
            count = _add(block, moves, count, escape, color)
    return count


@kernel
def two_liberty_moves(block, last, color, moves):
    """Find ataris on the last played chain and moves for own chains it left with two liberties."""
    count = np.uintp(0)
    if block[COLOR + last] == COLORS - color:
        number, one, other = two_liberties(block, last)
        if number == np.uintp(2):
            count = _add_unless_self_atari(block, moves, count, one, color)
            count = _add_unless_self_atari(block, moves, count, other, color)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = last + offset
        if block[COLOR + neighbor] != color:
            continue
        if touched_before(block, last, offset, np.uintp(block[HEAD + neighbor])):
            continue
        number, one, other = two_liberties(block, neighbor)
        if number == np.uintp(2):
            count = _adjacent_captures(block, neighbor, color, moves, count)
            count = _add_unless_self_atari(block, moves, count, one, color)
            count = _add_unless_self_atari(block, moves, count, other, color)
    return count


@inline_kernel
def _add_unless_self_atari(block, moves, count, point, color):
    """Append a move unless it is a self-atari."""
    if is_self_atari(block, point, color):
        return count
    return _add(block, moves, count, point, color)


@kernel
def nakade_moves(block, last, color, moves, region):
    """Find vital points of eye spaces adjacent to the last move, for either color."""
    count = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        start = last + offset
        if block[COLOR + start] != EMPTY:
            continue
        for owner in (color, COLORS - color):
            vital = nakade_point(block, start, owner, region)
            if vital != NOWHERE:
                count = _add(block, moves, count, vital, color)
    return count


@kernel
def pattern_move(block, last, color, random, moves):
    """Return a random move adjacent to the last one that matches a 3x3 pattern, or PASS.

    Illegal moves and bad self-ataris are rejected; only drawn moves are tested.
    """
    count = np.uintp(0)
    for offset in NEIGHBORS:
        point = last + offset
        moves[count] = point
        count += np.uintp((block[COLOR + point] == EMPTY) & fits_pattern(block, point))
    while count > np.uintp(0):
        place = np.uintp(random_below(random, count))
        point = np.uintp(moves[place])
        if _is_sound(block, point, color):
            return point
        count -= ONE
        moves[place] = moves[count]
    return PASS


@inline_kernel
def _is_sound(block, point, color):
    """Return whether a move is legal and not a bad self-atari."""
    if point == block[KO] or is_suicide(block, point, color):
        return False
    return not is_bad_self_atari(block, point, color)
