"""Which chains can be captured in a ladder, and by which first moves.

As in KataGo, a ko decides no ladder: who takes it has gained nothing.
"""

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.ladder import read_ladder
from tengen.board.kernels.layout import (
    COLOUR,
    COLOURS,
    EMPTY,
    HEAD,
    KO,
    NEXT,
    NOWHERE,
    POINTS,
    STONES,
    TO_PLAY,
    WALL,
)
from tengen.board.kernels.liberties import two_liberties
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_suicide
from tengen.core.compiler import kernel

ONE, TWO = np.uintp(1), np.uintp(2)


@kernel
def _works(block, stone, point, after, boards):
    """Tell whether the attack on a chain of two liberties at `point` captures it in a ladder.

    `after` is a board to try it on.
    """
    owner = np.uintp(block[COLOUR + stone])
    if block[KO] == point or is_suicide(block, point, COLOURS - owner):
        return False
    copy_block(block, after)
    after[TO_PLAY] = COLOURS - owner
    play(after, point)
    after[KO] = NOWHERE
    return read_ladder(after, stone, owner, boards, False)


@kernel
def _mark_chain(block, stone, marks):
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        marks[current] = 1
        current = np.uintp(block[NEXT + current])


@kernel
def _is_caught(block, stone, attacker, after, boards, attacks):
    """Tell whether a chain is captured in a ladder; mark the moves of `attacker` that begin it.

    A chain in atari is caught if it cannot escape, one of two liberties if it can be attacked.
    """
    owner = np.uintp(block[COLOUR + stone])
    count, one, other = two_liberties(block, stone)
    if count == ONE:
        copy_block(block, after)
        after[KO] = NOWHERE
        return read_ladder(after, stone, owner, boards, False)
    if count > TWO:
        return False
    first = _works(block, stone, one, after, boards)
    second = _works(block, stone, other, after, boards)
    if owner != attacker:
        if first:
            attacks[one] = 1
        if second:
            attacks[other] = 1
    return first or second


@kernel
def mark_ladders(block, attacker, after, boards, caught, attacks):
    """Mark the stones that are captured in a ladder, and the moves of `attacker` that begin one.

    Both have one byte a padded point, zero before. `after` is a board and `boards` the memory of
    ladder reading (`new_ladder_boards`), both scratch.
    """
    for point in range(POINTS):
        colour = block[COLOUR + point]
        if colour != EMPTY and colour != WALL and block[HEAD + point] == point:
            if _is_caught(block, point, attacker, after, boards, attacks):
                _mark_chain(block, point, caught)
