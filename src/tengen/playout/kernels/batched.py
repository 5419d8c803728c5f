"""Light playouts on a batch of 64 boards with SIMD instructions.

The moves are those of `light`: uniformly random, no filling of own eyes, no suicide, simple ko.

A row of a board is a 16-bit integer with one bit per point, and equal rows of all boards are
adjacent in memory, so that one instruction processes the row of all boards (`tengen.util.lanes`).
A *plane* holds such bitmaps of all rows, with an empty row above and below. Each board plays its
own game, but all boards move in lockstep.

Chains are not tracked. A flood fill from the empty points finds the stones with liberties after
every move; it has no branches, so for 64 boards it is cheaper than maintaining chains. On boards
where the drawn move is suicide, the move is rejected and another one is drawn in the next step.

A *start* is a position converted to bitmap rows. A run places starts on all boards, steps until
some games are over, collects their results and places new starts on those boards. Boards without
a start are idle: they keep playing, but their results are ignored.
"""

from typing import NamedTuple

import numpy as np

from tengen.board.kernels.layout import (
    COLOR,
    COLUMNS,
    EMPTY,
    KO,
    MAX_SIZE,
    RIGHT,
    ROWS,
    STRIDE,
    TO_PLAY,
)
from tengen.util.compiler import inline_kernel, kernel
from tengen.util.lanes import (
    VECTOR_BITS,
    any_nonzero,
    broadcast,
    equal,
    lane_mask,
    less_than,
    load,
    lowest_set_bit,
    multiply_high,
    not_equal,
    popcounts,
    random_lanes,
    store,
)

_u = np.uintp
ZERO, ONE, TWO = _u(0), _u(1), _u(2)

ROW_BITS = 16
MAX_COLUMNS = ROW_BITS
LANES = _u(VECTOR_BITS // ROW_BITS)
ALL_BOARDS = np.uint64(2 ** int(LANES) - 1)
"""Sets of boards are bit masks."""
GENERATORS = VECTOR_BITS // 64
PLANE_ROWS = MAX_SIZE + 2
_PLANE = _u(PLANE_ROWS) * LANES

OWN, OTHER = _u(0), _PLANE
"""Stones of the side to move and of the opponent."""
BANNED = _u(2) * _PLANE
"""Forbidden points: the ko, and moves rejected in this turn."""
FREE = _u(3) * _PLANE
"""Empty points, without the drawn move."""
MOVE = _u(4) * _PLANE
"""Playable points, then the drawn move."""
ALIVE = _u(5) * _PLANE
"""Stones known to have a liberty."""
ASKED = _u(6) * _PLANE
"""Stones whose liberties are in question; the flood fill ends when all are known."""
FRIENDS = _u(7) * _PLANE
"""Stones of the side to move on boards where the move may be suicide."""
_LAST = _u(8) * _PLANE
PASSES, LENGTH, TURN, OWN_AREA, OTHER_AREA = (_LAST + _u(n) * LANES for n in range(5))
"""One value per board: consecutive passes, moves so far, 1 if the side that moved first is not to
move, and the areas of both sides once a game is over."""
PLANES_CELLS = int(OTHER_AREA + LANES)

HALVES = (_u(8), _u(4), TWO, ONE)
"""Steps of the binary search for a bit in a row."""


class BoardBatch(NamedTuple):
    """A batch of boards with their random generators."""

    planes: np.ndarray  # uint16 [PLANES_CELLS]
    random: np.ndarray  # uint64 [GENERATORS]
    starts: np.ndarray  # int64 [LANES]: index of each board's start


def new_board_batch(seed: int) -> BoardBatch:
    """Allocate a batch of boards; use it for one board size only."""
    return BoardBatch(
        np.zeros(PLANES_CELLS, dtype=np.uint16),
        # Odd, hence not 0: xorshift would stay at 0.
        np.random.SeedSequence(seed).generate_state(GENERATORS, np.uint64) | np.uint64(1),
        np.zeros(int(LANES), dtype=np.int64),
    )


@inline_kernel
def _adjacent(planes, plane, at):
    """Return the points of a row that are adjacent to points of a plane."""
    row = load(planes, plane + at)
    above, under = load(planes, plane + at - LANES), load(planes, plane + at + LANES)
    return row << ONE | row >> ONE | above | under


@inline_kernel
def _find_free(planes, rows, full):
    """Write the empty points to FREE."""
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        stones = load(planes, OWN + at) | load(planes, OTHER + at)
        store(planes, FREE + at, ~stones & full)


@inline_kernel
def _false_eyes(planes, at, edge):
    """Return where the opponent has two diagonal points, or one at the edge of the board."""
    above, under = load(planes, OTHER + at - LANES), load(planes, OTHER + at + LANES)
    one, two, three, four = above << ONE, above >> ONE, under << ONE, under >> ONE
    multiple = one & two | three & four | (one | two) & (three | four)
    return multiple | (one | two | three | four) & edge


@inline_kernel
def _find_playable(planes, rows, full):
    """Write the playable points to MOVE (free, not banned, no own eye); return their numbers."""
    sides = ONE | (full + ONE) >> ONE
    count = broadcast(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        edge = full if (at == LANES) | (at == rows * LANES) else sides
        open_adjacent = _adjacent(planes, FREE, at) | _adjacent(planes, OTHER, at)
        allowed = load(planes, FREE + at) & ~load(planes, BANNED + at)
        playable = allowed & (open_adjacent | _false_eyes(planes, at, edge))
        store(planes, MOVE + at, playable)
        count = count + popcounts(playable)
    return count


@inline_kernel
def _random_below(planes, random, bound):
    """Return a random number below the bound of each lane, from 32 random bits as in `light`."""
    upper = random_lanes(planes, random)
    lower = multiply_high(random_lanes(planes, random), bound)
    carried = less_than(~(upper * bound), lower) & ONE
    return multiply_high(upper, bound) + carried


@inline_kernel
def _bit_at(planes, row, place):
    """Return the set bit of each lane that has `place` set bits below it."""
    shift = broadcast(planes, ZERO)
    for half in HALVES:
        count = popcounts(row >> shift & ((ONE << half) - ONE))
        is_above = ~less_than(place, count)
        place = place - (count & is_above)
        shift = shift + (is_above & half)
    return row & broadcast(planes, ONE) << shift


@inline_kernel
def _draw_move(planes, random, rows, full):
    """Draw one of the playable points into MOVE; return its row bits, 0 for boards that pass."""
    left = _random_below(planes, random, _find_playable(planes, rows, full))
    chosen = place = broadcast(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        playable = load(planes, MOVE + at)
        count = popcounts(playable)
        is_here = less_than(left, count)
        chosen, place = chosen | playable & is_here, place | left & is_here
        # After its row is found, `left` wraps around and stays above any count.
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
    """Extend ALIVE along a row, starting from the previous row.

    Return the alive stones of the row, the new ones, and those of ASKED that are not alive.
    """
    stones, alive = load(planes, whose + at), load(planes, ALIVE + at)
    known = alive & stones
    reached = known | stones & reached
    reached = reached | stones & (reached << ONE | reached >> ONE)
    store(planes, ALIVE + at, alive | reached)
    return reached, reached ^ known, load(planes, ASKED + at) & ~reached


@inline_kernel
def _sweep(planes, whose, rows, is_down):
    """Extend ALIVE along a plane in one pass; return new stones and ASKED that are not alive."""
    reached = found = left = broadcast(planes, ZERO)
    for done in range(rows):
        row = done + ONE if is_down else rows - done
        reached, new, missed = _flood_row(planes, whose, row * LANES, reached)
        found, left = found | new, left | missed
    return found, left


@inline_kernel
def _flood(planes, whose, rows):
    """Extend ALIVE along the stones of a plane; return the lanes where not all ASKED are alive.

    In these lanes ALIVE is complete: sweeps alternate between down and up, and a sweep that finds
    nothing new leaves nothing for the other direction. Other lanes may be incomplete.
    """
    _sweep(planes, whose, rows, True)
    is_down = False
    while True:
        found, left = _sweep(planes, whose, rows, is_down)
        is_left = not_equal(left, ZERO)
        if not any_nonzero(found & is_left):
            return is_left
        is_down = not is_down


@inline_kernel
def _find_alive(planes, rows):
    """Write the opponent's stones with a liberty after the move to ALIVE.

    Return the lanes with captures, the only ones where ALIVE is complete.
    """
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        other = load(planes, OTHER + at)
        store(planes, ALIVE + at, other & _adjacent(planes, FREE, at))
        store(planes, ASKED + at, other & _adjacent(planes, MOVE, at))
    return _flood(planes, OTHER, rows)


@inline_kernel
def _without_liberty(planes, rows, lanes):
    """Return the given lanes where the chain of the move has no liberty."""
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        move = load(planes, MOVE + at) & lanes
        friends = load(planes, OWN + at) & lanes | move
        store(planes, FRIENDS + at, friends)
        store(planes, ASKED + at, move)
        # ALIVE holds both colors: no point has stones of both.
        alive = load(planes, ALIVE + at) | friends & _adjacent(planes, FREE, at)
        store(planes, ALIVE + at, alive)
    return _flood(planes, FRIENDS, rows)


@inline_kernel
def _check_move(planes, rows, chosen, is_capture):
    """Return the lanes where the move is suicide, and those where it takes a ko."""
    taken = liberties = friends = open_friends = broadcast(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        near = _adjacent(planes, MOVE, at)
        near_friends = near & load(planes, OWN + at)
        taken = taken + popcounts(load(planes, OTHER + at) & ~load(planes, ALIVE + at))
        liberties = liberties | near & load(planes, FREE + at)
        friends = friends | near_friends
        open_friends = open_friends | near_friends & _adjacent(planes, FREE, at)
    is_ko = is_capture & equal(taken, ONE) & equal(liberties | friends, ZERO)
    is_suicide = not_equal(chosen, ZERO) & equal(liberties | open_friends, ZERO) & ~is_capture
    # A single stone is lost; friends without a free neighbor may belong to a chain with liberties.
    asked = is_suicide & not_equal(friends, ZERO)
    if any_nonzero(asked):
        is_suicide = is_suicide & ~asked | _without_liberty(planes, rows, asked)
    return is_suicide, is_ko


@inline_kernel
def _place_stones(planes, rows, is_rejected, is_capture, is_ko):
    """Play the moves that are not rejected and change sides there."""
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        move, own, other = load(planes, MOVE + at), load(planes, OWN + at), load(planes, OTHER + at)
        taken = other & ~load(planes, ALIVE + at) & is_capture
        rejected = (load(planes, BANNED + at) | move) & is_rejected
        store(planes, BANNED + at, rejected | taken & is_ko)
        own, other = own | move & ~is_rejected, other & ~taken
        exchanged = (own ^ other) & ~is_rejected
        store(planes, OWN + at, own ^ exchanged)
        store(planes, OTHER + at, other ^ exchanged)


@inline_kernel
def step(planes, random, rows, full, longest):
    """Play a move or pass on every board; return the set of boards whose game is over.

    `full` is the bitmap of a complete row. Boards whose move is rejected do not change.
    """
    _find_free(planes, rows, full)
    chosen = _draw_move(planes, random, rows, full)
    is_capture = _find_alive(planes, rows)
    is_rejected, is_ko = _check_move(planes, rows, chosen, is_capture)
    _place_stones(planes, rows, is_rejected, is_capture, is_ko)
    one_more = ~is_rejected & ONE
    passes = load(planes, PASSES)
    passes = passes & is_rejected | passes + ONE & equal(chosen, ZERO)
    length = load(planes, LENGTH) + one_more
    store(planes, PASSES, passes)
    store(planes, LENGTH, length)
    store(planes, TURN, load(planes, TURN) ^ one_more)
    return lane_mask(~less_than(passes, TWO) | ~less_than(length, longest))


@inline_kernel
def count_areas(planes, rows, full):
    """Write the areas of both sides, counted as at the end of a playout."""
    _find_free(planes, rows, full)
    own_area = other_area = broadcast(planes, ZERO)
    for at in range(LANES, (rows + ONE) * LANES, LANES):
        free, near_free = load(planes, FREE + at), _adjacent(planes, FREE, at)
        own_eyes = free & ~(near_free | _adjacent(planes, OTHER, at))
        other_eyes = free & ~(near_free | _adjacent(planes, OWN, at))
        own_area = own_area + popcounts(load(planes, OWN + at) | own_eyes)
        other_area = other_area + popcounts(load(planes, OTHER + at) | other_eyes)
    store(planes, OWN_AREA, own_area)
    store(planes, OTHER_AREA, other_area)


START_CELLS = 3 * PLANE_ROWS
"""Size of a start: the rows of OWN, OTHER and BANNED, which are consecutive planes."""


class BatchTerms(NamedTuple):
    """Settings shared by all playouts of a run."""

    rows: int
    columns: int
    black_moves_first: bool


@kernel
def write_start(block, starts, index):
    """Convert a position to the start `index`."""
    begin, own = index * _u(START_CELLS), block[TO_PLAY]
    starts[begin : begin + _u(START_CELLS)] = 0
    for row in range(_u(block[ROWS])):
        for column in range(_u(block[COLUMNS])):
            point = (row + ONE) * STRIDE + column + RIGHT
            color, bit = block[COLOR + point], ONE << column
            cell = begin + row + ONE
            if color != EMPTY:
                starts[cell if color == own else cell + _u(PLANE_ROWS)] |= bit
            elif point == block[KO]:
                starts[cell + TWO * _u(PLANE_ROWS)] |= bit


@inline_kernel
def place_start(boards, lane, starts, index, rows):
    """Place a start on a board."""
    planes, first = boards.planes, _u(index) * _u(START_CELLS)
    boards.starts[lane] = index
    planes[PASSES + lane] = planes[LENGTH + lane] = planes[TURN + lane] = ZERO
    for plane in range(ZERO, _u(START_CELLS), _u(PLANE_ROWS)):
        for cell in range(plane + ONE, plane + ONE + rows):
            planes[cell * LANES + lane] = starts[first + cell]


@inline_kernel
def play_until_over(boards, terms, idle):
    """Step until games are over on boards that are not idle; return the set of these boards."""
    rows, columns = _u(terms.rows), _u(terms.columns)
    full, longest = (ONE << columns) - ONE, _u(3) * rows * columns
    over = np.uint64(0)
    while over == np.uint64(0):
        over = step(boards.planes, boards.random, rows, full, longest) & ~idle
    count_areas(boards.planes, rows, full)
    return over


@inline_kernel
def black_area(boards, terms, lane):
    """Return Black's area minus White's on a board whose game is over."""
    planes = boards.planes
    area = np.int64(planes[OWN_AREA + lane]) - np.int64(planes[OTHER_AREA + lane])
    is_black = terms.black_moves_first == (planes[TURN + lane] == 0)
    return area if is_black else -area


@inline_kernel
def _fill_boards(boards, idle, starts, wanted, rows):
    """Place wanted starts on idle boards; return the set of boards that stay idle."""
    for index in range(wanted.size):
        while wanted[index] > 0 and idle != np.uint64(0):
            place_start(boards, _u(lowest_set_bit(idle)), starts, np.int64(index), rows)
            idle &= idle - np.uint64(1)
            wanted[index] -= 1
    return idle


@kernel
def run_batched_playouts(boards, starts, wanted, terms, results):
    """Play `wanted[n]` light playouts from start n, for all n; `wanted` is counted down to 0.

    Add Black's wins without komi, areas and moves to `results`, int64 [starts, 3], as
    `run_light_playouts` does.
    """
    idle = ALL_BOARDS
    while True:
        idle = _fill_boards(boards, idle, starts, wanted, _u(terms.rows))
        if idle == ALL_BOARDS:
            return
        over = play_until_over(boards, terms, idle)
        idle |= over
        while over != np.uint64(0):
            lane = _u(lowest_set_bit(over))
            over &= over - np.uint64(1)
            index, area = boards.starts[lane], black_area(boards, terms, lane)
            results[index, 0] += np.int64(area > 0)
            results[index, 1] += area
            results[index, 2] += np.int64(boards.planes[LENGTH + lane])
