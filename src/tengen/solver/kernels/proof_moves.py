"""Moves, static results and first estimates of the proof-number search."""

import numpy as np

from tengen.solver.kernels.bitboard import (
    after,
    count,
    flood,
    index_of,
    lowest,
    neighbors,
    stones_of,
)
from tengen.solver.kernels.evaluation import alive_chains, evaluate
from tengen.solver.kernels.memory import ONE, PASS, ZERO
from tengen.solver.kernels.proof_memory import INFINITE, OPPONENT, PROVER
from tengen.util.compiler import inline_kernel, kernel

_FEWEST_LIVING = 4
"""Sides with fewer stones are not analyzed: on most boards they cannot have a living chain."""
_UNIT = 4
"""Points of evaluation for one unit of a proof or disproof number."""
_LARGEST_ESTIMATE = 30


@inline_kernel
def _is_conquered(geometry, interior):
    """Return whether a region with these interior points has no room for two eyes."""
    if interior == ZERO:
        return True
    if not geometry.has_width:
        return False
    rest = interior & (interior - ONE)
    if rest == ZERO:
        return True
    is_pair = rest & (rest - ONE) == ZERO
    return is_pair and neighbors(geometry, interior) & interior != ZERO


@kernel
def secure_points(geometry, own, use_interior):
    """Return the living chains and the regions around them in which the other side cannot live.

    The interior of a region are its points that touch no living chain. Only they can be eyes of the
    other side, so a region with at most one interior point, or two adjacent ones, has no room for
    two eyes (proof in docs/research/solver.md).
    """
    if count(own) < _FEWEST_LIVING and geometry.has_width:
        return ZERO
    alive = alive_chains(geometry, own)
    if alive == ZERO:
        return ZERO
    secure, near = alive, neighbors(geometry, alive)
    left = geometry.full & ~alive
    while left != ZERO:
        region = flood(geometry, lowest(left), left)
        left &= ~region
        interior = region & ~near
        if interior == ZERO or (use_interior and _is_conquered(geometry, interior)):
            secure |= region
    return secure


@inline_kernel
def _may_end(side, mover, passes, stones):
    """Return whether the other side can end the game while its stones stand on secure points."""
    return side != mover and passes > 0 and stones != ZERO


@kernel
def static_answer(state, board, side, passes):
    """Return 1 if unconditional life answers the question with yes, -1 with no, else 0."""
    geometry, question = state.geometry[0], state.question[0]
    own, other = stones_of(board, PROVER), stones_of(board, OPPONENT)
    secure = secure_points(geometry, own, question.use_interior)
    if secure != ZERO and 2 * count(secure) - question.points >= question.target:
        if not _may_end(side, PROVER, passes, secure & other):
            return 1
    lost = secure_points(geometry, other, question.use_interior)
    if lost != ZERO and question.points - 2 * count(lost) < question.target:
        if not _may_end(side, OPPONENT, passes, lost & own):
            return -1
    return 0


@inline_kernel
def final_answer(state, board, side, passes):
    """Return 1 or -1 if the game is over or the side to move gains by ending it, else 0."""
    if passes == 0:
        return 0
    question = state.question[0]
    is_reached = evaluate(state.geometry[0], board, 1) >= question.target
    if passes == 2:
        return 1 if is_reached else -1
    if is_reached:
        return 1 if side == PROVER else 0
    return -1 if side == OPPONENT else 0


@inline_kernel
def _advantage(geometry, board):
    """Return a rough evaluation for the prover: liberties, room for eyes, influence, stones."""
    own, other = stones_of(board, PROVER), stones_of(board, OPPONENT)
    empty = geometry.full & ~(own | other)
    near_own, near_other = neighbors(geometry, own), neighbors(geometry, other)
    wide_own = neighbors(geometry, near_own & ~other) | near_own | own
    wide_other = neighbors(geometry, near_other & ~own) | near_other | other
    liberties = count(near_own & empty) - count(near_other & empty)
    room = count(geometry.full & ~(near_other | other)) - count(geometry.full & ~(near_own | own))
    return (
        liberties
        + room
        + count(wide_own)
        - count(wide_other)
        + 2 * (count(own) - count(other))
    )  # fmt: skip


@inline_kernel
def estimate(state, board):
    """Return the first proof number and disproof number of a state."""
    if not state.question[0].use_ordering:
        return 1, 1
    advantage = _advantage(state.geometry[0], board)
    pn = 1 + min(max(-advantage, 0) // _UNIT, _LARGEST_ESTIMATE)
    dn = 1 + min(max(advantage, 0) // _UNIT, _LARGEST_ESTIMATE)
    return pn, dn


@inline_kernel
def _ko_after(geometry, before, board, side, stone):
    """Return the point that simple ko bans after a move, or 0."""
    captured = stones_of(before, 1 - side) & ~stones_of(board, 1 - side)
    if captured == ZERO or captured & (captured - ONE) != ZERO:
        return ZERO
    empty = geometry.full & ~(stones_of(board, PROVER) | stones_of(board, OPPONENT))
    near = neighbors(geometry, stone)
    if near & stones_of(board, side) != ZERO or near & empty != captured:
        return ZERO
    return captured


@inline_kernel
def _fills_eye(geometry, board, side, stone):
    """Return whether a point is an eye of one chain of the side to move."""
    own = stones_of(board, side)
    near = neighbors(geometry, stone)
    if near & ~own != ZERO or near == ZERO:
        return False
    return near & ~flood(geometry, lowest(near), own) == ZERO


@inline_kernel
def _append(frame, move, board, ko):
    slot = np.uint64(frame.count)
    frame.moves[slot], frame.boards[slot], frame.kos[slot] = move, board, ko
    frame.count += 1


@kernel
def list_states(state, frame):
    """List the moves of a node: all moves of the opponent, all but eye-filling ones of the prover.

    Omitting moves of the prover can miss a proof but never produces a wrong one.
    """
    geometry, board, side = state.geometry[0], frame.board, frame.side
    frame.count = 0
    occupied = stones_of(board, PROVER) | stones_of(board, OPPONENT)
    empty = geometry.full & ~(occupied | frame.ko)
    while empty != ZERO:
        stone = lowest(empty)
        empty ^= stone
        if side == PROVER and _fills_eye(geometry, board, side, stone):
            continue
        child = after(geometry, board, side, stone)
        if child != ZERO:
            ko = _ko_after(geometry, board, child, side, stone)
            _append(frame, np.int64(index_of(stone)), child, ko)
    _append(frame, PASS, board, ZERO)


@inline_kernel
def numbers_of(answer):
    """Return the proof and disproof number of a decided state."""
    return (0, INFINITE) if answer > 0 else (INFINITE, 0)
