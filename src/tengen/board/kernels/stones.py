"""Putting stones on the board and taking them off: the heart of everything."""

import numpy as np

from tengen.board.kernels.layout import (
    AROUND,
    COLOUR,
    COLOURS,
    DOWN,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    EMPTY_PLACE,
    HASH_HIGH,
    HASH_LOW,
    HEAD,
    KO,
    LAST,
    LAST_BUT_ONE,
    LEFT,
    LIBERTIES,
    LIBERTY_SQUARES,
    LIBERTY_SUM,
    MOVES,
    NEIGHBOURS,
    NEXT,
    NOWHERE,
    PASS,
    PASSES,
    POINTS,
    PRISONERS,
    RIGHT,
    STONES,
    TO_PLAY,
    UP,
    ZOBRIST_HIGH,
    ZOBRIST_LOW,
)
from tengen.core.compiler import inline_kernel, kernel

ONE, TWO = np.uintp(1), np.uintp(2)
LAST_SHIFT = np.uintp(14)
"""Of the eighth neighbour in AROUND."""


@inline_kernel
def _add_liberty(block, neighbour, point):
    """Count the empty `point` as a liberty of the chain at `neighbour`."""
    head = block[HEAD + neighbour]
    block[LIBERTIES + head] += ONE
    block[LIBERTY_SUM + head] += point
    block[LIBERTY_SQUARES + head] += point * point


@inline_kernel
def _remove_liberty(block, neighbour, point):
    """Count `point` no longer as a liberty of the chain at `neighbour`; return what is left."""
    head = block[HEAD + neighbour]
    left = block[LIBERTIES + head] - ONE
    block[LIBERTIES + head] = left
    block[LIBERTY_SUM + head] -= point
    block[LIBERTY_SQUARES + head] -= point * point
    return left


@inline_kernel
def _flip_around(block, point, colour):
    """Tell the eight neighbours of a stone that it came, or that it went."""
    seen_at = LAST_SHIFT
    for offset in NEIGHBOURS:
        block[AROUND + point + offset] ^= colour << seen_at
        seen_at -= TWO


@inline_kernel
def _flip_hash(block, point, colour):
    """Put the stone's key into the hash, or take it out."""
    key = colour * POINTS + point
    block[HASH_LOW] ^= ZOBRIST_LOW[key]
    block[HASH_HIGH] ^= ZOBRIST_HIGH[key]


@inline_kernel
def _leave_empty_list(block, point):
    """Take `point` off the list of empty points; the last of the list takes its place."""
    count = np.uintp(block[EMPTIES]) - ONE
    block[EMPTIES] = count
    place = block[EMPTY_PLACE + point]
    last = block[EMPTY_LIST + count]
    block[EMPTY_LIST + place] = last
    block[EMPTY_PLACE + last] = place


@inline_kernel
def _enter_empty_list(block, point):
    """Put `point` at the end of the list of empty points."""
    count = np.uintp(block[EMPTIES])
    block[EMPTY_LIST + count] = point
    block[EMPTY_PLACE + point] = count
    block[EMPTIES] = count + ONE


@inline_kernel
def _new_chain(block, point, colour):
    """Make `point` a chain of one stone, with its liberties, and tell the neighbours.

    Return whether an enemy beside it has no liberty left. Without branches: whether a neighbour is
    empty or a stone is a guess that the processor gets wrong too often.
    """
    block[COLOUR + point] = colour
    block[HEAD + point] = point
    block[NEXT + point] = point
    block[STONES + point] = ONE
    enemy = COLOURS - colour
    is_capture = False
    count = np.uintp(0)
    total = np.uintp(0)
    squares = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        beside = block[COLOUR + neighbour]
        is_empty = np.uintp(beside == EMPTY)
        count += is_empty
        total += is_empty * neighbour
        squares += is_empty * (neighbour * neighbour)
        left = _remove_liberty(block, neighbour, point)
        is_capture |= (beside == enemy) & (left == np.uintp(0))
    block[LIBERTIES + point] = count
    block[LIBERTY_SUM + point] = total
    block[LIBERTY_SQUARES + point] = squares
    return is_capture


@inline_kernel
def _join(block, one, other):
    """Make one chain of two, given by their heads; the larger keeps its head."""
    if block[STONES + one] < block[STONES + other]:
        one, other = other, one
    block[STONES + one] += block[STONES + other]
    block[LIBERTIES + one] += block[LIBERTIES + other]
    block[LIBERTY_SUM + one] += block[LIBERTY_SUM + other]
    block[LIBERTY_SQUARES + one] += block[LIBERTY_SQUARES + other]
    stone = np.uintp(other)
    while True:
        block[HEAD + stone] = one
        following = np.uintp(block[NEXT + stone])
        if following == other:
            break
        stone = following
    # `stone` is now the last of the ring that began at `other`: link the two rings.
    after = block[NEXT + one]
    block[NEXT + one] = other
    block[NEXT + stone] = after


@inline_kernel
def _remove_chain(block, head, colour):
    """Take a chain off the board; return how many stones it had."""
    count = np.uintp(block[STONES + head])
    stone = np.uintp(head)
    for _ in range(count):
        block[COLOUR + stone] = EMPTY
        block[HEAD + stone] = NOWHERE
        _flip_hash(block, stone, colour)
        _flip_around(block, stone, colour)
        _enter_empty_list(block, stone)
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = stone + offset
            # Stones of the chain itself count too; their head's cells mean nothing any more.
            _add_liberty(block, neighbour, stone)
        stone = np.uintp(block[NEXT + stone])
    block[PRISONERS + colour] += count
    return count


@inline_kernel
def _capture_beside(block, point, enemy):
    """Take the enemies beside `point` that have no liberty; return how many, and where one was."""
    captured, captured_at = np.uintp(0), NOWHERE
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        head = block[HEAD + neighbour]
        if block[COLOUR + neighbour] == enemy and block[LIBERTIES + head] == 0:
            captured += _remove_chain(block, head, enemy)
            captured_at = neighbour
    return captured, captured_at


@inline_kernel
def put_stone(block, point, colour):
    """Put a stone on an empty point, capture what has no liberty left; return the ko point.

    A chain of one's own that is left without a liberty is captured too (suicide). Neither the
    move count nor the side to move changes, and the ko point is not stored.
    """
    _leave_empty_list(block, point)
    _flip_hash(block, point, colour)
    _flip_around(block, point, colour)
    is_capture = _new_chain(block, point, colour)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        if block[COLOUR + neighbour] == colour:
            if block[HEAD + neighbour] != block[HEAD + point]:
                _join(block, block[HEAD + neighbour], block[HEAD + point])
    captured, captured_at = np.uintp(0), NOWHERE
    if is_capture:
        captured, captured_at = _capture_beside(block, point, COLOURS - colour)
    head = block[HEAD + point]
    if block[LIBERTIES + head] == 0:
        _remove_chain(block, head, colour)
    elif captured == ONE and block[STONES + head] == 1 and block[LIBERTIES + head] == 1:
        return captured_at
    return NOWHERE


@kernel
def play(block, move):
    """Play a legal move, or PASS, for the side to move."""
    colour = np.uintp(block[TO_PLAY])
    block[KO] = NOWHERE
    if move == PASS:
        block[PASSES] += ONE
    else:
        block[PASSES] = 0
        block[KO] = put_stone(block, move, colour)
    block[LAST_BUT_ONE] = block[LAST]
    block[LAST] = move
    block[TO_PLAY] = COLOURS - colour
    block[MOVES] += ONE
