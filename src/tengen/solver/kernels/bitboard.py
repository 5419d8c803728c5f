"""Bitboard operations: neighbors, chains, captures, legality, repetition."""

import numpy as np

from tengen.solver.kernels.memory import HALF, LOW_HALF, ONE, ZERO
from tengen.util.compiler import inline_kernel

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H = np.uint64(0x0101010101010101)
_TWO, _FOUR, _TOP = np.uint64(2), np.uint64(4), np.uint64(56)


@inline_kernel
def count(points):
    """Count the points of a set; LLVM compiles this to one instruction."""
    points = points - ((points >> ONE) & _M1)
    points = (points & _M2) + ((points >> _TWO) & _M2)
    points = (points + (points >> _FOUR)) & _M4
    return np.int64((points * _H) >> _TOP)


@inline_kernel
def lowest(points):
    """Return the set that contains only the first point."""
    return points & (~points + ONE)


@inline_kernel
def index_of(point):
    """Return the number of the only point of a set."""
    return np.uint64(count(point - ONE))


@inline_kernel
def put_images(geometry, here, there, board):
    """Write a board in all orientations to `there`, from those of a similar board in `here`."""
    changed = here[ZERO] ^ board
    for symmetry in range(geometry.symmetry_count):
        there[np.uint64(symmetry)] = here[np.uint64(symmetry)]
    while changed != ZERO:
        bit = lowest(changed)
        changed ^= bit
        number = index_of(bit)
        for symmetry in range(geometry.symmetry_count):
            there[np.uint64(symmetry)] ^= geometry.images[number, np.uint64(symmetry)]


@inline_kernel
def neighbors(geometry, points):
    """Return the points adjacent to a set; they may include points of the set."""
    columns = geometry.columns
    across = ((points << ONE) & geometry.not_first) | ((points >> ONE) & geometry.not_last)
    return (across | (points << columns) | (points >> columns)) & geometry.full


@inline_kernel
def flood(geometry, seed, within):
    """Return the points of `within` connected to `seed`, a subset of it."""
    reached = seed
    while True:
        wider = reached | (neighbors(geometry, reached) & within)
        if wider == reached:
            return reached
        reached = wider


@inline_kernel
def stones_of(board, side):
    """Return the stones of a side: 0 Black, 1 White."""
    return (board >> (HALF * np.uint64(side))) & LOW_HALF


@inline_kernel
def own_first(board, side):
    """Return the board with the stones of `side` in the low half."""
    if side == 0:
        return board
    return (board >> HALF) | (board << HALF)


@inline_kernel
def _captured_by(geometry, stone, own, other):
    """Return the opponent's stones that lose their last liberty to `stone`."""
    empty = geometry.full & ~(own | other | stone)
    captured = ZERO
    left = neighbors(geometry, stone) & other
    while left != ZERO:
        chain = flood(geometry, lowest(left), other)
        left &= ~chain
        if neighbors(geometry, chain) & empty == ZERO:
            captured |= chain
    return captured


@inline_kernel
def _has_liberty(geometry, stone, own, other):
    """Return whether the chain of a new stone has a liberty."""
    empty = geometry.full & ~(own | other | stone)
    if neighbors(geometry, stone) & empty != ZERO:
        return True
    chain = flood(geometry, stone, own | stone)
    return neighbors(geometry, chain) & empty != ZERO


@inline_kernel
def after(geometry, board, side, stone):
    """Return the board after a move on an empty point, or 0 for suicide."""
    own, other = stones_of(board, side), stones_of(board, 1 - side)
    captured = _captured_by(geometry, stone, own, other)
    if captured == ZERO and not _has_liberty(geometry, stone, own, other):
        return ZERO
    mover = HALF * np.uint64(side)
    return (board | (stone << mover)) & ~(captured << (HALF - mover))


@inline_kernel
def repeated_at(path, board, before):
    """Return the last ply below `before` with this board, or -1."""
    ply = before
    while ply > 0:
        ply -= 1
        if path[np.uintp(ply), ZERO] == board:
            return ply
    return -1
