"""Depth-first proof-number search (df-pn) as a loop over a stack of frames.

A state has a proof number, which is 0 if the prover reaches the target, and a disproof number. The
search descends to the child that is easiest to decide for the side to move until a number exceeds
the limit of its frame (Nagai 2002; slack: Pawlewicz and Lew 2007). With `weak`, a node takes the
largest number of its children plus one for each other undecided child instead of their sum (weak
proof-number search, Ueda et al. 2008).

A move that repeats a state of the current path counts against the prover. Proofs therefore need no
information about the path and hold after every history of moves without superko.
"""

import numpy as np

from tengen.solver.kernels.bitboard import put_images
from tengen.solver.kernels.memory import ZERO
from tengen.solver.kernels.proof_memory import (
    INFINITE,
    LAST_PLY,
    PROVER,
    UNOPENED,
    proof_frame_at,
)
from tengen.solver.kernels.proof_moves import (
    estimate,
    final_answer,
    list_states,
    numbers_of,
    static_answer,
)
from tengen.solver.kernels.proof_table import (
    disproof_number,
    find_state,
    proof_number,
    state_key,
    store_state,
)
from tengen.util.compiler import inline_kernel, kernel

_PERCENT = 100


@inline_kernel
def _is_on_path(state, ply, key):
    """Return whether a child of the node at a ply repeats a state of the path."""
    earlier = ply - 1
    while earlier >= 0:
        if proof_frame_at(state, earlier).key == key:
            return True
        earlier -= 2
    return False


@inline_kernel
def _read_numbers(state, frame, slot):
    """Read the numbers of a child from the table; return whether it has an entry."""
    data = find_state(state.table, state.question[0].table_bits, frame.keys[slot])
    if data == ZERO:
        return False
    frame.pns[slot], frame.dns[slot] = proof_number(data), disproof_number(data)
    return True


@kernel
def _open_child(state, ply, frame, slot):
    """Set the key and the first numbers of a child."""
    side = 1 - frame.side
    board, passes = frame.boards[slot], 0
    if frame.boards[slot] == frame.board:
        passes = frame.passes + 1
    frame.keys[slot] = ZERO
    answer = final_answer(state, board, side, passes)
    if answer == 0:
        key = state_key(state, ply, board, frame.kos[slot], side, passes)
        if _is_on_path(state, ply, key) or ply >= LAST_PLY:
            answer = -1
        else:
            frame.keys[slot] = key
            if _read_numbers(state, frame, slot):
                return
            if state.question[0].use_life:
                answer = static_answer(state, board, side, passes)
    if answer != 0:
        frame.pns[slot], frame.dns[slot] = numbers_of(answer)
    else:
        frame.pns[slot], frame.dns[slot] = estimate(state, board)


@kernel
def _open_node(state, ply, frame):
    """List the moves of a node and set the numbers of its children."""
    question = state.question[0]
    question.nodes += 1
    question.deepest = max(question.deepest, ply)
    frame.nodes_before = question.nodes
    list_states(state, frame)
    for slot in range(np.uint64(frame.count)):
        _open_child(state, ply, frame, np.uint64(slot))


@kernel
def _combine(question, frame):
    """Set the numbers of a node and its best child; return the runner-up's number.

    Both sides minimize a number, the prover the proof number; the other number is combined.
    """
    is_prover = frame.side == PROVER
    best, second, tie, chosen = INFINITE + 1, INFINITE + 1, 0, 0
    largest, total, open_count = 0, 0, 0
    for slot in range(np.uint64(frame.count)):
        index = np.uint64(slot)
        mine = frame.pns[index] if is_prover else frame.dns[index]
        other = frame.dns[index] if is_prover else frame.pns[index]
        if mine < best or (mine == best and other < tie):
            best, second, tie, chosen = mine, best, other, slot
        elif mine < second:
            second = mine
        if other > 0:
            open_count += 1
            total += other
            largest = max(largest, other)
    if question.use_weak:
        frame.rest = max(open_count - 1, 0)
        combined = largest + frame.rest
    else:
        frame.rest = total - tie
        combined = total
    if largest == INFINITE or best == 0:
        combined = INFINITE
    elif combined >= INFINITE:
        combined = INFINITE - 1
    if best >= INFINITE:
        best, combined = INFINITE, 0
    frame.current = np.int64(chosen)
    frame.pn = best if is_prover else combined
    frame.dn = combined if is_prover else best
    return min(second, INFINITE)


@kernel
def _descend(state, ply, frame, second):
    """Open the frame of the best child with its limits."""
    question = state.question[0]
    child = proof_frame_at(state, ply + 1)
    slot = np.uint64(frame.current)
    is_prover = frame.side == PROVER
    pn, dn = frame.pns[slot], frame.dns[slot]
    switch = min(second + second * question.slack // _PERCENT + 1, INFINITE)
    if is_prover:
        child.pn_limit = min(frame.pn_limit, switch)
        child.dn_limit = INFINITE if frame.dn_limit >= INFINITE else frame.dn_limit - frame.rest
    else:
        child.dn_limit = min(frame.dn_limit, switch)
        child.pn_limit = INFINITE if frame.pn_limit >= INFINITE else frame.pn_limit - frame.rest
    child.pn_limit, child.dn_limit = max(child.pn_limit, pn + 1), max(child.dn_limit, dn + 1)
    here, there = state.images[np.uintp(ply)], state.images[np.uintp(ply + 1)]
    put_images(state.geometry[0], here, there, frame.boards[slot])
    child.board, child.ko, child.key = frame.boards[slot], frame.kos[slot], frame.keys[slot]
    child.side = 1 - frame.side
    child.passes = frame.passes + 1 if child.board == frame.board else 0
    child.count = UNOPENED


@inline_kernel
def _log_nodes(nodes):
    """Return the bit length of a number of nodes, at least 1."""
    work = 1
    while nodes > 1:
        nodes >>= 1
        work += 1
    return work


@kernel
def _close(state, frame):
    """Store the numbers of a node."""
    question = state.question[0]
    work = _log_nodes(question.nodes - frame.nodes_before + 1)
    bits, use_replacement = question.table_bits, question.use_replacement
    store_state(state.table, bits, frame.key, frame.pn, frame.dn, work, use_replacement)


@kernel
def _absorb(state, frame, child):
    """Take over the numbers of the child that has just been searched, and newer ones of others."""
    current = np.uint64(frame.current)
    frame.pns[current], frame.dns[current] = child.pn, child.dn
    if not state.question[0].use_refresh:
        return
    for slot in range(np.uint64(frame.count)):
        index = np.uint64(slot)
        is_open = frame.pns[index] != 0 and frame.dns[index] != 0
        if is_open and index != current and frame.keys[index] != ZERO:
            _read_numbers(state, frame, index)


@kernel
def begin_proof(state):
    """Initialize the root, whose board, key, side and passes are in place."""
    question = state.question[0]
    root = proof_frame_at(state, 0)
    question.ply, question.is_running = 0, 1
    root.pn_limit = root.dn_limit = INFINITE
    root.count = UNOPENED


@kernel
def search_proof(state, budget):
    """Search until the root is decided (`is_running` is 0) or for about `budget` nodes."""
    question = state.question[0]
    stop = question.nodes + budget
    ply = question.ply
    while question.nodes < stop:
        frame = proof_frame_at(state, ply)
        if frame.count < 0:
            _open_node(state, ply, frame)
        second = _combine(question, frame)
        if frame.pn < frame.pn_limit and frame.dn < frame.dn_limit:
            _descend(state, ply, frame, second)
            ply += 1
            continue
        _close(state, frame)
        if ply == 0:
            question.is_running = 0
            break
        ply -= 1
        _absorb(state, proof_frame_at(state, ply), frame)
    question.ply = ply
