"""Alpha-beta as a loop over a stack of frames, so that it can stop anywhere and go on.

A node hands up a value and two bounds, each with what it rests on: whether it needs no horizon,
the lowest ply whose board it needs (a move of the side against which the bound is, banned by that
board), and the stones that all boards its owner makes in the proof share. The lower bound of a
node is the upper bound of its best child; the upper bound needs the lower bounds of all.
"""

import numpy as np

from tengen.core.compiler import inline_kernel, kernel
from tengen.solver.kernels.bits import lowest, place
from tengen.solver.kernels.bounds import cut_by_life, cut_by_table, end_of_depth, give_value
from tengen.solver.kernels.evaluation import value_to_play
from tengen.solver.kernels.memory import (
    ALPHA,
    BEGUN,
    BEST,
    BEST_MOVE,
    BETA,
    BIT,
    BLACK_PROVES,
    CAPTURED,
    CHILDREN,
    COUNT,
    CURRENT,
    DATA,
    DEPENDS,
    DEPTH,
    DONE,
    ENTRY_LOW_SET,
    ENTRY_UP_SET,
    EVALUATE,
    EVERYTHING,
    F_LOW,
    F_UP,
    FLAGS,
    FRAME_STRIDE,
    FRAMES,
    HORIZON,
    IS_PROVED,
    KEY,
    LIMIT,
    LOST,
    LOW,
    LOW_SET,
    MOVER,
    MOVES,
    NEXT,
    NO_PLY,
    NODES,
    NULL,
    PASS,
    PASSES,
    PATH,
    PLY,
    PLY_LIMIT,
    PROVED,
    ROOT,
    ROOT_MOVE,
    RUNNING,
    SETS,
    SETS_STRIDE,
    STATUS,
    SYMMETRIES,
    SYMMETRY,
    SYMMETRY_COUNT,
    UP,
    UP_SET,
    USE_LIFE,
    USE_NULL_MOVE,
    USE_TABLE,
    VALUE,
    ZERO,
)
from tengen.solver.kernels.ordering import bring_next, list_moves, reward
from tengen.solver.kernels.rules import stones_of, turned
from tengen.solver.kernels.table import (
    best_symmetry,
    evaluated_key,
    find,
    inverse,
    key_of,
    low_depth,
    low_value,
    mapped,
    mapped_move,
    pack,
    slot_for,
    stored_move,
    up_depth,
    up_value,
)

_STRIDE = np.uint64(SYMMETRIES)
NULL_REDUCTION = 2
NULL_DEPTH = 4
"""A null move is tried where at least this depth is left."""
NO_MOVE = -1
LAST_PLY = PLY_LIMIT - 2
"""Where the memory ends, every position is at the horizon."""
LATER_MOVE_COST = 2


@inline_kernel
def frame_of(ply):
    """Return where the frame of a ply begins."""
    return FRAMES + np.uint64(ply) * FRAME_STRIDE


@inline_kernel
def _sets_of(ply):
    return SETS + np.uint64(ply) * SETS_STRIDE


@kernel
def begin(numbers, alpha, beta, depth, side, passes):
    """Set up the root, whose board stands at ply ROOT with the game before it.

    When stones were last taken off (CAPTURED, LOST) is known from the game already.
    """
    root = numbers[ROOT]
    frame = frame_of(root)
    numbers[PLY], numbers[STATUS], numbers[ROOT_MOVE] = root, RUNNING, NO_MOVE
    numbers[frame + ALPHA], numbers[frame + BETA] = alpha, beta
    numbers[frame + DEPTH], numbers[frame + MOVER] = depth, side
    numbers[frame + PASSES] = passes
    numbers[frame + NEXT] = NO_MOVE


@inline_kernel
def _clear(words, numbers, ply, frame):
    """Begin a node's record."""
    numbers[frame + BEST], numbers[frame + BEST_MOVE] = -numbers[LIMIT] - 1, NO_MOVE
    numbers[frame + F_UP + DEPENDS], numbers[frame + F_UP + IS_PROVED] = NO_PLY, 1
    words[_sets_of(ply) + UP_SET] = EVERYTHING
    numbers[frame + NEXT] = numbers[frame + NULL] = 0
    numbers[frame + BEGUN] = numbers[NODES]


@inline_kernel
def _find(words, numbers, table, ply, frame):
    """Return the entry of a node or -1; remember the symmetry it is seen in."""
    symmetry = best_symmetry(words, numbers, ply, numbers[frame + MOVER])
    numbers[frame + SYMMETRY] = np.int64(symmetry)
    return find(numbers, table, key_of(words, numbers, ply, frame, symmetry))


@inline_kernel
def _table_move(words, numbers, table, entry, ply, frame):
    """Return the move an entry suggests, on the board as it stands.

    A proof without an entry of its own begins with what the evaluations said.
    """
    symmetry = np.uint64(numbers[frame + SYMMETRY])
    if entry < 0 and numbers[HORIZON] != EVALUATE:
        key = key_of(words, numbers, ply, frame, symmetry)
        entry = find(numbers, table, evaluated_key(key))
    if entry < 0:
        return NO_MOVE
    data = table[np.uint64(entry) + DATA]
    return mapped_move(words, stored_move(data), inverse(words, symmetry))


@kernel
def _enter(words, numbers, table, ply, frame):
    """Look at a new node: True if its value is in the registers, else its moves are listed."""
    numbers[NODES] += 1
    side = numbers[frame + MOVER]
    if numbers[frame + PASSES] == 2:
        board = words[PATH + np.uint64(ply) * _STRIDE]
        give_value(words, numbers, ply, value_to_play(words, numbers, board, side), 1, 1)
        return True
    is_root = ply == numbers[ROOT]
    if numbers[FLAGS] & USE_LIFE and not is_root and cut_by_life(words, numbers, ply, frame):
        return True
    table_move = NO_MOVE
    if numbers[FLAGS] & USE_TABLE:
        entry = _find(words, numbers, table, ply, frame)
        if entry >= 0 and not is_root:
            if cut_by_table(words, numbers, table, np.uint64(entry), ply, frame):
                return True
        table_move = _table_move(words, numbers, table, entry, ply, frame)
    if numbers[frame + DEPTH] <= 0 or ply >= LAST_PLY:
        end_of_depth(words, numbers, ply, frame)
        return True
    _clear(words, numbers, ply, frame)
    list_moves(words, numbers, ply, frame, table_move)
    return False


@inline_kernel
def _put_board(words, ply, board):
    """Write the board of the next ply in all symmetries, from the one of this ply."""
    here = PATH + np.uint64(ply) * _STRIDE
    there = here + _STRIDE
    changed = words[here] ^ board
    for symmetry in range(words[SYMMETRY_COUNT]):
        words[there + np.uint64(symmetry)] = words[here + np.uint64(symmetry)]
    while changed != ZERO:
        bit = lowest(changed)
        changed ^= bit
        images = BIT + place(bit) * _STRIDE
        for symmetry in range(words[SYMMETRY_COUNT]):
            words[there + np.uint64(symmetry)] ^= words[images + np.uint64(symmetry)]


@inline_kernel
def _inherit(numbers, frame, child, ply, is_capture, loser):
    """Tell the child when stones were last taken off."""
    for what in (CAPTURED, LOST, LOST + np.uint64(1)):
        numbers[child + what] = numbers[frame + what]
    if is_capture:
        numbers[child + CAPTURED] = numbers[child + LOST + np.uint64(loser)] = ply + 1


@kernel
def _descend(words, numbers, ply, frame, move, board, depth):
    """Set up the child after a move."""
    child = frame_of(ply + 1)
    side = numbers[frame + MOVER]
    _put_board(words, ply, board)
    here = words[PATH + np.uint64(ply) * _STRIDE]
    is_capture = stones_of(board, 1 - side) != stones_of(here, 1 - side)
    _inherit(numbers, frame, child, ply, is_capture, 1 - side)
    alpha = max(numbers[frame + ALPHA], numbers[frame + BEST])
    numbers[child + ALPHA], numbers[child + BETA] = -numbers[frame + BETA], -alpha
    numbers[child + DEPTH], numbers[child + MOVER] = depth, 1 - side
    numbers[child + PASSES] = numbers[frame + PASSES] + 1 if move == PASS else 0
    numbers[child + NEXT] = NO_MOVE
    numbers[frame + CURRENT] = move


@inline_kernel
def _wants_null_move(numbers, frame):
    """Tell whether to try the pass first, at less depth: Donninger's null move."""
    return (
        numbers[FLAGS] & USE_NULL_MOVE != 0
        and numbers[frame + NULL] == 0
        and numbers[frame + PASSES] == 0
        and numbers[frame + DEPTH] >= NULL_DEPTH
        and numbers[frame + BETA] < numbers[LIMIT]
    )


@inline_kernel
def _cost(numbers, frame):
    """Return the depth that the next move takes.

    In a proof the first move of the side that proves takes none, and the other side's moves take
    the logarithm of their number: what is deepened then is the size of the proof. Lines are long
    where there is little choice, in the fights around a seki.
    """
    horizon = numbers[HORIZON]
    if horizon == EVALUATE:
        return 1
    if (horizon == BLACK_PROVES) == (numbers[frame + MOVER] == 0):
        return 0 if numbers[frame + NEXT] == 0 else LATER_MOVE_COST
    choices, cost = numbers[frame + COUNT], 0
    while choices > 1:
        choices >>= 1
        cost += 1
    return cost


@kernel
def _go_on(words, numbers, ply, frame):
    """Go down by the next move of a node."""
    here = words[PATH + np.uint64(ply) * _STRIDE]
    if _wants_null_move(numbers, frame):
        numbers[frame + NULL] = 1
        _descend(
            words, numbers, ply, frame, PASS, here, numbers[frame + DEPTH] - 1 - NULL_REDUCTION
        )
        return
    depth = numbers[frame + DEPTH] - _cost(numbers, frame)
    position = np.uint64(numbers[frame + NEXT])
    bring_next(words, numbers, ply, frame, position)
    numbers[frame + NEXT] += 1
    board = words[_sets_of(ply) + CHILDREN + position]
    _descend(words, numbers, ply, frame, numbers[frame + MOVES + position], board, depth)


@inline_kernel
def _take_best(words, numbers, ply, frame, value):
    """The child's move is the best so far: its upper bound is the node's lower bound."""
    sets, child_sets = _sets_of(ply), _sets_of(ply + 1)
    numbers[frame + BEST], numbers[frame + BEST_MOVE] = value, numbers[frame + CURRENT]
    numbers[frame + F_LOW + DEPENDS] = numbers[UP + DEPENDS]
    numbers[frame + F_LOW + IS_PROVED] = numbers[UP + IS_PROVED]
    made = EVERYTHING
    if numbers[frame + CURRENT] != PASS:
        made = words[PATH + np.uint64(ply + 1) * _STRIDE]
    words[sets + LOW_SET] = words[child_sets + UP_SET] & made


@inline_kernel
def _count_against(words, numbers, ply, frame):
    """Add the child's lower bound to what the node's upper bound rests on."""
    up = frame + F_UP
    numbers[up + DEPENDS] = min(numbers[up + DEPENDS], numbers[LOW + DEPENDS])
    numbers[up + IS_PROVED] &= numbers[LOW + IS_PROVED]
    words[_sets_of(ply) + UP_SET] &= words[_sets_of(ply + 1) + LOW_SET]


@kernel
def _absorb(words, numbers, ply, frame):
    """Take what a child handed up."""
    value, beta = -numbers[VALUE], numbers[frame + BETA]
    if numbers[frame + NULL] == 1:
        numbers[frame + NULL] = 2
        if value < beta:
            return
    if value < beta:
        _count_against(words, numbers, ply, frame)
    if value > numbers[frame + BEST]:
        _take_best(words, numbers, ply, frame, value)
    if value >= beta:
        numbers[frame + NEXT] = numbers[frame + COUNT]
        reward(numbers, numbers[frame + MOVER], numbers[frame + CURRENT], numbers[frame + DEPTH])


@inline_kernel
def _work(numbers, frame):
    """Return the logarithm of the nodes below a node."""
    nodes = numbers[NODES] - numbers[frame + BEGUN]
    work = 0
    while nodes > 0:
        nodes >>= 1
        work += 1
    return work


@inline_kernel
def _depth_of(numbers, frame, bound):
    """Return the depth to store for a bound."""
    return PROVED if numbers[frame + bound + IS_PROVED] else numbers[frame + DEPTH]


@inline_kernel
def _stored(words, numbers, ply, frame, offset):
    """Return the shared stones as the table writes them."""
    symmetry = np.uint64(numbers[frame + SYMMETRY])
    shared = mapped(words, words[_sets_of(ply) + offset], symmetry)
    return turned(shared, numbers[frame + MOVER])


@kernel
def _store(words, numbers, table, ply, frame, has_low, has_up):
    """Write the bounds that hold after other histories too; keep those that say more."""
    symmetry = np.uint64(numbers[frame + SYMMETRY])
    key = key_of(words, numbers, ply, frame, symmetry)
    work = _work(numbers, frame)
    slot = slot_for(numbers, table, key, work)
    data = table[slot + DATA]
    is_new = table[slot + KEY] != key or data == ZERO
    low, low_at, up, up_at = -numbers[LIMIT], 0, numbers[LIMIT], 0
    if not is_new:
        low, low_at, up, up_at = low_value(data), low_depth(data), up_value(data), up_depth(data)
    best, move = numbers[frame + BEST], numbers[frame + BEST_MOVE]
    low_depth_now, up_depth_now = _depth_of(numbers, frame, F_LOW), _depth_of(numbers, frame, F_UP)
    if is_new:
        table[slot + ENTRY_LOW_SET] = table[slot + ENTRY_UP_SET] = EVERYTHING
    if has_low and (is_new or low_at < low_depth_now or low < best):
        low, low_at = best, low_depth_now
        table[slot + ENTRY_LOW_SET] = _stored(words, numbers, ply, frame, LOW_SET)
    if has_up and (is_new or up_at < up_depth_now or up > best):
        up, up_at = best, up_depth_now
        table[slot + ENTRY_UP_SET] = _stored(words, numbers, ply, frame, UP_SET)
    table[slot + KEY] = key
    move = mapped_move(words, move, symmetry)
    table[slot + DATA] = pack(low, up, low_at, up_at, move, work)


@kernel
def _finish(words, numbers, table, ply, frame):
    """All moves are looked at, or enough: store the value and hand it up."""
    best = numbers[frame + BEST]
    has_low = best > numbers[frame + ALPHA]
    has_up = best < numbers[frame + BETA]
    if numbers[FLAGS] & USE_TABLE:
        low_stays = has_low and numbers[frame + F_LOW + DEPENDS] >= ply
        up_stays = has_up and numbers[frame + F_UP + DEPENDS] >= ply
        if low_stays or up_stays:
            _store(words, numbers, table, ply, frame, low_stays, up_stays)
    numbers[VALUE] = best
    for what in (DEPENDS, IS_PROVED):
        numbers[LOW + what] = numbers[frame + F_LOW + what]
        numbers[UP + what] = numbers[frame + F_UP + what]
    if ply == numbers[ROOT]:
        numbers[ROOT_MOVE] = numbers[frame + BEST_MOVE]


@kernel
def search(words, numbers, table, budget):
    """Search on until the root has a value (STATUS is DONE) or about `budget` nodes are seen."""
    stop = numbers[NODES] + budget
    root = numbers[ROOT]
    ply = numbers[PLY]
    while numbers[NODES] < stop:
        frame = frame_of(ply)
        is_done = False
        if numbers[frame + NEXT] < 0:
            is_done = _enter(words, numbers, table, ply, frame)
        elif numbers[frame + NEXT] < numbers[frame + COUNT]:
            _go_on(words, numbers, ply, frame)
            ply += 1
        else:
            _finish(words, numbers, table, ply, frame)
            is_done = True
        if is_done:
            if ply == root:
                numbers[STATUS] = DONE
                break
            ply -= 1
            _absorb(words, numbers, ply, frame_of(ply))
    numbers[PLY] = ply
