"""Board operations of the life-and-death search: chains, moves, captures, unconditional life."""

import numpy as np

from tengen.solver.kernels.bitboard import count, index_of, lowest
from tengen.solver.kernels.life_memory import ATTACKER, DEFENDER, PASS_INDEX
from tengen.solver.kernels.memory import ONE, ZERO
from tengen.util.compiler import inline_kernel, kernel


@inline_kernel
def touching(region, points):
    """Return the points adjacent to a set; they may include points of the set."""
    reached = ZERO
    while points != ZERO:
        bit = lowest(points)
        points ^= bit
        reached |= region.around[index_of(bit)]
    return reached


@inline_kernel
def chain_of(region, seed, within):
    """Return the points of `within` connected to `seed`, and the points adjacent to any of them."""
    chain, left, reach = seed, seed, ZERO
    while left != ZERO:
        bit = lowest(left)
        left ^= bit
        around = region.around[index_of(bit)]
        reach |= around
        fresh = around & within & ~chain
        chain |= fresh
        left |= fresh
    return chain, reach


@inline_kernel
def captured_by(region, stone, own, other, other_safe):
    """Return the opponent's stones that lose their last liberty to `stone`."""
    empty = region.full & ~(own | other | stone)
    captured = ZERO
    left = region.around[index_of(stone)] & other
    while left != ZERO:
        chain, reach = chain_of(region, lowest(left), other)
        left &= ~chain
        if reach & empty == ZERO and chain & other_safe == ZERO:
            captured |= chain
    return captured


@inline_kernel
def play_stone(region, stone, own, other, own_safe, other_safe):
    """Return the captured stones, the new ban by ko, and whether a move is legal."""
    captured = captured_by(region, stone, own, other, other_safe)
    empty = region.full & ~(own | other | stone) | captured
    around = region.around[index_of(stone)]
    if stone & own_safe != ZERO:
        return captured, ZERO, True
    if captured != ZERO:
        is_single = captured & (captured - ONE) == ZERO
        if is_single and around & own == ZERO and around & empty == captured:
            return captured, captured, True
        return captured, ZERO, True
    if around & empty != ZERO:
        return captured, ZERO, True
    chain, reach = chain_of(region, stone, own | stone)
    return captured, ZERO, reach & empty != ZERO or chain & own_safe != ZERO


@kernel
def living(region, attackers, defenders):
    """Return the defender's chains that live unconditionally (Benson), or are safe outside."""
    safe = region.safe[DEFENDER]
    chains, alive, left = 0, ZERO, defenders
    while left != ZERO and chains < 32:
        chain, reach = chain_of(region, lowest(left), defenders)
        left &= ~chain
        if chain & safe != ZERO:
            alive |= chain
            continue
        region.chains[np.uint64(chains)], region.reaches[np.uint64(chains)] = chain, reach
        chains += 1
    spaces, left = 0, region.full & ~defenders
    while left != ZERO:
        space, _ = chain_of(region, lowest(left), left)
        left &= ~space
        if space & region.border == ZERO:
            region.spaces[np.uint64(spaces)] = space
            spaces += 1
    if spaces < 2:
        return alive
    while True:
        removed = False
        for chain in range(chains):
            reach, eyes = region.reaches[np.uint64(chain)], 0
            if region.chains[np.uint64(chain)] == ZERO:
                continue
            for number in range(spaces):
                space = region.spaces[np.uint64(number)]
                if space != ZERO and space & ~attackers & ~reach == ZERO and space & reach != ZERO:
                    eyes += 1
            if eyes >= 2:
                continue
            region.chains[np.uint64(chain)] = ZERO
            removed = True
            for number in range(spaces):
                if region.spaces[np.uint64(number)] & reach != ZERO:
                    region.spaces[np.uint64(number)] = ZERO
        if not removed:
            break
    for chain in range(chains):
        alive |= region.chains[np.uint64(chain)]
    return alive


@inline_kernel
def is_captured(question, defenders):
    """Return whether the attacker has captured what the question asks for."""
    left = defenders & question.target
    return left == ZERO if question.needs_all else left != question.target


@inline_kernel
def is_saved(question, alive):
    """Return whether living chains answer the question in the defender's favor."""
    saved = alive & question.target
    return saved != ZERO if question.needs_all else saved == question.target


@kernel
def is_hopeless(region, question, attackers, defenders):
    """Return whether the defender has room for one eye at most, so that the stones are captured.

    An eye needs a point that touches no safe stone of the attacker and has no permanent stone of
    the defender. Permanent are stones whose capture answers the question (docs/problems.md).
    """
    safe = region.safe[ATTACKER]
    own, reached, left = ZERO, ZERO, attackers & safe
    while left != ZERO:
        chain, reach = chain_of(region, lowest(left), attackers)
        left &= ~chain
        own |= chain
        reached |= chain | reach
    permanent = defenders & question.target
    if permanent == ZERO or region.safe[DEFENDER] != ZERO:
        return False
    if question.needs_all:
        # All stones must be one chain, and none can be added at a point of captured ones.
        chain, _ = chain_of(region, lowest(permanent), defenders)
        if question.target & ~(chain | own) != ZERO:
            return False
        permanent = chain
    room = region.full & ~(reached | safe | permanent)
    rest = room & (room - ONE)
    if rest == ZERO:
        return True
    is_pair = rest & (rest - ONE) == ZERO
    return is_pair and region.around[index_of(lowest(room))] & rest != ZERO


@kernel
def capturing_move(region, question, attackers, defenders, ko):
    """Return the point at which the attacker captures what the question asks for, or 0."""
    empty = region.full & ~(attackers | defenders)
    left, shared = defenders & question.target, ZERO
    while left != ZERO:
        chain, reach = chain_of(region, lowest(left), defenders)
        left &= ~chain
        liberties = reach & empty
        is_atari = liberties & (liberties - ONE) == ZERO and chain & region.safe[DEFENDER] == ZERO
        is_free = is_atari and liberties & ~ko != ZERO
        if question.needs_all:
            if not is_free or (shared != ZERO and shared != liberties):
                return ZERO
            shared = liberties
        elif is_free:
            return liberties
    return shared


@kernel
def estimate_life(region, question, attackers, defenders, move, last):
    """Return how hard it is to kill and how hard it is to live, after a move."""
    weights = question.weights
    empty = region.full & ~(attackers | defenders)
    liberties, fewest, left = ZERO, 20, defenders & question.target
    while left != ZERO:
        chain, reach = chain_of(region, lowest(left), defenders)
        left &= ~chain
        liberties |= reach & empty
        if chain & region.safe[DEFENDER] == ZERO:
            fewest = min(fewest, count(reach & empty))
    eyes, rooms = 0, 0
    points = empty & liberties & ~region.border
    while points != ZERO:
        bit = lowest(points)
        points ^= bit
        around = region.around[index_of(bit)]
        if around & ~defenders == ZERO:
            eyes += 1
        elif around & attackers == ZERO:
            rooms += 1
    space = weights[2] * eyes + weights[3] * rooms
    kill = 2 + weights[0] * min(fewest, 8) + space
    live = 2 + max(0, weights[1] - space) + weights[4] * max(0, 3 - fewest)
    extra = 0
    if move < PASS_INDEX:
        bit = ONE << np.uint64(move)
        near = region.near[np.uint64(move)]
        if near & (attackers | defenders) & ~bit == ZERO:
            extra += weights[5]
        if last < PASS_INDEX and near & (ONE << np.uint64(last)) == ZERO:
            extra += weights[6]
        if (bit | region.around[np.uint64(move)]) & liberties == ZERO:
            extra += weights[7]
    return kill, live, extra
