"""Alpha-beta as a loop over a stack of frames, so that it can stop at any node and resume.

A node returns its value and two bounds in its frame. A bound records its justification: whether it
is independent of the horizon, the lowest ply whose board it needs (that board bans a move of the
opponent of the bound's owner), and the stones shared by all boards that its owner makes in the
proof. The lower bound of a node is the upper bound of its best child; the upper bound needs the
lower bounds of all children.
"""

import numpy as np

from tengen.solver.kernels.bitboard import own_first, put_images, stones_of
from tengen.solver.kernels.bounds import (
    cut_by_life,
    cut_by_table,
    set_bound,
    set_draw,
    set_final_value,
    set_horizon_value,
)
from tengen.solver.kernels.memory import (
    ALL_STONES,
    BLACK_PROVES,
    EVALUATE,
    NO_MOVE,
    NO_REPETITION,
    NULL_DONE,
    NULL_RUNNING,
    NULL_UNTRIED,
    PASS,
    PLY_LIMIT,
    PROVED,
    ZERO,
    board_at,
    frame_at,
)
from tengen.solver.kernels.ordering import bring_next, list_moves, reward
from tengen.solver.kernels.table import (
    canonical_symmetry,
    evaluation_key,
    find,
    key_of,
    low_depth,
    low_value,
    pack,
    slot_for,
    stored_move,
    transformed,
    transformed_move,
    up_depth,
    up_value,
)
from tengen.util.compiler import inline_kernel, kernel

NULL_REDUCTION = 2
NULL_DEPTH = 4
"""Least remaining depth for a null move."""
LAST_PLY = PLY_LIMIT - 2
"""Every node at this ply is at the horizon, because the memory ends there."""
LATER_MOVE_COST = 2


@kernel
def begin(state, alpha, beta, depth, side, passes):
    """Initialize the root; its board and `captured` and `lost` are already in place."""
    control = state.control[0]
    frame = frame_at(state, control.root)
    control.ply, control.is_running = control.root, 1
    frame.alpha, frame.beta, frame.depth = alpha, beta, depth
    frame.side, frame.passes = side, passes
    frame.next = frame.best_move = NO_MOVE
    frame.repeats = NO_REPETITION


@inline_kernel
def _clear(control, frame):
    """Initialize a node before its first move."""
    frame.value, frame.best_move = -control.limit - 1, NO_MOVE
    set_bound(frame.up, ALL_STONES, 1)
    frame.next, frame.null_move = 0, NULL_UNTRIED
    frame.nodes_before = control.nodes


@inline_kernel
def _table_move(state, index, ply, frame):
    """Return the move of a table entry on the current board, or NO_MOVE.

    A proof that has no entry starts with the move of the evaluation search.
    """
    control, geometry = state.control[0], state.geometry[0]
    if index < 0 and control.horizon != EVALUATE:
        key = evaluation_key(key_of(state, ply, frame))
        index = find(state.table, control.table_bits, key)
    if index < 0:
        return NO_MOVE
    move = stored_move(state.table[np.uint64(index)].data)
    return transformed_move(geometry, move, geometry.inverse[frame.symmetry])


@kernel
def _enter(state, ply, frame):
    """Open a node: return True if its value is set, else list its moves."""
    control = state.control[0]
    control.nodes += 1
    if frame.repeats != NO_REPETITION:
        set_draw(frame)
        return True
    if frame.passes == 2:
        set_final_value(state, ply, frame)
        return True
    is_root = ply == control.root
    if control.use_life and not is_root and cut_by_life(state, ply, frame):
        return True
    table_move = NO_MOVE
    if control.use_table:
        frame.symmetry = canonical_symmetry(state, ply, frame.side)
        index = find(state.table, control.table_bits, key_of(state, ply, frame))
        if index >= 0 and not is_root:
            if cut_by_table(state, state.table[np.uint64(index)], ply, frame):
                return True
        table_move = _table_move(state, index, ply, frame)
    if frame.depth <= 0 or ply >= LAST_PLY:
        set_horizon_value(state, ply, frame)
        return True
    _clear(control, frame)
    list_moves(state, ply, frame, table_move)
    return False


@inline_kernel
def _inherit_captures(frame, child, ply, is_capture, loser):
    """Set the plies of the last captures in a child's frame."""
    child.captured = frame.captured
    child.lost[ZERO] = frame.lost[ZERO]
    child.lost[np.uint64(1)] = frame.lost[np.uint64(1)]
    if is_capture:
        child.captured = child.lost[np.uint64(loser)] = ply + 1


@kernel
def _descend(state, ply, frame, move, board, depth, repeats):
    """Initialize the child after a move."""
    child = frame_at(state, ply + 1)
    side = frame.side
    here, there = state.path[np.uintp(ply)], state.path[np.uintp(ply + 1)]
    put_images(state.geometry[0], here, there, board)
    is_capture = stones_of(board, 1 - side) != stones_of(board_at(state, ply), 1 - side)
    _inherit_captures(frame, child, ply, is_capture, 1 - side)
    child.alpha, child.beta = -frame.beta, -max(frame.alpha, frame.value)
    child.depth, child.side = depth, 1 - side
    child.passes = frame.passes + 1 if move == PASS else 0
    child.next, child.repeats = NO_MOVE, repeats
    frame.current = move


@inline_kernel
def _wants_null_move(control, frame):
    """Return whether to try the pass first, at reduced depth (Donninger's null move)."""
    return (
        control.use_null_move != 0
        and frame.null_move == NULL_UNTRIED
        and frame.passes == 0
        and frame.depth >= NULL_DEPTH
        and frame.beta < control.limit
    )


@inline_kernel
def _cost(control, frame):
    """Return the depth consumed by the next move.

    In a proof the first move of the proving side is free and a move of the other side costs the
    logarithm of its number of moves, so iterations grow the size of the proof rather than the
    length of its lines. Lines are long where there is little choice, as in fights around a seki.
    """
    if control.horizon == EVALUATE:
        return 1
    if (control.horizon == BLACK_PROVES) == (frame.side == 0):
        return 0 if frame.next == 0 else LATER_MOVE_COST
    choices, cost = frame.count, 0
    while choices > 1:
        choices >>= 1
        cost += 1
    return cost


@kernel
def _search_next_move(state, ply, frame):
    """Descend to the next move of a node."""
    control = state.control[0]
    if _wants_null_move(control, frame):
        frame.null_move = NULL_RUNNING
        depth = frame.depth - 1 - NULL_REDUCTION
        _descend(state, ply, frame, PASS, board_at(state, ply), depth, NO_REPETITION)
        return
    depth = frame.depth - _cost(control, frame)
    position = np.uint64(frame.next)
    bring_next(frame, position)
    frame.next += 1
    move, board = frame.moves[position], frame.children[position]
    _descend(state, ply, frame, move, board, depth, frame.repetitions[position])


@inline_kernel
def _set_best(state, ply, frame, child, value):
    """Make the current move the best one: the child's upper bound becomes the lower bound."""
    frame.value, frame.best_move = value, frame.current
    frame.low.depends = child.up.depends
    frame.low.is_proved = child.up.is_proved
    made = ALL_STONES if frame.current == PASS else board_at(state, ply + 1)
    frame.low.shared = child.up.shared & made


@inline_kernel
def _add_to_upper_bound(frame, child):
    """Add the child's lower bound to the justification of the upper bound."""
    frame.up.depends = min(frame.up.depends, child.low.depends)
    frame.up.is_proved &= child.low.is_proved
    frame.up.shared &= child.low.shared


@kernel
def _absorb(state, ply, frame):
    """Process the result of the child that has just been searched."""
    child = frame_at(state, ply + 1)
    value = -child.value
    if frame.null_move == NULL_RUNNING:
        frame.null_move = NULL_DONE
        if value < frame.beta:
            return
    if value < frame.beta:
        _add_to_upper_bound(frame, child)
    if value > frame.value:
        _set_best(state, ply, frame, child, value)
    if value >= frame.beta:
        frame.next = frame.count
        reward(state.control[0], frame.side, frame.current, frame.depth)


@inline_kernel
def _log_nodes(control, frame):
    """Return the bit length of the number of nodes below a node."""
    nodes = control.nodes - frame.nodes_before
    work = 0
    while nodes > 0:
        nodes >>= 1
        work += 1
    return work


@inline_kernel
def _stored_shared(geometry, frame, bound):
    """Return the shared stones of a bound in the orientation of the table entry."""
    return own_first(transformed(geometry, bound.shared, frame.symmetry), frame.side)


@kernel
def _store(state, ply, frame, has_low, has_up):
    """Store bounds that hold after other histories too; keep a stored bound that is stronger."""
    control, geometry = state.control[0], state.geometry[0]
    key = key_of(state, ply, frame)
    work = _log_nodes(control, frame)
    entry = state.table[slot_for(state.table, control.table_bits, key, work)]
    data = entry.data
    is_new = entry.key != key or data == ZERO
    low, low_at, up, up_at = -control.limit, 0, control.limit, 0
    if is_new:
        entry.low_shared = entry.up_shared = ALL_STONES
    else:
        low, low_at, up, up_at = low_value(data), low_depth(data), up_value(data), up_depth(data)
    low_at_now = PROVED if frame.low.is_proved else frame.depth
    up_at_now = PROVED if frame.up.is_proved else frame.depth
    if has_low and (is_new or low_at < low_at_now or low < frame.value):
        low, low_at = frame.value, low_at_now
        entry.low_shared = _stored_shared(geometry, frame, frame.low)
    if has_up and (is_new or up_at < up_at_now or up > frame.value):
        up, up_at = frame.value, up_at_now
        entry.up_shared = _stored_shared(geometry, frame, frame.up)
    entry.key = key
    move = transformed_move(geometry, frame.best_move, frame.symmetry)
    entry.data = pack(low, up, low_at, up_at, move, work)


@kernel
def _finish(state, ply, frame):
    """Store the result of a node whose moves have been searched or cut off."""
    has_low = frame.value > frame.alpha
    has_up = frame.value < frame.beta
    if state.control[0].use_table:
        low_holds = has_low and frame.low.depends >= ply
        up_holds = has_up and frame.up.depends >= ply
        if low_holds or up_holds:
            _store(state, ply, frame, low_holds, up_holds)


@kernel
def search(state, budget):
    """Search until the root has a value (`is_running` is 0) or for about `budget` nodes."""
    control = state.control[0]
    stop = control.nodes + budget
    root, ply = control.root, control.ply
    while control.nodes < stop:
        frame = frame_at(state, ply)
        is_done = False
        if frame.next < 0:
            is_done = _enter(state, ply, frame)
        elif frame.next < frame.count:
            _search_next_move(state, ply, frame)
            ply += 1
        else:
            _finish(state, ply, frame)
            is_done = True
        if is_done:
            if ply == root:
                control.is_running = 0
                break
            ply -= 1
            _absorb(state, ply, frame_at(state, ply))
    control.ply = ply
