"""The heavy playout: answers near the last move first, then a uniform move.

Whoever wants to see a rule at work: `Rule` names them, `PlayoutMemory.rules` counts how often each
chose.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import (
    BLACK,
    COLOUR,
    COLOURS,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    LAST,
    PASS,
    PASSES,
    POINTS,
    PRISONERS,
    TO_PLAY,
    WHITE,
)
from tengen.board.kernels.stones import play
from tengen.core.compiler import inline_kernel, kernel
from tengen.playout.kernels.answers import (
    MOST_ANSWERS,
    atari_answers,
    nakade_answers,
    pattern_answer,
    two_liberty_answers,
)
from tengen.playout.kernels.light import playable, set_aside
from tengen.playout.kernels.random import next_random, random_below
from tengen.playout.kernels.selfatari import is_bad_self_atari
from tengen.playout.kernels.shape import shape_answer

ONE = np.uintp(1)

# The numbers of `tengen.playout.policy.Rule`, which are also the places of the thresholds.
REPLY, ATARI, NAKADE, TWO_LIBERTIES, SHAPE, PATTERN = (np.uintp(n) for n in range(6))
UNIFORM, PASSED = np.uintp(6), np.uintp(7)
AVOID_SELF_ATARI = np.uintp(6)
RULES = 8

SCRATCH = MOST_ANSWERS + 8
"""Cells of scratch memory: the list of answers, then six for a region."""
LONGEST = 2048
"""No playout is longer: three times the largest board, and some."""


class PlayoutMemory(NamedTuple):
    """What a thread needs to play playouts, so that nothing is allocated while they run."""

    random: np.ndarray  # uint64 [1]: the state of the random numbers
    replies: np.ndarray  # uint32 [3 * POINTS]: last good reply, by colour and last move
    scratch: np.ndarray  # uint32 [SCRATCH]
    first_by: np.ndarray  # uint8 [POINTS]: who played a point first, for RAVE
    record: np.ndarray  # uint32 [LONGEST]: the moves of the playout
    rules: np.ndarray  # int64 [RULES]: how often each rule chose the move
    odds: np.ndarray  # uint32 [PATTERN_CODES]: for `shape_answer`, the same for all; or NO_ODDS


NO_ODDS = np.zeros(0, dtype=np.uint32)
"""Without a table of odds, the rule SHAPE finds no move."""


def new_playout_memory(seed: int, odds: np.ndarray = NO_ODDS) -> PlayoutMemory:
    """Return memory for one thread."""
    points = int(POINTS)
    return PlayoutMemory(
        np.array([seed], dtype=np.uint64),
        np.zeros(int(COLOURS) * points, dtype=np.uint32),
        np.zeros(SCRATCH, dtype=np.uint32),
        np.zeros(points, dtype=np.uint8),
        np.zeros(LONGEST, dtype=np.uint32),
        np.zeros(RULES, dtype=np.int64),
        odds,
    )


@inline_kernel
def _wants(random, policy, rule):
    """Draw whether a rule is tried this time."""
    return next_random(random) < policy[rule]


@kernel
def _sound_uniform_move(block, random, policy):
    """Return a uniformly drawn playable move that throws no stones away, else PASS."""
    colour = np.uintp(block[TO_PLAY])
    left = np.uintp(block[EMPTIES])
    while left > np.uintp(0):
        place = np.uintp(random_below(random, left))
        point = np.uintp(block[EMPTY_LIST + place])
        if playable(block, point, colour):
            careless = not _wants(random, policy, AVOID_SELF_ATARI)
            if careless or not is_bad_self_atari(block, point, colour):
                return point
        left -= ONE
        set_aside(block, place, left)
    return PASS


@inline_kernel
def _one_of(moves, count, random):
    """Return one of the first `count` moves."""
    return np.uintp(moves[random_below(random, count)])


@inline_kernel
def _good_reply(block, replies, colour, last):
    """Return the stored reply of `colour` to `last` if it can be played, else PASS."""
    point = np.uintp(replies[colour * POINTS + last])
    if point != PASS and block[COLOUR + point] == EMPTY and playable(block, point, colour):
        return point
    return PASS


@inline_kernel
def heavy_move(block, policy, memory):
    """Return the move a heavy playout makes and the rule that chose it.

    `policy` are the thresholds of `Policy`.
    """
    random, scratch = memory.random, memory.scratch
    colour = np.uintp(block[TO_PLAY])
    last = np.uintp(block[LAST])
    if last != PASS:
        if policy[REPLY] > np.uint64(0) and _wants(random, policy, REPLY):
            point = _good_reply(block, memory.replies, colour, last)
            if point != PASS:
                return point, REPLY
        if _wants(random, policy, ATARI):
            count = atari_answers(block, last, colour, scratch)
            if count > np.uintp(0):
                return _one_of(scratch, count, random), ATARI
        if _wants(random, policy, NAKADE):
            count = nakade_answers(block, last, colour, scratch, scratch[MOST_ANSWERS:])
            if count > np.uintp(0):
                return _one_of(scratch, count, random), NAKADE
        if _wants(random, policy, TWO_LIBERTIES):
            count = two_liberty_answers(block, last, colour, scratch)
            if count > np.uintp(0):
                return _one_of(scratch, count, random), TWO_LIBERTIES
        if policy[SHAPE] > np.uint64(0) and _wants(random, policy, SHAPE):
            point = shape_answer(block, last, colour, random, memory.odds, scratch)
            if point != PASS:
                return point, SHAPE
        if _wants(random, policy, PATTERN):
            point = pattern_answer(block, last, colour, random, scratch)
            if point != PASS:
                return point, PATTERN
    point = _sound_uniform_move(block, random, policy)
    return point, UNIFORM if point != PASS else PASSED


@inline_kernel
def _prisoner_balance(block):
    """Return how many more white stones than black ones were captured in the game so far."""
    return np.int64(block[PRISONERS + WHITE]) - np.int64(block[PRISONERS + BLACK])


@kernel
def heavy_playout(block, policy, memory, mercy, longest):
    """Play until two passes, the mercy rule or `longest` moves; return the number of moves.

    `memory.first_by[point]` becomes the first colour that played there, unless it is set
    already; `memory.record` holds the moves. A playout in which one side captures `mercy` stones
    more than the other is decided.
    """
    first_by, record = memory.first_by, memory.record
    balance = _prisoner_balance(block)
    length = np.uintp(0)
    while block[PASSES] < 2 and length < longest:
        colour = block[TO_PLAY]
        move, rule = heavy_move(block, policy, memory)
        play(block, move)
        memory.rules[rule] += 1
        record[length] = move
        length += ONE
        if move != PASS and first_by[move] == 0:
            first_by[move] = colour
        if abs(_prisoner_balance(block) - balance) > np.int64(mercy):
            break
    return length


@kernel
def learn_replies(memory, first_colour, previous, length, winner):
    """Keep the winner's replies of the last playout and forget the loser's.

    `previous` is the move before the playout, `first_colour` who moved first in it. H. Baier and
    P. Drake, The Power of Forgetting (2010).
    """
    colour = np.uintp(first_colour)
    last = np.uintp(previous)
    for index in range(length):
        move = np.uintp(memory.record[index])
        if last != PASS and move != PASS:
            place = colour * POINTS + last
            if colour == winner:
                memory.replies[place] = move
            elif memory.replies[place] == move:
                memory.replies[place] = PASS
        last = move
        colour = COLOURS - colour
