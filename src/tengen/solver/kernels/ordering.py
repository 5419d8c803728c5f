"""Move lists and move ordering.

The table move comes first; the others follow by history heuristic (Schaeffer 1989; +2^depth at a
cutoff), then center before corners. Moves that the opponent could not play, mostly own eyes, come
near the end and the pass last.
"""

import numpy as np

from tengen.solver.kernels.bitboard import after, index_of, lowest, repeated_at, stones_of
from tengen.solver.kernels.memory import (
    DRAW,
    NO_REPETITION,
    ONE,
    PASS,
    POSITIONAL,
    ZERO,
    board_at,
    frame_at,
)
from tengen.util.compiler import inline_kernel, kernel

_FIRST = 1 << 60
_LAST = -(1 << 60)
_VERY_LOW = -(1 << 50)
_LARGEST_BONUS = 40


@inline_kernel
def _score(state, board, side, stone, move):
    """Return the ordering score of a move."""
    geometry, control = state.geometry[0], state.control[0]
    score = geometry.priority[np.uint64(move)]
    if control.use_history:
        score += control.history[np.uint64(side), np.uint64(move)]
    if after(geometry, board, 1 - side, stone) == ZERO:
        score += _VERY_LOW
    return score


@inline_kernel
def _repeated_at(state, board, child, ply, frame):
    """Return the last ply that a move repeats, or NO_REPETITION.

    Since the last capture boards have only grown, so a move without captures cannot repeat them.
    """
    before = frame.captured
    if stones_of(child, 1 - frame.side) != stones_of(board, 1 - frame.side):
        before = ply
    at = repeated_at(state.path, child, before)
    if state.control[0].repetition != POSITIONAL:
        while at >= 0 and frame_at(state, at).side == frame.side:
            at = repeated_at(state.path, child, at)
    return at


@inline_kernel
def _banned_by_ko(geometry, before, board, side):
    """Return the board that simple ko bans after `before` became `board`, or 0; `side` moves."""
    taken = stones_of(before, side) & ~stones_of(board, side)
    if taken == ZERO or taken & (taken - ONE) != ZERO:
        return ZERO
    return before if after(geometry, board, side, taken) == before else ZERO


@inline_kernel
def _is_same_state(state, board, child, at, side):
    """Return whether the ban by ko after a move equals that at the ply whose board it repeats."""
    geometry = state.geometry[0]
    now = _banned_by_ko(geometry, board, child, 1 - side)
    then = ZERO
    if at > 0:
        then = _banned_by_ko(geometry, board_at(state, at - 1), child, 1 - side)
    return now == then


@inline_kernel
def _find_draw(state, board, child, ply, at, side):
    """Return the last ply up to `at` whose state a move repeats, or NO_REPETITION."""
    while at >= 0:
        if frame_at(state, at).side != side and _is_same_state(state, board, child, at, side):
            return at
        at = repeated_at(state.path, child, at)
    return NO_REPETITION


@inline_kernel
def _append(frame, move, child, score, repeats):
    slot = np.uint64(frame.count)
    frame.moves[slot] = move
    frame.scores[slot] = score
    frame.children[slot] = child
    frame.repetitions[slot] = repeats
    frame.count += 1


@kernel
def list_moves(state, ply, frame, table_move):
    """List the legal moves of a node; record in `frame.up` the lowest ply that bans a move."""
    board = board_at(state, ply)
    geometry, side = state.geometry[0], frame.side
    frame.count = 0
    is_draw_rule = state.control[0].repetition == DRAW
    empty = geometry.full & ~(stones_of(board, 0) | stones_of(board, 1))
    while empty != ZERO:
        stone = lowest(empty)
        empty ^= stone
        child = after(geometry, board, side, stone)
        if child == ZERO:
            continue
        at = _repeated_at(state, board, child, ply, frame)
        repeats = NO_REPETITION
        if is_draw_rule and at < ply - 1:
            repeats = _find_draw(state, board, child, ply, at, side)
        elif at >= 0:
            frame.up.depends = min(frame.up.depends, at)
            continue
        move = np.int64(index_of(stone))
        first = _FIRST if move == table_move else 0
        _append(frame, move, child, _score(state, board, side, stone, move) + first, repeats)
    _append(frame, PASS, board, _FIRST if table_move == PASS else _LAST, NO_REPETITION)


@inline_kernel
def _swap(values, one, other):
    values[one], values[other] = values[other], values[one]


@inline_kernel
def bring_next(frame, position):
    """Swap the best untried move to a list position."""
    best = position
    for slot in range(position, np.uint64(frame.count)):
        if frame.scores[np.uint64(slot)] > frame.scores[best]:
            best = np.uint64(slot)
    if best != position:
        _swap(frame.moves, position, best)
        _swap(frame.scores, position, best)
        _swap(frame.children, position, best)
        _swap(frame.repetitions, position, best)


@inline_kernel
def reward(control, side, move, depth):
    """Add a cutoff to the history heuristic."""
    bonus = np.int64(1) << np.int64(min(depth, _LARGEST_BONUS))
    control.history[np.uint64(side), np.uint64(move)] += bonus
