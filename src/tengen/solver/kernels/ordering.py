"""The moves of a node and the order they are tried in.

First the table's move, then by the history heuristic (Schaeffer 1989; +2^depth at a cut-off);
between equals the centre before the corners. Very low: moves the opponent could not play, which
are mostly own eyes; then the pass.
"""

import numpy as np

from tengen.core.compiler import inline_kernel, kernel
from tengen.solver.kernels.bits import lowest, place
from tengen.solver.kernels.memory import (
    CAPTURED,
    CHILDREN,
    COUNT,
    DEPENDS,
    F_UP,
    FLAGS,
    FULL,
    HISTORY,
    MOVER,
    MOVES,
    PASS,
    PATH,
    PRIORITY,
    SCORES,
    SETS,
    SETS_STRIDE,
    SYMMETRIES,
    USE_HISTORY,
    ZERO,
)
from tengen.solver.kernels.rules import after, repeated_at, stones_of

_STRIDE = np.uint64(SYMMETRIES)
FIRST = 1 << 60
LAST = -(1 << 60)
VERY_LOW = -(1 << 50)
HIGHEST_BONUS = 40


@inline_kernel
def _score(words, numbers, board, side, stone, move):
    """Return the place of a move in the order, as a number."""
    score = numbers[PRIORITY + np.uint64(move)]
    if numbers[FLAGS] & USE_HISTORY:
        score += numbers[HISTORY + np.uint64(side * 32 + move)]
    if after(words, board, 1 - side, stone) == ZERO:
        score += VERY_LOW
    return score


@inline_kernel
def _banned_at(words, numbers, board, child, ply, frame, side):
    """Return the ply whose board a move would repeat, or -1.

    Boards since the last capture only grew: a move that captures nothing cannot repeat them.
    """
    if stones_of(child, 1 - side) != stones_of(board, 1 - side):
        return repeated_at(words, child, ply)
    return repeated_at(words, child, numbers[frame + CAPTURED])


@inline_kernel
def _add(words, numbers, ply, frame, move, child, score):
    slot = np.uint64(numbers[frame + COUNT])
    numbers[frame + MOVES + slot] = move
    numbers[frame + SCORES + slot] = score
    words[SETS + np.uint64(ply) * SETS_STRIDE + CHILDREN + slot] = child
    numbers[frame + COUNT] += 1


@kernel
def list_moves(words, numbers, ply, frame, table_move):
    """List a node's moves with their boards; remember the lowest ply whose board bans one."""
    board = words[PATH + np.uint64(ply) * _STRIDE]
    side = numbers[frame + MOVER]
    numbers[frame + COUNT] = 0
    empty = words[FULL] & ~(stones_of(board, 0) | stones_of(board, 1))
    while empty != ZERO:
        stone = lowest(empty)
        empty ^= stone
        child = after(words, board, side, stone)
        if child == ZERO:
            continue
        banned_at = _banned_at(words, numbers, board, child, ply, frame, side)
        if banned_at >= 0:
            depends = numbers[frame + F_UP + DEPENDS]
            numbers[frame + F_UP + DEPENDS] = min(depends, banned_at)
            continue
        move = np.int64(place(stone))
        first = FIRST if move == table_move else 0
        score = _score(words, numbers, board, side, stone, move) + first
        _add(words, numbers, ply, frame, move, child, score)
    _add(words, numbers, ply, frame, PASS, board, FIRST if table_move == PASS else LAST)


@inline_kernel
def _swap(values, one, other):
    values[one], values[other] = values[other], values[one]


@inline_kernel
def bring_next(words, numbers, ply, frame, position):
    """Bring the best of the moves not yet tried to a position of the list."""
    first = np.uint64(position)
    best = first
    for slot in range(first, np.uint64(numbers[frame + COUNT])):
        if numbers[frame + SCORES + np.uint64(slot)] > numbers[frame + SCORES + best]:
            best = np.uint64(slot)
    if best != first:
        children = SETS + np.uint64(ply) * SETS_STRIDE + CHILDREN
        _swap(numbers, frame + MOVES + first, frame + MOVES + best)
        _swap(numbers, frame + SCORES + first, frame + SCORES + best)
        _swap(words, children + first, children + best)


@inline_kernel
def reward(numbers, side, move, depth):
    """Tell the history heuristic of a cut-off."""
    bonus = np.int64(1) << np.int64(min(depth, HIGHEST_BONUS))
    numbers[HISTORY + np.uint64(side * 32 + move)] += bonus
