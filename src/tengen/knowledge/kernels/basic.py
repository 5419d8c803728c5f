"""The built-in priors: what every Go player sees at a glance.

Each `add_` kernel is a source (see `registry`). Several sources add up as experience does.
"""

import numpy as np

from tengen.board.kernels.ladder import LADDER_SHAPE, is_ladder_captured
from tengen.board.kernels.layout import (
    COLOUR,
    COLOURS,
    COLUMNS,
    DOWN,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    HEAD,
    LAST,
    LEFT,
    NOWHERE,
    POINTS,
    RIGHT,
    ROWS,
    STONES,
    STRIDE,
    TO_PLAY,
    UP,
)
from tengen.board.kernels.liberties import two_liberties
from tengen.board.kernels.tactics import in_atari, touched_before
from tengen.core.compiler import inline_kernel, kernel
from tengen.knowledge.kernels.distance import FAR, stone_distances
from tengen.knowledge.kernels.registry import EQUIVALENT_VISITS
from tengen.playout.kernels.patterns import fits_pattern
from tengen.playout.kernels.selfatari import is_bad_self_atari, is_self_atari

ONE = np.uintp(1)
NEAR = np.uintp(3)
"""How far along the stones the last move attracts."""

TACTICS_MEMORY = LADDER_SHAPE[0] * LADDER_SHAPE[1] // 2
DISTANCE_MEMORY = int(POINTS)
"""Cells of memory that these sources need: two words of 32 bits each."""


@inline_kernel
def _add(wins, visits, point, value, weight):
    wins[point] += value * weight
    visits[point] += weight


@kernel
def add_even_game(block, numbers, tables, memory, wins, visits):
    """Begin with an even game at every empty point: nothing is known."""
    weight = np.float32(numbers[EQUIVALENT_VISITS])
    for place in range(np.uintp(block[EMPTIES])):
        _add(wins, visits, np.uintp(block[EMPTY_LIST + place]), 0.5, weight)


@kernel
def _tactics_at(block, point, colour, boards):
    """Return (capture, escape, doomed, atari, ladder) of a move, each a number of stones.

    Taken; saved from atari; in atari and lost in a ladder even after this; put into atari; put
    into atari that can be captured in a ladder (chains of two stones and more).
    """
    capture = escape = doomed = atari = ladder = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        beside = np.uintp(block[COLOUR + neighbour])
        if beside != colour and beside != COLOURS - colour:
            continue
        head = np.uintp(block[HEAD + neighbour])
        if touched_before(block, point, offset, head):
            continue
        stones = np.uintp(block[STONES + head])
        if in_atari(block, head):
            if beside != colour:
                capture += stones
            elif is_ladder_captured(block, neighbour, colour, boards):
                doomed += stones
            else:
                escape += stones
        elif beside != colour:
            number, _, _ = two_liberties(block, neighbour)
            if number == np.uintp(2):
                if stones > ONE and is_ladder_captured(block, neighbour, colour, boards):
                    ladder += stones
                else:
                    atari += stones
    return capture, escape, doomed, atari, ladder


@inline_kernel
def _worth(weight, base, stones):
    """Return a weight that grows with the stones at stake, up to eight."""
    return weight * np.float32(base + 0.25 * min(stones, np.uintp(8)))


@kernel
def add_tactics(block, numbers, tables, memory, wins, visits):
    """Like captures, escapes and ataris, the more stones the more; dislike throwing stones away.

    Running in a ladder that does not work is throwing away too.
    """
    weight = np.float32(numbers[EQUIVALENT_VISITS])
    boards = memory.view(np.uint32).reshape(LADDER_SHAPE)
    colour = np.uintp(block[TO_PLAY])
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if is_bad_self_atari(block, point, colour):
            _add(wins, visits, point, 0.0, weight)
            continue
        capture, escape, doomed, atari, ladder = _tactics_at(block, point, colour, boards)
        if capture > np.uintp(0):
            _add(wins, visits, point, 1.0, _worth(weight, 1.0, capture))
        elif doomed > np.uintp(0):
            _add(wins, visits, point, 0.0, _worth(weight, 0.5, doomed))
            continue
        if escape + atari + ladder == np.uintp(0) or is_self_atari(block, point, colour):
            continue
        if escape > np.uintp(0):
            _add(wins, visits, point, 1.0, _worth(weight, 0.5, escape))
        if ladder > np.uintp(0):
            _add(wins, visits, point, 1.0, _worth(weight, 0.5, ladder))
        if atari > np.uintp(0):
            _add(wins, visits, point, 1.0, weight * np.float32(0.5))


@kernel
def add_patterns(block, numbers, tables, memory, wins, visits):
    """Like the moves that a 3x3 pattern likes."""
    weight = np.float32(numbers[EQUIVALENT_VISITS])
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if fits_pattern(block, point):
            _add(wins, visits, point, 1.0, weight)


@kernel
def add_distance(block, numbers, tables, memory, wins, visits):
    """Like the moves near the last one, along the stones."""
    weight = np.float32(numbers[EQUIVALENT_VISITS])
    last = np.uintp(block[LAST])
    if last == NOWHERE:
        return
    cells = memory.view(np.uint32)
    distances, queue = cells[:POINTS], cells[POINTS:]
    stone_distances(block, last, NEAR, distances, queue)
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if distances[point] != FAR:
            # After a suicide the last move's own point is empty.
            _add(wins, visits, point, 1.0, weight / max(distances[point], np.uint32(1)))


@inline_kernel
def _line(block, point):
    """Return the line of a point, counted from the nearest edge, first line 1."""
    row = point // STRIDE
    column = point % STRIDE
    from_far = min(np.uintp(block[ROWS]) + ONE - row, np.uintp(block[COLUMNS]) + ONE - column)
    return min(min(row, column), from_far)


@kernel
def _is_lonely(block, point):
    """Tell whether no stone is within three steps (a rhombus) of the point."""
    top, left = int(point // STRIDE), int(point % STRIDE)
    for row in range(max(top - 3, 1), min(top + 3, int(block[ROWS])) + 1):
        reach = 3 - abs(row - top)
        for column in range(max(left - reach, 1), min(left + reach, int(block[COLUMNS])) + 1):
            if block[COLOUR + np.uintp(row) * STRIDE + np.uintp(column)] != EMPTY:
                return False
    return True


@kernel
def add_lines(block, numbers, tables, memory, wins, visits):
    """Where no stone is near: dislike the first and second line, like the third."""
    weight = np.float32(numbers[EQUIVALENT_VISITS])
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        line = _line(block, point)
        if line <= np.uintp(3) and _is_lonely(block, point):
            _add(wins, visits, point, 1.0 if line == np.uintp(3) else 0.0, weight)
