"""Answers to the last move: capture, save, chase, nakade, patterns.

Each rule writes the moves it likes into a short list and returns how many it found.
"""

import numpy as np

from tengen.board.kernels.layout import (
    COLOUR,
    COLOURS,
    DOWN,
    EMPTY,
    HEAD,
    KO,
    LEFT,
    NEIGHBOURS,
    NEXT,
    NOWHERE,
    PASS,
    RIGHT,
    STONES,
    UP,
)
from tengen.board.kernels.liberties import two_liberties
from tengen.board.kernels.tactics import (
    atari_point,
    in_atari,
    is_suicide,
    touched_before,
)
from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.nakade import nakade_point
from tengen.playout.kernels.patterns import fits_pattern
from tengen.playout.kernels.random import random_below
from tengen.playout.kernels.selfatari import is_bad_self_atari, is_self_atari

ONE = np.uintp(1)
MOST_ANSWERS = 24
"""Longer lists are cut."""


@inline_kernel
def _add(block, moves, count, point, colour):
    """Put a move on the list if it is legal and there is room; return the new count."""
    if count >= np.uintp(MOST_ANSWERS) or point == block[KO]:
        return count
    if is_suicide(block, point, colour):
        return count
    moves[count] = point
    return count + ONE


@kernel
def _captures_beside(block, stone, colour, moves, count):
    """Add the captures of enemy chains in atari that touch the own chain at `stone`."""
    enemy = COLOURS - colour
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = current + offset
            if block[COLOUR + neighbour] == enemy:
                head = np.uintp(block[HEAD + neighbour])
                if in_atari(block, head):
                    count = _add(block, moves, count, atari_point(block, head), colour)
        current = np.uintp(block[NEXT + current])
    return count


@kernel
def atari_answers(block, last, colour, moves):
    """Capture the chain just played if it is in atari; save own chains that it put into atari."""
    count = np.uintp(0)
    if block[COLOUR + last] == COLOURS - colour:
        head = np.uintp(block[HEAD + last])
        if in_atari(block, head):
            count = _add(block, moves, count, atari_point(block, head), colour)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = last + offset
        if block[COLOUR + neighbour] != colour:
            continue
        head = np.uintp(block[HEAD + neighbour])
        if not in_atari(block, head) or touched_before(block, last, offset, head):
            continue
        count = _captures_beside(block, neighbour, colour, moves, count)
        escape = atari_point(block, head)
        if not is_self_atari(block, escape, colour):
            count = _add(block, moves, count, escape, colour)
    return count


@kernel
def two_liberty_answers(block, last, colour, moves):
    """Put the chain just played into atari; help own chains that it left with two liberties."""
    count = np.uintp(0)
    if block[COLOUR + last] == COLOURS - colour:
        number, one, other = two_liberties(block, last)
        if number == np.uintp(2):
            count = _add_sound(block, moves, count, one, colour)
            count = _add_sound(block, moves, count, other, colour)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = last + offset
        if block[COLOUR + neighbour] != colour:
            continue
        if touched_before(block, last, offset, np.uintp(block[HEAD + neighbour])):
            continue
        number, one, other = two_liberties(block, neighbour)
        if number == np.uintp(2):
            count = _captures_beside(block, neighbour, colour, moves, count)
            count = _add_sound(block, moves, count, one, colour)
            count = _add_sound(block, moves, count, other, colour)
    return count


@inline_kernel
def _add_sound(block, moves, count, point, colour):
    """Put a move on the list unless it is a self-atari."""
    if is_self_atari(block, point, colour):
        return count
    return _add(block, moves, count, point, colour)


@kernel
def nakade_answers(block, last, colour, moves, region):
    """Play the vital point of an eye space that the last move shaped, whoever owns it."""
    count = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        start = last + offset
        if block[COLOUR + start] != EMPTY:
            continue
        for owner in (colour, COLOURS - colour):
            vital = nakade_point(block, start, owner, region)
            if vital != NOWHERE:
                count = _add(block, moves, count, vital, colour)
    return count


@kernel
def pattern_answer(block, last, colour, random, moves):
    """Return a move beside the last one where a 3x3 pattern fits and no stones are thrown away.

    All such moves are equally likely; PASS if there is none. Whether a move is sound is asked of
    those that are drawn only.
    """
    count = np.uintp(0)
    for offset in NEIGHBOURS:
        point = last + offset
        moves[count] = point
        count += np.uintp((block[COLOUR + point] == EMPTY) & fits_pattern(block, point))
    while count > np.uintp(0):
        place = np.uintp(random_below(random, count))
        point = np.uintp(moves[place])
        if _is_sound(block, point, colour):
            return point
        count -= ONE
        moves[place] = moves[count]
    return PASS


@inline_kernel
def _is_sound(block, point, colour):
    """Tell whether a move is legal and throws no stones away."""
    if point == block[KO] or is_suicide(block, point, colour):
        return False
    return not is_bad_self_atari(block, point, colour)
