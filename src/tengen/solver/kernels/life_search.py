"""Depth-first proof-number search for life and death on a region.

The prover is the attacker, who proves a capture, or the defender, who proves that the stones cannot
be captured. As in `proof_number`, a move that repeats a state of the path counts against the
prover, so a proof holds after every path. The attacker does not pass unless a ko bans a move: after
a pass of the attacker the defender can pass as well. The defender wins if the attacker has no move.
If the defender must reach unconditional life, which excludes seki, the attacker may always pass.

Ko threats are a resource: a side with unlimited threats ignores bans by ko, otherwise playing a
banned point costs the prover one of its threats, and the opponent has none.
"""

import numpy as np

from tengen.solver.kernels.bitboard import index_of, lowest
from tengen.solver.kernels.life_board import (
    capturing_move,
    estimate_life,
    is_captured,
    is_hopeless,
    is_saved,
    living,
    play_stone,
)
from tengen.solver.kernels.life_memory import (
    ATTACKER,
    DEEPEST_PLY,
    DEFENDER,
    NOT_LISTED,
    PASS_INDEX,
    UNLIMITED,
    life_frame_at,
)
from tengen.solver.kernels.memory import ZERO
from tengen.solver.kernels.proof_memory import INFINITE
from tengen.solver.kernels.proof_table import (
    disproof_number,
    find_state,
    proof_number,
    store_state,
)
from tengen.util.compiler import inline_kernel, kernel

_PERCENT = 100
_MOVER_KEY = np.uint64(0xA24BAED4963EE407)
_THREAT_KEY = np.uint64(0x9FB21C651E98DF25)


@inline_kernel
def hash_of(region, attackers, defenders):
    """Return the hash of the stones."""
    value = ZERO
    while attackers != ZERO:
        bit = lowest(attackers)
        attackers ^= bit
        value ^= region.keys[ATTACKER, index_of(bit)]
    while defenders != ZERO:
        bit = lowest(defenders)
        defenders ^= bit
        value ^= region.keys[DEFENDER, index_of(bit)]
    return value


@inline_kernel
def life_key(region, question, stones_hash, ko, mover, threats):
    """Return the key of a state."""
    key = stones_hash ^ question.salt ^ (_THREAT_KEY * np.uint64(threats + 1))
    if mover == ATTACKER:
        key ^= _MOVER_KEY
    if ko != ZERO:
        key ^= region.keys[np.uint64(2), index_of(ko)]
    return key


@inline_kernel
def _numbers(question, winner):
    """Return proof and disproof number of a state that a side wins."""
    if winner == question.prover:
        return 0, INFINITE
    return INFINITE, 0


@inline_kernel
def _is_repeated(state, ply, key):
    """Return whether a child of the node at a ply repeats a state of the path."""
    earlier = ply - 1
    while earlier >= 0:
        if life_frame_at(state, earlier).key == key:
            return True
        earlier -= 2
    return False


@inline_kernel
def _winner(state, mover, attackers, defenders, ko):
    """Return the winner if a state with `mover` to move is decided, or -1."""
    region, question = state.region[0], state.question[0]
    if mover == DEFENDER:
        if is_captured(question, defenders) or is_hopeless(region, question, attackers, defenders):
            return ATTACKER
        return -1
    if is_saved(question, living(region, attackers, defenders)):
        return DEFENDER
    if capturing_move(region, question, attackers, defenders, ko) != ZERO:
        return ATTACKER
    return ATTACKER if is_hopeless(region, question, attackers, defenders) else -1


@inline_kernel
def _add_child(state, ply, frame, move, stones, ko, value, threats):
    """Append a child to the list of moves and set its first numbers."""
    region, question = state.region[0], state.question[0]
    slot = np.uint64(frame.count)
    frame.count += 1
    frame.moves[slot] = move
    frame.child_stones[slot, ATTACKER], frame.child_stones[slot, DEFENDER] = stones
    frame.child_kos[slot], frame.child_hashes[slot] = ko, value
    frame.child_threats[slot] = threats
    mover = DEFENDER if frame.mover == ATTACKER else ATTACKER
    key = life_key(region, question, value, ko, mover, threats)
    frame.keys[slot] = ZERO
    if _is_repeated(state, ply, key) or ply >= DEEPEST_PLY:
        frame.pns[slot], frame.dns[slot] = INFINITE, 0
        return
    data = find_state(state.table, question.table_bits, key)
    if data != ZERO:
        frame.keys[slot] = key
        frame.pns[slot], frame.dns[slot] = proof_number(data), disproof_number(data)
        return
    winner = _winner(state, mover, stones[0], stones[1], ko)
    if winner >= 0:
        frame.pns[slot], frame.dns[slot] = _numbers(question, winner)
        return
    frame.keys[slot] = key
    kill, live, extra = estimate_life(region, question, stones[0], stones[1], move, frame.last)
    if frame.mover == ATTACKER:
        kill += extra
    else:
        live += extra
    if question.prover == ATTACKER:
        frame.pns[slot], frame.dns[slot] = kill, live
    else:
        frame.pns[slot], frame.dns[slot] = live, kill


@inline_kernel
def _threats_after(question, frame, stone):
    """Return the threats of the prover after a move, or -1 if ko forbids it."""
    if stone & frame.ko == ZERO:
        return frame.threats
    if frame.mover != question.prover:
        return frame.threats if question.opponent_threats == UNLIMITED else -1
    if frame.threats == UNLIMITED:
        return UNLIMITED
    return frame.threats - 1


@kernel
def list_children(state, ply, frame):
    """List the moves of a node with the numbers of its children."""
    region, question = state.region[0], state.question[0]
    frame.count = 0
    mover = frame.mover
    other = DEFENDER if mover == ATTACKER else ATTACKER
    attackers, defenders = frame.stones[ATTACKER], frame.stones[DEFENDER]
    own, others = (attackers, defenders) if mover == ATTACKER else (defenders, attackers)
    own_safe, others_safe = region.safe[np.uint64(mover)], region.safe[np.uint64(other)]
    left = region.full & ~(attackers | defenders)
    while left != ZERO:
        stone = lowest(left)
        left ^= stone
        threats = _threats_after(question, frame, stone)
        if threats < 0:
            continue
        captured, ko, legal = play_stone(region, stone, own, others, own_safe, others_safe)
        if not legal:
            continue
        index = index_of(stone)
        value = frame.hash ^ region.keys[np.uint64(mover), index]
        taken = captured
        while taken != ZERO:
            bit = lowest(taken)
            taken ^= bit
            value ^= region.keys[np.uint64(other), index_of(bit)]
        stones = (own | stone, others ^ captured)
        if mover == DEFENDER:
            stones = (others ^ captured, own | stone)
        _add_child(state, ply, frame, np.int64(index), stones, ko, value, threats)
    if mover == DEFENDER or frame.ko != ZERO or question.needs_eyes:
        _add_child(
            state, ply, frame, PASS_INDEX, (attackers, defenders), ZERO, frame.hash, frame.threats
        )


@kernel
def _sum_up(question, frame):
    """Set the numbers of a node and its best child; return the runner-up's number."""
    is_prover = frame.mover == question.prover
    least, runner_up, tie, chosen = INFINITE + 1, INFINITE + 1, 0, 0
    most, total = 0, 0
    for slot in range(np.uint64(frame.count)):
        index = np.uint64(slot)
        mine, theirs = frame.pns[index], frame.dns[index]
        if not is_prover:
            mine, theirs = theirs, mine
        if mine < least or (mine == least and theirs < tie):
            runner_up, least, tie, chosen = least, mine, theirs, slot
        elif mine < runner_up:
            runner_up = mine
        total += theirs
        most = max(most, theirs)
    others = total - tie
    total = min(total, INFINITE - 1)
    if frame.count == 0:
        least, total = INFINITE, 0  # the attacker has no move
    elif least == 0 or most == INFINITE:
        total = INFINITE
    if least >= INFINITE:
        least, total = INFINITE, 0
    frame.current, frame.rest = np.int64(chosen), others
    frame.pn, frame.dn = (least, total) if is_prover else (total, least)
    return min(runner_up, INFINITE)


@kernel
def _enter(state, ply, frame, runner_up):
    """Prepare the frame of the best child."""
    question, child = state.question[0], life_frame_at(state, ply + 1)
    slot = np.uint64(frame.current)
    switch = min(runner_up + runner_up * question.slack // _PERCENT + 1, INFINITE)
    pn_limit, dn_limit = frame.pn_limit, frame.dn_limit
    if frame.mover == question.prover:
        pn_limit = min(pn_limit, switch)
        dn_limit -= frame.rest if dn_limit < INFINITE else 0
    else:
        dn_limit = min(dn_limit, switch)
        pn_limit -= frame.rest if pn_limit < INFINITE else 0
    child.pn_limit = max(pn_limit, frame.pns[slot] + 1)
    child.dn_limit = max(dn_limit, frame.dns[slot] + 1)
    child.stones[ATTACKER] = frame.child_stones[slot, ATTACKER]
    child.stones[DEFENDER] = frame.child_stones[slot, DEFENDER]
    child.ko, child.hash, child.key = (
        frame.child_kos[slot],
        frame.child_hashes[slot],
        frame.keys[slot],
    )
    child.threats, child.last = frame.child_threats[slot], frame.moves[slot]
    child.mover = DEFENDER if frame.mover == ATTACKER else ATTACKER
    child.count = NOT_LISTED


@kernel
def _leave(state, ply, child):
    """Store the numbers of a node and return to its parent, rereading those of its siblings."""
    question = state.question[0]
    effort, work = question.nodes - child.nodes_before, 1
    while effort > 0:
        effort >>= 1
        work += 1
    bits = question.table_bits
    store_state(state.table, bits, child.key, child.pn, child.dn, work, 1)
    if ply == 0:
        return
    frame = life_frame_at(state, ply - 1)
    current = np.uint64(frame.current)
    frame.pns[current], frame.dns[current] = child.pn, child.dn
    for slot in range(np.uint64(frame.count)):
        index = np.uint64(slot)
        if index == current or frame.keys[index] == ZERO:
            continue
        if frame.pns[index] != 0 and frame.dns[index] != 0:
            data = find_state(state.table, bits, frame.keys[index])
            if data != ZERO:
                frame.pns[index], frame.dns[index] = proof_number(data), disproof_number(data)


@kernel
def begin_life(state):
    """Initialize the root, whose stones, ko, mover and threats are in place."""
    region, question = state.region[0], state.question[0]
    root = life_frame_at(state, 0)
    root.hash = hash_of(region, root.stones[ATTACKER], root.stones[DEFENDER])
    root.key = life_key(region, question, root.hash, root.ko, root.mover, root.threats)
    root.pn_limit = root.dn_limit = INFINITE
    root.count, root.last = NOT_LISTED, PASS_INDEX
    root.pn = root.dn = 1
    question.ply, question.is_running = 0, 1
    winner = _winner(state, root.mover, root.stones[ATTACKER], root.stones[DEFENDER], root.ko)
    if winner >= 0:
        root.pn, root.dn = _numbers(question, winner)
        question.is_running = 0


@kernel
def search_life(state, budget):
    """Search until the root is decided (`is_running` is 0) or for about `budget` nodes."""
    question = state.question[0]
    stop = question.nodes + budget
    ply = question.ply
    while question.nodes < stop:
        frame = life_frame_at(state, ply)
        if frame.count < 0:
            question.nodes += 1
            question.deepest = max(question.deepest, ply)
            frame.nodes_before = question.nodes
            list_children(state, ply, frame)
        runner_up = _sum_up(question, frame)
        if frame.pn < frame.pn_limit and frame.dn < frame.dn_limit:
            _enter(state, ply, frame, runner_up)
            ply += 1
            continue
        _leave(state, ply, frame)
        if ply == 0:
            question.is_running = 0
            break
        ply -= 1
    question.ply = ply
