"""Bounds that end a node at once: the table's, unconditional life's, the horizon's."""

import numpy as np

from tengen.core.compiler import inline_kernel, kernel
from tengen.solver.kernels.bits import count
from tengen.solver.kernels.evaluation import groups_power, to_power, value_to_play
from tengen.solver.kernels.life import alive_chains, safe_points
from tengen.solver.kernels.memory import (
    ALPHA,
    BETA,
    BLACK_PROVES,
    DATA,
    DEPENDS,
    DEPTH,
    ENTRY_LOW_SET,
    ENTRY_UP_SET,
    EVALUATE,
    EVERYTHING,
    FULL,
    HALF,
    HORIZON,
    IS_PROVED,
    LIMIT,
    LOST,
    LOW,
    LOW_SET,
    MOVER,
    NO_PLY,
    PASSES,
    PATH,
    POWER,
    PROVED,
    SETS,
    SETS_STRIDE,
    SYMMETRIES,
    SYMMETRY,
    UP,
    UP_SET,
    VALUE,
    ZERO,
)
from tengen.solver.kernels.rules import stones_of, turned
from tengen.solver.kernels.table import (
    history_allows,
    inverse,
    low_depth,
    low_value,
    mapped,
    up_depth,
    up_value,
)

_STRIDE = np.uint64(SYMMETRIES)


@inline_kernel
def give_bound(words, numbers, ply, which, shared, is_proved):
    """Put a bound that depends on no earlier board into the registers: LOW or UP."""
    offset = LOW_SET if which == LOW else UP_SET
    words[SETS + np.uint64(ply) * SETS_STRIDE + offset] = shared
    numbers[which + DEPENDS] = NO_PLY
    numbers[which + IS_PROVED] = is_proved


@inline_kernel
def give_value(words, numbers, ply, value, is_low_proved, is_up_proved):
    """Put a value into the registers that no move leads to, with both bounds."""
    numbers[VALUE] = value
    give_bound(words, numbers, ply, LOW, EVERYTHING, is_low_proved)
    give_bound(words, numbers, ply, UP, EVERYTHING, is_up_proved)


@kernel
def end_of_depth(words, numbers, ply, frame):
    """Put the value of a position at the horizon into the registers."""
    side = numbers[frame + MOVER]
    horizon = numbers[HORIZON]
    if horizon == EVALUATE:
        board = words[PATH + np.uint64(ply) * _STRIDE]
        give_value(words, numbers, ply, value_to_play(words, numbers, board, side), 0, 0)
    elif (horizon == BLACK_PROVES) == (side == 0):
        give_value(words, numbers, ply, -numbers[LIMIT], 1, 0)
    else:
        give_value(words, numbers, ply, numbers[LIMIT], 0, 1)


@inline_kernel
def _use(words, numbers, table, entry, ply, frame, which):
    """Put a bound of an entry into the registers, if the history allows it."""
    symmetry, side = np.uint64(numbers[frame + SYMMETRY]), numbers[frame + MOVER]
    offset = ENTRY_LOW_SET if which == LOW else ENTRY_UP_SET
    shared = turned(table[entry + offset], side)
    if not history_allows(words, ply, symmetry, shared):
        return False
    data = table[entry + DATA]
    numbers[VALUE] = low_value(data) if which == LOW else up_value(data)
    depth = low_depth(data) if which == LOW else up_depth(data)
    shared = mapped(words, shared, inverse(words, symmetry))
    give_bound(words, numbers, ply, which, shared, 1 if depth == PROVED else 0)
    return True


@kernel
def cut_by_table(words, numbers, table, entry, ply, frame):
    """Tell whether an entry decides the node; its bound is then in the registers."""
    data = table[entry + DATA]
    low, up, depth = low_value(data), up_value(data), numbers[frame + DEPTH]
    low_counts, up_counts = low_depth(data) >= depth, up_depth(data) >= depth
    if low_counts and low >= numbers[frame + BETA]:
        return _use(words, numbers, table, entry, ply, frame, LOW)
    if up_counts and up <= numbers[frame + ALPHA]:
        return _use(words, numbers, table, entry, ply, frame, UP)
    if low_counts and up_counts and low == up:
        return _use(words, numbers, table, entry, ply, frame, LOW) and _use(
            words, numbers, table, entry, ply, frame, UP
        )
    return False


@inline_kernel
def _may_fill(words, lost_at, alive):
    """Tell whether no board from before a loss holds these stones: then no filling repeats one."""
    for earlier in range(np.uint64(lost_at)):
        if words[PATH + np.uint64(earlier) * _STRIDE] & alive == alive:
            return False
    return True


@inline_kernel
def _kept(words, numbers, ply, frame, side):
    """Return (value a side keeps, from its own view; the living stones as part of a board).

    Without life that is the worst of values, which takes no stones at all.
    """
    board = words[PATH + np.uint64(ply) * _STRIDE]
    own, other = stones_of(board, side), stones_of(board, 1 - side)
    limit = numbers[LIMIT]
    alive = alive_chains(words, own)
    if alive == ZERO:
        return -limit, EVERYTHING
    safe = safe_points(words, alive)
    shared = alive << (HALF * np.uint64(side))
    ends = numbers[frame + PASSES] > 0 and numbers[frame + MOVER] != side
    if ends and safe & other != ZERO:
        return -limit, EVERYTHING
    if not _may_fill(words, numbers[frame + LOST + np.uint64(side)], shared):
        return -limit, EVERYTHING
    power = numbers[POWER]
    rest = count(words[FULL] & ~safe)
    return groups_power(words, safe, power) - to_power(rest, power), shared


@kernel
def cut_by_life(words, numbers, ply, frame):
    """Tell whether what a side keeps decides the node; the bound is then in the registers."""
    side = numbers[frame + MOVER]
    low, low_shared = _kept(words, numbers, ply, frame, side)
    loss, up_shared = _kept(words, numbers, ply, frame, 1 - side)
    is_low = low >= numbers[frame + BETA]
    is_up = -loss <= numbers[frame + ALPHA]
    if not (is_low or is_up or low == -loss):
        return False
    numbers[VALUE] = -loss if is_up else low
    give_bound(words, numbers, ply, LOW, low_shared, 1)
    give_bound(words, numbers, ply, UP, up_shared, 1)
    return True
