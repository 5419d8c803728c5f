"""Light playouts on sixty-four boards at once.

A row of a board is one number of 16 bits, a bit a point, and the same row of all boards lies side
by side in memory, so that one instruction does the same to all of them (`core/lanes.py`). Each
board plays its own game; only that all of them draw a move at the same time.

Nothing is known of chains. Which stones have a liberty is found by a flood that begins beside the
empty points and runs along the stones: for one board that would be a waste, for sixty-four it is
cheaper than to keep count, since it has no branches. A move that turns out to be suicide is
refused: that board draws again while the others go on.

The moves are those of `light.py`: uniformly random, no filling of own eyes, no suicide, simple ko.
A plane is one such picture of all boards, with an empty row above and below:
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import MAX_SIZE
from tengen.core.compiler import inline_kernel
from tengen.core.lanes import (
    VECTOR_BITS,
    any_set,
    below,
    bit_counts,
    differ,
    high_products,
    in_all,
    load,
    random_lanes,
    same,
    set_of,
    store,
)

_u = np.uintp
ZERO, ONE, TWO = _u(0), _u(1), _u(2)

ROW_BITS = 16
WIDEST = ROW_BITS
"""Boards with more columns have no room in a row."""
LANES = _u(VECTOR_BITS // ROW_BITS)
ALL_BOARDS = np.uint64(2 ** int(LANES) - 1)
"""A set of boards is a number with a bit for each."""
GENERATORS = VECTOR_BITS // 64
PLANE_ROWS = MAX_SIZE + 2
_PLANE = _u(PLANE_ROWS) * LANES

OWN, OTHER = _u(0), _PLANE
"""The stones of the side to move, and of the opponent."""
BANNED = _u(2) * _PLANE
"""Where the side to move may not play: the ko, and moves refused on this turn."""
FREE = _u(3) * _PLANE
"""The empty points; once a move is drawn, without it."""
MOVE = _u(4) * _PLANE
"""The move, or all that it is drawn from."""
ALIVE = _u(5) * _PLANE
"""The stones known to have a liberty."""
ASKED = _u(6) * _PLANE
"""The stones for whose sake others are looked at: one wants to know whether they have a liberty."""
FRIENDS = _u(7) * _PLANE
"""The stones of the side to move, on boards where its own liberties are in doubt."""
_LAST = _u(8) * _PLANE
PASSES, LENGTH, TURN, OWN_AREA, OTHER_AREA = (_LAST + _u(n) * LANES for n in range(5))
"""One number a board: passes in a row, moves so far, 1 where the side that began is not to move;
and the areas of both sides, where a game is over."""
PLANES_CELLS = int(OTHER_AREA + LANES)

HALVES = (_u(8), _u(4), TWO, ONE)
"""By which the place of a bit in a row is found."""


class Boards(NamedTuple):
    """Sixty-four boards, and what they need to play."""

    planes: np.ndarray  # uint16 [PLANES_CELLS]
    random: np.ndarray  # uint64 [GENERATORS]
    starts: np.ndarray  # int64 [LANES]: the start that each plays from


def new_boards(seed: int) -> Boards:
    """Return empty boards, to be used for one size."""
    return Boards(
        np.zeros(PLANES_CELLS, dtype=np.uint16),
        # An odd number is not 0, where xorshift would stay.
        np.random.SeedSequence(seed).generate_state(GENERATORS, np.uint64) | np.uint64(1),
        np.zeros(int(LANES), dtype=np.int64),
    )


@inline_kernel
def _beside(planes, plane, at):
    """Return the points of a row that lie beside a point of a plane."""
    row = load(planes, plane + at)
    above, under = load(planes, plane + at - LANES), load(planes, plane + at + LANES)
    return row << ONE | row >> ONE | above | under


@inline_kernel
def _find_free(planes, rows, full):
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        stones = load(planes, OWN + at) | load(planes, OTHER + at)
        store(planes, FREE + at, ~stones & full)


@inline_kernel
def _false_eyes(planes, at, edge):
    """Return where the opponent holds two diagonal points, or one at the edge of the board."""
    above, under = load(planes, OTHER + at - LANES), load(planes, OTHER + at + LANES)
    one, two, three, four = above << ONE, above >> ONE, under << ONE, under >> ONE
    several = one & two | three & four | (one | two) & (three | four)
    return several | (one | two | three | four) & edge


@inline_kernel
def _find_playable(planes, rows, full):
    """Write to MOVE all that may be drawn: free, not banned, no own eye; return how many."""
    sides = ONE | (full + ONE) >> ONE
    count = in_all(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        edge = full if (at == LANES) | (at == rows * LANES) else sides
        open_beside = _beside(planes, FREE, at) | _beside(planes, OTHER, at)
        allowed = load(planes, FREE + at) & ~load(planes, BANNED + at)
        playable = allowed & (open_beside | _false_eyes(planes, at, edge))
        store(planes, MOVE + at, playable)
        count = count + bit_counts(playable)
    return count


@inline_kernel
def _random_below(planes, random, bound):
    """Return a random number below the bound of each lane: 32 bits of chance, as on one board."""
    upper = random_lanes(planes, random)
    lower = high_products(random_lanes(planes, random), bound)
    carried = below(~(upper * bound), lower) & ONE
    return high_products(upper, bound) + carried


@inline_kernel
def _bit_at(planes, row, place):
    """Return, of each lane, the set bit before which `place` others are set."""
    shift = in_all(planes, ZERO)
    for half in HALVES:
        count = bit_counts(row >> shift & ((ONE << half) - ONE))
        is_above = ~below(place, count)
        place = place - (count & is_above)
        shift = shift + (is_above & half)
    return row & in_all(planes, ONE) << shift


@inline_kernel
def _draw_move(planes, random, rows, full):
    """Leave in MOVE one of the playable points; return its row, 0 for boards that must pass."""
    left = _random_below(planes, random, _find_playable(planes, rows, full))
    chosen = place = in_all(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        playable = load(planes, MOVE + at)
        count = bit_counts(playable)
        is_here = below(left, count)
        chosen, place = chosen | playable & is_here, place | left & is_here
        # Past its row `left` wraps around, and stays far above any count.
        left = left - count
        store(planes, MOVE + at, is_here)
    chosen = _bit_at(planes, chosen, place)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        move = load(planes, MOVE + at) & chosen
        store(planes, MOVE + at, move)
        store(planes, FREE + at, load(planes, FREE + at) & ~move)
    return chosen


@inline_kernel
def _flood_row(planes, whose, at, reached):
    """Let ALIVE run along a row, from the row before.

    Return what is alive there, what of it is new, and what of ASKED is not alive.
    """
    stones, alive = load(planes, whose + at), load(planes, ALIVE + at)
    known = alive & stones
    reached = known | stones & reached
    reached = reached | stones & (reached << ONE | reached >> ONE)
    store(planes, ALIVE + at, alive | reached)
    return reached, reached ^ known, load(planes, ASKED + at) & ~reached


@inline_kernel
def _sweep(planes, whose, rows, is_down):
    """Let ALIVE run along the stones of a plane, row by row; return what is new, what is left."""
    reached = found = left = in_all(planes, ZERO)
    for done in range(rows):
        row = done + ONE if is_down else rows - done
        reached, new, missed = _flood_row(planes, whose, row * LANES, reached)
        found, left = found | new, left | missed
    return found, left


@inline_kernel
def _flood(planes, whose, rows):
    """Let ALIVE run along the stones of a plane; return in which lanes it never comes to all ASKED.

    In these lanes it is complete then: a sweep that finds nothing leaves the board as the sweep the
    other way had left it, so there is nothing to be found that way either. The other lanes are not
    waited for.
    """
    _sweep(planes, whose, rows, True)
    is_down = False
    while True:
        found, left = _sweep(planes, whose, rows, is_down)
        is_left = differ(left, ZERO)
        if not any_set(found & is_left):
            return is_left
        is_down = not is_down


@inline_kernel
def _find_alive(planes, rows):
    """Write to ALIVE the opponent's stones that have a liberty after the move.

    Return in which lanes some beside the move have none: only there it is complete.
    """
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        other = load(planes, OTHER + at)
        store(planes, ALIVE + at, other & _beside(planes, FREE, at))
        store(planes, ASKED + at, other & _beside(planes, MOVE, at))
    return _flood(planes, OTHER, rows)


@inline_kernel
def _without_liberty(planes, rows, lanes):
    """Tell for some lanes whether the chain of the move has no liberty."""
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        move = load(planes, MOVE + at) & lanes
        friends = load(planes, OWN + at) & lanes | move
        store(planes, FRIENDS + at, friends)
        store(planes, ASKED + at, move)
        # Both colours share the plane: no point has stones of both.
        alive = load(planes, ALIVE + at) | friends & _beside(planes, FREE, at)
        store(planes, ALIVE + at, alive)
    return _flood(planes, FRIENDS, rows)


@inline_kernel
def _judge_move(planes, rows, chosen, is_capture):
    """Return in which lanes the move is suicide, and in which it takes a ko."""
    taken = liberties = friends = saviours = in_all(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        near = _beside(planes, MOVE, at)
        near_friends = near & load(planes, OWN + at)
        taken = taken + bit_counts(load(planes, OTHER + at) & ~load(planes, ALIVE + at))
        liberties = liberties | near & load(planes, FREE + at)
        friends = friends | near_friends
        saviours = saviours | near_friends & _beside(planes, FREE, at)
    is_ko = is_capture & same(taken, ONE) & same(liberties | friends, ZERO)
    is_suicide = differ(chosen, ZERO) & same(liberties | saviours, ZERO) & ~is_capture
    # Alone it is lost; friends that touch no free point may belong to a chain that does.
    asked = is_suicide & differ(friends, ZERO)
    if any_set(asked):
        is_suicide = is_suicide & ~asked | _without_liberty(planes, rows, asked)
    return is_suicide, is_ko


@inline_kernel
def _put_stones(planes, rows, is_refused, is_capture, is_ko):
    """Play the moves that are not refused, and change sides there."""
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        move, own, other = load(planes, MOVE + at), load(planes, OWN + at), load(planes, OTHER + at)
        taken = other & ~load(planes, ALIVE + at) & is_capture
        refused = (load(planes, BANNED + at) | move) & is_refused
        store(planes, BANNED + at, refused | taken & is_ko)
        own, other = own | move & ~is_refused, other & ~taken
        exchanged = (own ^ other) & ~is_refused
        store(planes, OWN + at, own ^ exchanged)
        store(planes, OTHER + at, other ^ exchanged)


@inline_kernel
def step(planes, random, rows, full, longest):
    """Play a move, or pass, on every board; return a bit for each whose game is over.

    `full` is a row with all its points. A board whose move is refused stays as it is.
    """
    _find_free(planes, rows, full)
    chosen = _draw_move(planes, random, rows, full)
    is_capture = _find_alive(planes, rows)
    is_refused, is_ko = _judge_move(planes, rows, chosen, is_capture)
    _put_stones(planes, rows, is_refused, is_capture, is_ko)
    one_more = ~is_refused & ONE
    passes = load(planes, PASSES)
    passes = passes & is_refused | passes + ONE & same(chosen, ZERO)
    length = load(planes, LENGTH) + one_more
    store(planes, PASSES, passes)
    store(planes, LENGTH, length)
    store(planes, TURN, load(planes, TURN) ^ one_more)
    return set_of(~below(passes, TWO) | ~below(length, longest))


@inline_kernel
def count_areas(planes, rows, full):
    """Write down the areas of the side to move and of the opponent, as at the end of a playout."""
    _find_free(planes, rows, full)
    own_area = other_area = in_all(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        free, near_free = load(planes, FREE + at), _beside(planes, FREE, at)
        own_eyes = free & ~(near_free | _beside(planes, OTHER, at))
        other_eyes = free & ~(near_free | _beside(planes, OWN, at))
        own_area = own_area + bit_counts(load(planes, OWN + at) | own_eyes)
        other_area = other_area + bit_counts(load(planes, OTHER + at) | other_eyes)
    store(planes, OWN_AREA, own_area)
    store(planes, OTHER_AREA, other_area)
