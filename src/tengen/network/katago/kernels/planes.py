"""KataGo's input planes, version 7 of its features."""

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    CELLS,
    COLOUR,
    COLOURS,
    COLUMNS,
    DOWN,
    EMPTIES,
    EMPTY,
    EMPTY_LIST,
    KO,
    LEFT,
    NOWHERE,
    PASS,
    POINTS,
    RIGHT,
    ROWS,
    STRIDE,
    TO_PLAY,
    UP,
)
from tengen.board.kernels.legality import SIMPLE_KO, is_legal
from tengen.board.kernels.liberties import find_liberties
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import is_suicide
from tengen.core.compiler import allocating_kernel, kernel
from tengen.network.katago.kernels.ladders import mark_ladders
from tengen.network.katago.kernels.territory import final_owners

ONE = np.uintp(1)
MOST_LIBERTIES = np.uintp(4)
"""As many are looked for; chains of so many and more are not marked."""

# The planes, by number.
ON_BOARD, OWN, OPPONENT = np.uintp(0), np.uintp(1), np.uintp(2)
ONE_LIBERTY = np.uintp(3)
"""Then two and three."""
FORBIDDEN = np.uintp(6)
LAST_MOVE = np.uintp(9)
"""Then the four before it."""
LADDER = np.uintp(14)
"""Then one and two moves ago."""
LADDER_START = np.uintp(17)
OWN_AREA, OPPONENT_AREA = np.uintp(18), np.uintp(19)


@kernel
def recent_boards(block, colours, moves, boards):
    """Play legal moves from `block` on; write the last three boards, the newest first.

    Where there are fewer, the first fills the rest.
    """
    now, before, earlier = boards[np.uintp(0)], boards[np.uintp(1)], boards[np.uintp(2)]
    copy_block(block, now)
    copy_block(block, before)
    copy_block(block, earlier)
    count = np.uintp(len(moves))
    for index in range(count):
        if index + np.uintp(2) >= count:
            copy_block(before, earlier)
            copy_block(now, before)
        if now[TO_PLAY] != colours[index]:
            now[TO_PLAY] = colours[index]
            now[KO] = NOWHERE
        play(now, np.uintp(moves[index]))


@kernel
def _set(planes, plane, point, columns):
    """Set a point of a plane; planes are flat."""
    row, column = point // STRIDE - ONE, point % STRIDE - ONE
    planes[plane, row * columns + column] = 1.0


@kernel
def _write_stones(block, liberties, planes):
    own, columns = block[TO_PLAY], np.uintp(block[COLUMNS])
    for row in range(np.uintp(block[ROWS])):
        for column in range(columns):
            point = (row + ONE) * STRIDE + column + ONE
            place = row * columns + column
            planes[ON_BOARD, place] = 1.0
            if block[COLOUR + point] == EMPTY:
                continue
            planes[OWN if block[COLOUR + point] == own else OPPONENT, place] = 1.0
            count = find_liberties(block, point, MOST_LIBERTIES, liberties)
            if count < MOST_LIBERTIES:
                planes[ONE_LIBERTY + count - ONE, place] = 1.0


@kernel
def _is_lone(block, point, colour):
    """Tell whether no stone of `colour` stands beside a point."""
    for offset in (UP, LEFT, RIGHT, DOWN):
        if block[COLOUR + point + offset] == colour:
            return False
    return True


@kernel
def _is_banned(block, point, ko_rule, suicide_allowed, history, known):
    """Tell whether an empty point is forbidden as a repetition, not as a suicide.

    The suicide of a single stone counts as a suicide, though what it does is to repeat.
    """
    if block[KO] == point:
        return True
    if ko_rule == SIMPLE_KO or is_legal(block, point, ko_rule, suicide_allowed, history, known):
        return False
    own = np.uintp(block[TO_PLAY])
    if is_suicide(block, point, own):
        return suicide_allowed and not _is_lone(block, point, own)
    return True


@kernel
def _write_banned(block, ko_rule, suicide_allowed, history, known, planes):
    columns = np.uintp(block[COLUMNS])
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if _is_banned(block, point, ko_rule, suicide_allowed, history, known):
            _set(planes, FORBIDDEN, point, columns)


@kernel
def _write_marks(marks, value, plane, columns, planes):
    """Set the points of a plane where `marks`, a byte a padded point, has a value."""
    for point in range(POINTS):
        if marks[point] == value:
            _set(planes, plane, point, columns)


@allocating_kernel
def write_planes(
    boards, moves, turns, ko_rule, suicide_allowed, history, known, by_area, ladder_boards, planes
):
    """Write the planes (22, rows * columns) of a position, zero before.

    `boards` are those of `recent_boards`, `moves` the last moves, the newest first, of which
    `turns` are shown. `history` and `known` are what `is_legal` wants, `ladder_boards` its memory
    of ladder reading. Owners are shown if the game is scored `by_area`.
    """
    block = boards[np.uintp(0)]
    own, columns = np.uintp(block[TO_PLAY]), np.uintp(block[COLUMNS])
    _write_stones(block, np.empty(MOST_LIBERTIES, dtype=np.uint32), planes)
    _write_banned(block, ko_rule, suicide_allowed, history, known, planes)
    for turn in range(turns):
        if moves[turn] != PASS:
            _set(planes, LAST_MOVE + turn, np.uintp(moves[turn]), columns)
    after = np.empty(CELLS, dtype=np.uint32)
    for ago in range(np.uintp(3)):
        caught = np.zeros(POINTS, dtype=np.uint8)
        attacks = np.zeros(POINTS, dtype=np.uint8)
        mark_ladders(boards[min(ago, turns)], own, after, ladder_boards, caught, attacks)
        _write_marks(caught, ONE, LADDER + ago, columns, planes)
        if ago == np.uintp(0):
            _write_marks(attacks, ONE, LADDER_START, columns, planes)
    if by_area:
        owners = np.zeros(POINTS, dtype=np.uint8)
        final_owners(block, owners)
        _write_marks(owners, own, OWN_AREA, columns, planes)
        _write_marks(owners, COLOURS - own, OPPONENT_AREA, columns, planes)
