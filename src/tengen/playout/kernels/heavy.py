"""Heavy playouts: heuristic moves near the last move first, then uniformly random moves."""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    BLACK,
    COLOR,
    COLORS,
    COLUMNS,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    KO,
    LAST,
    NOWHERE,
    PASS,
    PASSES,
    POINTS,
    PRISONERS,
    ROWS,
    TO_PLAY,
    WALL,
    WHITE,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_eye_like
from tengen.playout.kernels.light import playable, swap_empty_points
from tengen.playout.kernels.local_moves import (
    MAX_MOVES,
    atari_moves,
    nakade_moves,
    pattern_move,
    two_liberty_moves,
)
from tengen.playout.kernels.patterns import shape_move
from tengen.playout.kernels.random import next_random, random_below
from tengen.playout.kernels.self_atari import is_bad_self_atari
from tengen.util.compiler import allocating_kernel, inline_kernel, kernel

ONE = np.uintp(1)

# Values of `tengen.playout.policy.PlayoutRule`, which are also the indices of the thresholds.
REPLY, ATARI, NAKADE, TWO_LIBERTIES, SHAPE, PATTERN = (np.uintp(n) for n in range(6))
UNIFORM, PASSED = np.uintp(6), np.uintp(7)
AVOID_SELF_ATARI = np.uintp(6)
RULES = 8

SCRATCH = MAX_MOVES + 8
"""Scratch memory cells: candidate moves, then six points of an eye space."""
MAX_LENGTH = 2048
"""Maximum number of moves; more than three times the largest board."""


class PlayoutMemory(NamedTuple):
    """Per-thread memory of playouts, allocated once."""

    random: np.ndarray  # uint64 [1]: random generator state
    replies: np.ndarray  # uint32 [3 * POINTS]: last good reply by color and previous move
    scratch: np.ndarray  # uint32 [SCRATCH]
    first_by: np.ndarray  # uint8 [POINTS]: color that first played a point, for RAVE
    record: np.ndarray  # uint32 [MAX_LENGTH]: moves of the playout
    rules: np.ndarray  # int64 [RULES]: number of moves chosen by each rule
    odds: np.ndarray  # uint32 [PATTERN_CODES], shared: table for `shape_move`, or NO_ODDS


NO_ODDS = np.zeros(0, dtype=np.uint32)
"""Empty table: the rule SHAPE finds no move."""


def new_playout_memory(seed: int, odds: np.ndarray = NO_ODDS) -> PlayoutMemory:
    """Allocate playout memory for one thread; `seed` must not be 0."""
    points = int(POINTS)
    return PlayoutMemory(
        np.array([seed], dtype=np.uint64),
        np.zeros(int(COLORS) * points, dtype=np.uint32),
        np.zeros(SCRATCH, dtype=np.uint32),
        np.zeros(points, dtype=np.uint8),
        np.zeros(MAX_LENGTH, dtype=np.uint32),
        np.zeros(RULES, dtype=np.int64),
        odds,
    )


@inline_kernel
def _draw(random, policy, rule):
    """Return whether to try a rule, at random with its probability."""
    return next_random(random) < policy[rule]


@kernel
def _uniform_move_without_blunders(block, random, policy):
    """Return a playable move drawn uniformly, avoiding bad self-ataris, or PASS."""
    color = np.uintp(block[TO_PLAY])
    left = np.uintp(block[EMPTY_COUNT])
    while left > np.uintp(0):
        place = np.uintp(random_below(random, left))
        point = np.uintp(block[EMPTY_LIST + place])
        if playable(block, point, color):
            skip_check = not _draw(random, policy, AVOID_SELF_ATARI)
            if skip_check or not is_bad_self_atari(block, point, color):
                return point
        left -= ONE
        swap_empty_points(block, place, left)
    return PASS


@inline_kernel
def _choose(moves, count, random):
    """Return a random one of the first `count` moves."""
    return np.uintp(moves[random_below(random, count)])


@inline_kernel
def _good_reply(block, replies, color, last):
    """Return the stored reply of `color` to `last` if it is playable, else PASS."""
    point = np.uintp(replies[color * POINTS + last])
    if point != PASS and block[COLOR + point] == EMPTY and playable(block, point, color):
        return point
    return PASS


@inline_kernel
def heavy_move(block, policy, memory):
    """Return the next playout move and the rule that chose it.

    `policy` is uint64 [7], the thresholds of `PlayoutPolicy`.
    """
    random, scratch = memory.random, memory.scratch
    color = np.uintp(block[TO_PLAY])
    last = np.uintp(block[LAST])
    if last != PASS:
        if policy[REPLY] > np.uint64(0) and _draw(random, policy, REPLY):
            point = _good_reply(block, memory.replies, color, last)
            if point != PASS:
                return point, REPLY
        if _draw(random, policy, ATARI):
            count = atari_moves(block, last, color, scratch)
            if count > np.uintp(0):
                return _choose(scratch, count, random), ATARI
        if _draw(random, policy, NAKADE):
            count = nakade_moves(block, last, color, scratch, scratch[MAX_MOVES:])
            if count > np.uintp(0):
                return _choose(scratch, count, random), NAKADE
        if _draw(random, policy, TWO_LIBERTIES):
            count = two_liberty_moves(block, last, color, scratch)
            if count > np.uintp(0):
                return _choose(scratch, count, random), TWO_LIBERTIES
        if policy[SHAPE] > np.uint64(0) and _draw(random, policy, SHAPE):
            point = shape_move(block, last, color, random, memory.odds, scratch)
            if point != PASS:
                return point, SHAPE
        if _draw(random, policy, PATTERN):
            point = pattern_move(block, last, color, random, scratch)
            if point != PASS:
                return point, PATTERN
    point = _uniform_move_without_blunders(block, random, policy)
    return point, UNIFORM if point != PASS else PASSED


@inline_kernel
def _prisoner_balance(block):
    """Return the number of captured white stones minus captured black ones."""
    return np.int64(block[PRISONERS + WHITE]) - np.int64(block[PRISONERS + BLACK])


@kernel
def heavy_playout(block, policy, memory, mercy, longest):
    """Play until two passes, the mercy rule or `longest` moves; return the number of moves.

    The mercy rule ends a playout when one side has captured over `mercy` stones more than the
    other. Moves are written to `memory.record`; `memory.first_by` is set where it is still 0.
    """
    first_by, record = memory.first_by, memory.record
    balance = _prisoner_balance(block)
    length = np.uintp(0)
    while block[PASSES] < 2 and length < longest:
        color = block[TO_PLAY]
        move, rule = heavy_move(block, policy, memory)
        play(block, move)
        memory.rules[rule] += 1
        record[length] = move
        length += ONE
        if move != PASS and first_by[move] == 0:
            first_by[move] = color
        if abs(_prisoner_balance(block) - balance) > np.int64(mercy):
            break
    return length


@kernel
def learn_replies(memory, first_color, previous, length, winner):
    """Store the winner's replies of the last playout and delete the loser's.

    `previous` is the move before the playout, `first_color` the side that moved first. H. Baier and
    P. Drake, The Power of Forgetting (2010).
    """
    color = np.uintp(first_color)
    last = np.uintp(previous)
    for index in range(length):
        move = np.uintp(memory.record[index])
        if last != PASS and move != PASS:
            place = color * POINTS + last
            if color == winner:
                memory.replies[place] = move
            elif memory.replies[place] == move:
                memory.replies[place] = PASS
        last = move
        color = COLORS - color


@kernel
def final_owner(block, point):
    """Return the owner of a point of a finished board, or 0."""
    color = np.uintp(block[COLOR + point])
    if color == EMPTY:
        if is_eye_like(block, point, BLACK):
            return BLACK
        if is_eye_like(block, point, WHITE):
            return WHITE
    return color


@kernel
def _add_owners(block, owned, vacant):
    """Add a finished board to the ownership and vacancy counts."""
    for point in range(POINTS):
        if block[COLOR + point] != WALL:
            owner = final_owner(block, point)
            owned[point] += np.int64(owner == BLACK) - np.int64(owner == WHITE)
            vacant[point] += np.int64(owner == EMPTY)


@allocating_kernel
def sum_ownership(start, first, policy, memory, count, owned, vacant):
    """Play `count` playouts in which `first` moves first, regardless of the side to move.

    For each final board add +1 (Black) or -1 (White) to `owned` and 1 to `vacant` for points
    without an owner. Both are int64 [POINTS].
    """
    block = np.empty_like(start)
    longest = np.uintp(3) * np.uintp(start[ROWS]) * np.uintp(start[COLUMNS])
    for _ in range(count):
        copy_block(start, block)
        block[TO_PLAY] = first
        block[PASSES] = 0
        block[KO] = NOWHERE
        heavy_playout(block, policy, memory, longest, longest)
        _add_owners(block, owned, vacant)
