"""Bounds that decide a node without searching moves: table, unconditional life, horizon."""

import numpy as np

from tengen.solver.kernels.bitboard import count, own_first, stones_of
from tengen.solver.kernels.evaluation import (
    alive_chains,
    groups_power,
    safe_points,
    to_power,
    value_to_play,
)
from tengen.solver.kernels.memory import (
    ALL_STONES,
    BLACK_PROVES,
    EVALUATE,
    HALF,
    NO_PLY,
    PROVED,
    ZERO,
    board_at,
)
from tengen.solver.kernels.table import (
    history_allows,
    low_depth,
    low_value,
    transformed,
    up_depth,
    up_value,
)
from tengen.util.compiler import inline_kernel, kernel


@inline_kernel
def set_bound(bound, shared, is_proved):
    """Set a bound that depends on no earlier board."""
    bound.depends = NO_PLY
    bound.is_proved = is_proved
    bound.shared = shared


@inline_kernel
def _set_value(frame, value, is_low_proved, is_up_proved):
    """Set the value of a node that has no moves to search, with both bounds."""
    frame.value = value
    set_bound(frame.low, ALL_STONES, is_low_proved)
    set_bound(frame.up, ALL_STONES, is_up_proved)


@inline_kernel
def set_draw(frame):
    """Set the value of a repetition, 0: both bounds depend on the board that it repeats."""
    _set_value(frame, 0, 1, 1)
    frame.low.depends = frame.up.depends = frame.repeats


@inline_kernel
def _evaluated(state, ply, frame):
    control = state.control[0]
    return value_to_play(state.geometry[0], control.power, board_at(state, ply), frame.side)


@kernel
def set_final_value(state, ply, frame):
    """Set the value of a finished game."""
    _set_value(frame, _evaluated(state, ply, frame), 1, 1)


@kernel
def set_horizon_value(state, ply, frame):
    """Set the value of a node at the horizon."""
    control = state.control[0]
    if control.horizon == EVALUATE:
        _set_value(frame, _evaluated(state, ply, frame), 0, 0)
    elif (control.horizon == BLACK_PROVES) == (frame.side == 0):
        _set_value(frame, -control.limit, 1, 0)
    else:
        _set_value(frame, control.limit, 0, 1)


@inline_kernel
def _use_bound(state, ply, frame, bound, stored, value, depth):
    """Set the value and a bound of a node from a table entry if the history allows it."""
    geometry = state.geometry[0]
    shared = own_first(stored, frame.side)
    if not history_allows(state, ply, frame.symmetry, shared):
        return False
    frame.value = value
    inverse = geometry.inverse[frame.symmetry]
    set_bound(bound, transformed(geometry, shared, inverse), 1 if depth == PROVED else 0)
    return True


@kernel
def cut_by_table(state, entry, ply, frame):
    """Return whether a table entry decides the node; its value is then set."""
    data = entry.data
    low, up = low_value(data), up_value(data)
    low_at, up_at = low_depth(data), up_depth(data)
    low_counts, up_counts = low_at >= frame.depth, up_at >= frame.depth
    if low_counts and low >= frame.beta:
        return _use_bound(state, ply, frame, frame.low, entry.low_shared, low, low_at)
    if up_counts and up <= frame.alpha:
        return _use_bound(state, ply, frame, frame.up, entry.up_shared, up, up_at)
    if low_counts and up_counts and low == up:
        return _use_bound(
            state, ply, frame, frame.low, entry.low_shared, low, low_at
        ) and _use_bound(state, ply, frame, frame.up, entry.up_shared, up, up_at)
    return False


@inline_kernel
def _may_fill(state, lost_at, alive):
    """Return whether no board before a loss contains these stones, so that filling repeats none."""
    for earlier in range(np.uint64(lost_at)):
        if board_at(state, earlier) & alive == alive:
            return False
    return True


@inline_kernel
def _life_value(state, ply, frame, side):
    """Return (value that a side keeps by its living chains, for that side; the chains).

    Without living chains it is the lowest value, which needs no stones.
    """
    geometry, control = state.geometry[0], state.control[0]
    board = board_at(state, ply)
    own, other = stones_of(board, side), stones_of(board, 1 - side)
    alive = alive_chains(geometry, own)
    if alive == ZERO:
        return -control.limit, ALL_STONES
    safe = safe_points(geometry, alive)
    shared = alive << (HALF * np.uint64(side))
    may_end = frame.passes > 0 and frame.side != side
    if may_end and safe & other != ZERO:
        return -control.limit, ALL_STONES
    if not _may_fill(state, frame.lost[np.uint64(side)], shared):
        return -control.limit, ALL_STONES
    rest = count(geometry.full & ~safe)
    kept = groups_power(geometry, safe, control.power)
    return kept - to_power(rest, control.power), shared


@kernel
def cut_by_life(state, ply, frame):
    """Return whether unconditional life decides the node; its value is then set."""
    low, low_shared = _life_value(state, ply, frame, frame.side)
    loss, up_shared = _life_value(state, ply, frame, 1 - frame.side)
    is_low, is_up = low >= frame.beta, -loss <= frame.alpha
    if not (is_low or is_up or low == -loss):
        return False
    frame.value = -loss if is_up else low
    set_bound(frame.low, low_shared, 1)
    set_bound(frame.up, up_shared, 1)
    return True
