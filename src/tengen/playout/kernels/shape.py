"""Answers by SHAPE (paper 004): a neighbour of the last move, drawn by the odds of its pattern.

The 3x3 square around a neighbour of the last move is read clockwise, beginning at the last move;
with it goes which of the four stones beside the point are in atari. That is 19 bits, an index into
a table of odds which somebody who knows patterns has made (`knowledge.shape.answer_odds`).
"""

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLOUR,
    DIAGONALS,
    DOWN,
    EMPTY,
    HEAD,
    KO,
    LEFT,
    PASS,
    RIGHT,
    UP,
    WALL,
)
from tengen.board.kernels.tactics import in_atari
from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.light import playable
from tengen.playout.kernels.patterns import swap_colours
from tengen.playout.kernels.random import random_below
from tengen.playout.kernels.selfatari import is_bad_self_atari

ONE = np.uintp(1)
CIRCLE = (UP, DIAGONALS[1], RIGHT, DIAGONALS[3], DOWN, DIAGONALS[2], LEFT, DIAGONALS[0])
"""The eight neighbours, clockwise. Even places lie beside the point, odd ones diagonally."""
PLACES, OPPOSITE, LAST_PLACE = np.uintp(8), np.uintp(4), np.uintp(7)

# The bits of a pattern's code: what lies at the other seven places, two bits each as for
# `patterns`, own stones as 1; then ataris; then whether the last move lies diagonally.
ATARIS = np.uintp(14)
DIAGONAL = np.uintp(18)
PATTERN_CODES = 1 << 19

ODDS_UNIT = 1024
"""The table holds odds in whole numbers: even odds are this."""


@inline_kernel
def _stones_around(block, point, colour):
    """Return what lies at the eight places, two bits each, own stones as 1."""
    code = np.uintp(0)
    for place in range(PLACES):
        code |= np.uintp(block[COLOUR + point + CIRCLE[place]]) << (place + place)
    return code if colour == BLACK else swap_colours(code)


@inline_kernel
def _ataris_beside(block, point):
    """Return which of the four points above, right, below and left hold a stone in atari."""
    ataris = np.uintp(0)
    for side in range(np.uintp(4)):
        neighbour = point + CIRCLE[side + side]
        beside = block[COLOUR + neighbour]
        if beside != EMPTY and beside != WALL:
            ataris |= np.uintp(in_atari(block, np.uintp(block[HEAD + neighbour]))) << side
    return ataris


@inline_kernel
def pattern_code(block, point, colour, start):
    """Return the code of the pattern around the empty `point`, read from place `start` on.

    There lies the last move, a stone of the opponent, which the code does not repeat.
    """
    turn = start + start
    stones = _stones_around(block, point, colour)
    stones = ((stones >> turn) | (stones << (np.uintp(16) - turn))) & np.uintp(0xFFFF)
    turn = (start + ONE) >> ONE
    ataris = _ataris_beside(block, point)
    ataris = ((ataris >> turn) | (ataris << (np.uintp(4) - turn))) & np.uintp(0xF)
    return (stones >> np.uintp(2)) | (ataris << ATARIS) | ((start & ONE) << DIAGONAL)


@inline_kernel
def _place_at(weights, share):
    """Return the place at which the weights, added up, exceed `share`."""
    place = np.uintp(0)
    while place < LAST_PLACE and share >= np.uintp(weights[place]):
        share -= np.uintp(weights[place])
        place += ONE
    return place


@kernel
def shape_answer(block, last, colour, random, odds, weights):
    """Return a neighbour of the last move, drawn in proportion to the odds of its pattern.

    Moves that are illegal, fill an own eye or throw stones away are refused; PASS if nothing is
    left, or if `odds` is no table of PATTERN_CODES numbers. `weights` is scratch memory.
    """
    if len(odds) != PATTERN_CODES:
        return PASS
    total = np.uintp(0)
    for place in range(PLACES):
        point = last + CIRCLE[place]
        weights[place] = 0
        if block[COLOUR + point] == EMPTY and point != block[KO]:
            start = (place + OPPOSITE) & LAST_PLACE
            weights[place] = odds[pattern_code(block, point, colour, start)]
            total += np.uintp(weights[place])
    # Refusing what was drawn, not what might be: those left keep their shares, and few are tested.
    while total > np.uintp(0):
        place = _place_at(weights, np.uintp(random_below(random, total)))
        point = last + CIRCLE[place]
        if playable(block, point, colour) and not is_bad_self_atari(block, point, colour):
            return point
        total -= np.uintp(weights[place])
        weights[place] = 0
    return PASS
