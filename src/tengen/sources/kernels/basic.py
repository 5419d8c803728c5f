"""Built-in priors: basic Go heuristics (see `registry` for the kernel interface).

Distances treat a chain as a single node, also known as common fate graph distance (T. Graepel et
al., Learning on Graphs in the Game of Go, 2001).
"""

import numpy as np

from tengen.board.kernels.ladder import LADDER_SHAPE, is_ladder_captured
from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    COLUMNS,
    DOWN,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    HEAD,
    LAST,
    LEFT,
    NEIGHBORHOOD,
    NEXT,
    NOWHERE,
    POINTS,
    RIGHT,
    ROWS,
    STONES,
    STRIDE,
    TO_PLAY,
    UP,
    WALL,
)
from tengen.board.kernels.tactics import has_stones_around, in_atari, touched_before, two_liberties
from tengen.playout.kernels.patterns import fits_pattern
from tengen.playout.kernels.self_atari import is_bad_self_atari, is_self_atari
from tengen.sources.kernels.registry import EQUIVALENT_VISITS
from tengen.util.compiler import inline_kernel, kernel

ONE = np.uintp(1)
FAR = np.uintp(255)


@kernel
def _reach(block, point, step, distances, queue, count):
    """Give a point, or all stones of its chain, the distance `step`; return the queue length."""
    current = point
    while distances[current] == FAR:
        distances[current] = step
        queue[count] = current
        count += ONE
        if block[COLOR + current] != EMPTY:
            current = np.uintp(block[NEXT + current])
    return count


@kernel
def stone_distances(block, start, farthest, distances, queue):
    """Write the chain distance of each point from `start` into `distances`.

    Points more than `farthest` steps away get FAR. `queue` is scratch memory of POINTS cells.
    Return the number of points reached.
    """
    for point in range(POINTS):
        distances[point] = FAR
    count = _reach(block, start, np.uintp(0), distances, queue, np.uintp(0))
    done = np.uintp(0)
    while done < count:
        point = np.uintp(queue[done])
        done += ONE
        step = np.uintp(distances[point])
        if step == farthest:
            break
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = point + offset
            if block[COLOR + neighbor] == WALL or distances[neighbor] != FAR:
                continue

            count = _reach(block, neighbor, step + ONE, distances, queue, count)
    return count


NEAR = np.uintp(3)
"""Greatest chain distance from the last move that is scored."""

TACTICS_MEMORY = LADDER_SHAPE[0] * LADDER_SHAPE[1] // 2
DISTANCE_MEMORY = int(POINTS)


@inline_kernel
def _add(wins, visits, point, value, weight):
    wins[point] += value * weight
    visits[point] += weight


@kernel
def add_even_game(block, parameters, tables, memory, wins, visits):
    """Add an even result at every empty point."""
    weight = np.float32(parameters[EQUIVALENT_VISITS])
    for place in range(np.uintp(block[EMPTY_COUNT])):
        _add(wins, visits, np.uintp(block[EMPTY_LIST + place]), 0.5, weight)


@kernel
def _tactics_at(block, point, color, boards):
    """Return (capture, escape, doomed, atari, ladder) of a move, each a number of stones.

    Stones captured; own stones saved from atari; own stones in atari that are lost in a ladder even
    after this move; enemy stones put into atari; enemy stones (chains of two or more) put into
    atari and lost in a ladder.
    """
    capture = escape = doomed = atari = ladder = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        neighbor_color = np.uintp(block[COLOR + neighbor])
        if neighbor_color != color and neighbor_color != COLORS - color:
            continue
        head = np.uintp(block[HEAD + neighbor])
        if touched_before(block, point, offset, head):
            continue
        stones = np.uintp(block[STONES + head])
        if in_atari(block, head):
            if neighbor_color != color:
                capture += stones
            elif is_ladder_captured(block, neighbor, color, boards):
                doomed += stones
            else:
                escape += stones
        elif neighbor_color != color:
            number, _, _ = two_liberties(block, neighbor)
            if number == np.uintp(2):
                if stones > ONE and is_ladder_captured(block, neighbor, color, boards):
                    ladder += stones
                else:
                    atari += stones
    return capture, escape, doomed, atari, ladder


@inline_kernel
def _worth(weight, base, stones):
    """Return a weight that grows with the number of stones at stake, up to eight."""
    return weight * np.float32(base + 0.25 * min(stones, np.uintp(8)))


@kernel
def add_tactics(block, parameters, tables, memory, wins, visits):
    """Score captures, escapes and ataris by the number of stones; penalize losing stones.

    Extending a chain that is lost in a ladder counts as losing stones.
    """
    weight = np.float32(parameters[EQUIVALENT_VISITS])
    boards = memory.view(np.uint32).reshape(LADDER_SHAPE)
    color = np.uintp(block[TO_PLAY])
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if is_bad_self_atari(block, point, color):
            _add(wins, visits, point, 0.0, weight)
            continue
        capture, escape, doomed, atari, ladder = _tactics_at(block, point, color, boards)
        if capture > np.uintp(0):
            _add(wins, visits, point, 1.0, _worth(weight, 1.0, capture))
        elif doomed > np.uintp(0):
            _add(wins, visits, point, 0.0, _worth(weight, 0.5, doomed))
            continue
        if escape + atari + ladder == np.uintp(0) or is_self_atari(block, point, color):
            continue
        if escape > np.uintp(0):
            _add(wins, visits, point, 1.0, _worth(weight, 0.5, escape))
        if ladder > np.uintp(0):
            _add(wins, visits, point, 1.0, _worth(weight, 0.5, ladder))
        if atari > np.uintp(0):
            _add(wins, visits, point, 1.0, weight * np.float32(0.5))


@kernel
def add_patterns(block, parameters, tables, memory, wins, visits):
    """Score the moves that match a 3x3 pattern."""
    weight = np.float32(parameters[EQUIVALENT_VISITS])
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if fits_pattern(block, point):
            _add(wins, visits, point, 1.0, weight)


@kernel
def add_distance(block, parameters, tables, memory, wins, visits):
    """Score the moves near the last move by chain distance."""
    weight = np.float32(parameters[EQUIVALENT_VISITS])
    last = np.uintp(block[LAST])
    if last == NOWHERE:
        return
    cells = memory.view(np.uint32)
    distances, queue = cells[:POINTS], cells[POINTS:]
    stone_distances(block, last, NEAR, distances, queue)
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if distances[point] != FAR:
            # The distance is 0 if the last move was suicide and left its point empty.
            _add(wins, visits, point, 1.0, weight / max(distances[point], np.uint32(1)))


@inline_kernel
def _line(block, point):
    """Return the line of a point, counted from the nearest edge starting at 1."""
    row = point // STRIDE
    column = point % STRIDE
    from_far = min(np.uintp(block[ROWS]) + ONE - row, np.uintp(block[COLUMNS]) + ONE - column)
    return min(min(row, column), from_far)


@kernel
def _is_isolated(block, point):
    """Return whether no stone is within Manhattan distance 3."""
    if has_stones_around(np.uintp(block[NEIGHBORHOOD + point])):
        return False
    top, left = int(point // STRIDE), int(point % STRIDE)
    for row in range(max(top - 3, 1), min(top + 3, int(block[ROWS])) + 1):
        reach = 3 - abs(row - top)
        for column in range(max(left - reach, 1), min(left + reach, int(block[COLUMNS])) + 1):
            if block[COLOR + np.uintp(row) * STRIDE + np.uintp(column)] != EMPTY:
                return False
    return True


@kernel
def add_lines(block, parameters, tables, memory, wins, visits):
    """Where no stone is near: penalize the first and second line, favor the third."""
    weight = np.float32(parameters[EQUIVALENT_VISITS])
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        line = _line(block, point)
        if line <= np.uintp(3) and _is_isolated(block, point):
            _add(wins, visits, point, 1.0 if line == np.uintp(3) else 0.0, weight)
