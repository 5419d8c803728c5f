"""Moves on a board of bits: captures, legality, repetition."""

import numpy as np

from tengen.core.compiler import inline_kernel
from tengen.solver.kernels.bits import beside, flood, lowest
from tengen.solver.kernels.memory import FULL, HALF, LOW_HALF, PATH, SYMMETRIES, ZERO

_STRIDE = np.uint64(SYMMETRIES)


@inline_kernel
def stones_of(board, side):
    """Return the stones of a side: 0 Black, 1 White."""
    return (board >> (HALF * np.uint64(side))) & LOW_HALF


@inline_kernel
def turned(board, side):
    """Return the board with `side` in the low half: own stones, then the opponent's."""
    if side == 0:
        return board
    return (board >> HALF) | (board << HALF)


@inline_kernel
def captured_by(words, stone, own, other):
    """Return the opponent's stones that lose their last liberty when `stone` is put."""
    empty = words[FULL] & ~(own | other | stone)
    captured = ZERO
    left = beside(words, stone) & other
    while left != ZERO:
        chain = flood(words, lowest(left), other)
        left &= ~chain
        if beside(words, chain) & empty == ZERO:
            captured |= chain
    return captured


@inline_kernel
def has_liberty(words, stone, own, other):
    """Tell whether the chain of a stone just put has a liberty."""
    empty = words[FULL] & ~(own | other | stone)
    if beside(words, stone) & empty != ZERO:
        return True
    chain = flood(words, stone, own | stone)
    return beside(words, chain) & empty != ZERO


@inline_kernel
def after(words, board, side, stone):
    """Return the board after a move on an empty point, or 0 if that is suicide."""
    own, other = stones_of(board, side), stones_of(board, 1 - side)
    captured = captured_by(words, stone, own, other)
    if captured == ZERO and not has_liberty(words, stone, own, other):
        return ZERO
    mover = HALF * np.uint64(side)
    return (board | (stone << mover)) & ~(captured << (HALF - mover))


@inline_kernel
def repeated_at(words, board, before):
    """Return the last ply below `before` with that board, or -1."""
    ply = before
    while ply > 0:
        ply -= 1
        if words[PATH + np.uint64(ply) * _STRIDE] == board:
            return ply
    return -1
