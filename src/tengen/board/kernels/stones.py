"""Playing moves: placing stones, joining chains and capturing."""

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    DOWN,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_INDEX,
    EMPTY_LIST,
    HASH_HIGH,
    HASH_LOW,
    HEAD,
    KO,
    LAST,
    LEFT,
    LIBERTIES,
    LIBERTY_SQUARES,
    LIBERTY_SUM,
    MOVES,
    NEIGHBORHOOD,
    NEIGHBORS,
    NEXT,
    NOWHERE,
    PASS,
    PASSES,
    POINTS,
    PRISONERS,
    RIGHT,
    SECOND_LAST,
    STONES,
    TO_PLAY,
    UP,
    ZOBRIST_HIGH,
    ZOBRIST_LOW,
)
from tengen.util.compiler import inline_kernel, kernel

ONE, TWO = np.uintp(1), np.uintp(2)
LAST_SHIFT = np.uintp(14)
"""Bit position of the eighth neighbor in a neighborhood code."""


@inline_kernel
def _add_liberty(block, neighbor, point):
    """Add the empty `point` to the liberties of the chain at `neighbor`."""
    head = block[HEAD + neighbor]
    block[LIBERTIES + head] += ONE
    block[LIBERTY_SUM + head] += point
    block[LIBERTY_SQUARES + head] += point * point


@inline_kernel
def _remove_liberty(block, neighbor, point):
    """Remove `point` from the liberties of the chain at `neighbor`; return the remaining count."""
    head = block[HEAD + neighbor]
    left = block[LIBERTIES + head] - ONE
    block[LIBERTIES + head] = left
    block[LIBERTY_SUM + head] -= point
    block[LIBERTY_SQUARES + head] -= point * point
    return left


@inline_kernel
def _flip_neighborhoods(block, point, color):
    """Add or remove a stone in the neighborhood codes of its eight neighbors."""
    shift = LAST_SHIFT
    for offset in NEIGHBORS:
        block[NEIGHBORHOOD + point + offset] ^= color << shift
        shift -= TWO


@inline_kernel
def _flip_hash(block, point, color):
    """Add or remove a stone in the hash."""
    key = color * POINTS + point
    block[HASH_LOW] ^= ZOBRIST_LOW[key]
    block[HASH_HIGH] ^= ZOBRIST_HIGH[key]


@inline_kernel
def _remove_from_empty_list(block, point):
    """Remove `point` from the list of empty points; the last entry takes its place."""
    count = np.uintp(block[EMPTY_COUNT]) - ONE
    block[EMPTY_COUNT] = count
    place = block[EMPTY_INDEX + point]
    last = block[EMPTY_LIST + count]
    block[EMPTY_LIST + place] = last
    block[EMPTY_INDEX + last] = place


@inline_kernel
def _add_to_empty_list(block, point):
    """Append `point` to the list of empty points."""
    count = np.uintp(block[EMPTY_COUNT])
    block[EMPTY_LIST + count] = point
    block[EMPTY_INDEX + point] = count
    block[EMPTY_COUNT] = count + ONE


@inline_kernel
def _new_chain(block, point, color):
    """Make `point` a chain of one stone and remove it from its neighbors' liberties.

    Return whether an adjacent enemy chain has no liberty left. The loop has no branches: they would
    be mispredicted too often.
    """
    block[COLOR + point] = color
    block[HEAD + point] = point
    block[NEXT + point] = point
    block[STONES + point] = ONE
    enemy = COLORS - color
    is_capture = False
    count = np.uintp(0)
    total = np.uintp(0)
    squares = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        occupant = block[COLOR + neighbor]
        is_empty = np.uintp(occupant == EMPTY)
        count += is_empty
        total += is_empty * neighbor
        squares += is_empty * (neighbor * neighbor)
        left = _remove_liberty(block, neighbor, point)
        is_capture |= (occupant == enemy) & (left == np.uintp(0))
    block[LIBERTIES + point] = count
    block[LIBERTY_SUM + point] = total
    block[LIBERTY_SQUARES + point] = squares
    return is_capture


@inline_kernel
def _join(block, one, other):
    """Join two chains, given by their heads; the larger one keeps its head."""
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
    # `stone` is now the last one of the list that starts at `other`: link both lists.
    after = block[NEXT + one]
    block[NEXT + one] = other
    block[NEXT + stone] = after


@inline_kernel
def _remove_chain(block, head, color):
    """Remove a chain from the board; return its number of stones."""
    count = np.uintp(block[STONES + head])
    stone = np.uintp(head)
    for _ in range(count):
        block[COLOR + stone] = EMPTY
        block[HEAD + stone] = NOWHERE
        _flip_hash(block, stone, color)
        _flip_neighborhoods(block, stone, color)
        _add_to_empty_list(block, stone)
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = stone + offset
            # This includes stones of the chain itself, whose counters are no longer used.
            _add_liberty(block, neighbor, stone)
        stone = np.uintp(block[NEXT + stone])
    block[PRISONERS + color] += count
    return count


@inline_kernel
def _capture_adjacent(block, point, enemy):
    """Capture adjacent enemy chains without liberties; return the stone count and one of them."""
    captured, captured_at = np.uintp(0), NOWHERE
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        head = block[HEAD + neighbor]
        if block[COLOR + neighbor] == enemy and block[LIBERTIES + head] == 0:
            captured += _remove_chain(block, head, enemy)
            captured_at = neighbor
    return captured, captured_at


@inline_kernel
def put_stone(block, point, color):
    """Place a stone on an empty point, capture chains without liberties and return the ko point.

    Enemy chains are captured first, then the own chain if it has no liberty (suicide). The move
    count, the side to move and the stored ko point do not change.
    """
    _remove_from_empty_list(block, point)
    _flip_hash(block, point, color)
    _flip_neighborhoods(block, point, color)
    is_capture = _new_chain(block, point, color)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        if block[COLOR + neighbor] == color:
            if block[HEAD + neighbor] != block[HEAD + point]:
                _join(block, block[HEAD + neighbor], block[HEAD + point])
    captured, captured_at = np.uintp(0), NOWHERE
    if is_capture:
        captured, captured_at = _capture_adjacent(block, point, COLORS - color)
    head = block[HEAD + point]
    if block[LIBERTIES + head] == 0:
        _remove_chain(block, head, color)
    elif captured == ONE and block[STONES + head] == 1 and block[LIBERTIES + head] == 1:
        return captured_at
    return NOWHERE


@kernel
def play(block, move):
    """Play a legal move or PASS for the side to move."""
    color = np.uintp(block[TO_PLAY])
    block[KO] = NOWHERE
    if move == PASS:
        block[PASSES] += ONE
    else:
        block[PASSES] = 0
        block[KO] = put_stone(block, move, color)
    block[SECOND_LAST] = block[LAST]
    block[LAST] = move
    block[TO_PLAY] = COLORS - color
    block[MOVES] += ONE
