"""KataGo's input planes, version 7 of its features.

As in KataGo, kos do not decide ladders: a ko capture gains nothing.
"""

import numpy as np

from tengen.board.kernels.area import area_owners, unconditional_life
from tengen.board.kernels.block import copy_block
from tengen.board.kernels.ladder import read_ladder
from tengen.board.kernels.layout import (
    BLACK,
    CELLS,
    COLOR,
    COLORS,
    COLUMNS,
    DOWN,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    HEAD,
    KO,
    LEFT,
    NEXT,
    NOWHERE,
    PASS,
    POINTS,
    RIGHT,
    ROWS,
    STONES,
    STRIDE,
    TO_PLAY,
    UP,
    WALL,
    WHITE,
)
from tengen.board.kernels.legality import SIMPLE_KO, is_legal
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import find_liberties, is_suicide, two_liberties
from tengen.util.compiler import allocating_kernel, kernel

ONE, TWO = np.uintp(1), np.uintp(2)
MAX_LIBERTIES = np.uintp(4)
"""Liberties are counted up to this; chains with as many are not marked."""

# Indices of the planes.
ON_BOARD, OWN, OPPONENT = np.uintp(0), np.uintp(1), np.uintp(2)
ONE_LIBERTY = np.uintp(3)  # 4: two liberties, 5: three
FORBIDDEN = np.uintp(6)
LAST_MOVE = np.uintp(9)  # 10 to 13: the four moves before it
LADDER = np.uintp(14)  # 15, 16: one and two moves ago
LADDER_START = np.uintp(17)
OWN_AREA, OPPONENT_AREA = np.uintp(18), np.uintp(19)


@kernel
def _works(block, stone, point, after, boards):
    """Return whether attacking a chain with two liberties at `point` captures it in a ladder.

    `after` is a scratch board.
    """
    owner = np.uintp(block[COLOR + stone])
    if block[KO] == point or is_suicide(block, point, COLORS - owner):
        return False
    copy_block(block, after)
    after[TO_PLAY] = COLORS - owner
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
    """Return whether a chain is captured in a ladder; mark moves of `attacker` that start it.

    A chain in atari is caught if it cannot escape, one with two liberties if an attack works.
    """
    owner = np.uintp(block[COLOR + stone])
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
    """Mark stones that are captured in a ladder and the moves of `attacker` that start one.

    `caught` and `attacks` have one byte per padded point and start zeroed. `after` (a board) and
    `boards` (from `new_ladder_boards`) are scratch memory.
    """
    for point in range(POINTS):
        color = block[COLOR + point]
        if color != EMPTY and color != WALL and block[HEAD + point] == point:
            if _is_caught(block, point, attacker, after, boards, attacks):
                _mark_chain(block, point, caught)


@kernel
def _walk_region(block, color, alive, start, seen, stack):
    """Write the points of the region around `start` enclosed by `color` into `stack`.

    Return their number and whether the region is safe territory: all surrounding chains are alive,
    and at most one point touches none of them, so nothing can live inside.
    """
    safe, inner = True, np.uintp(0)
    done, count = np.uintp(0), ONE
    stack[0] = start
    seen[start] = 1
    while done < count:
        point = np.uintp(stack[done])
        done += ONE
        touches = False
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = point + offset
            neighbor_color = block[COLOR + neighbor]
            if neighbor_color == color:
                touches = True
                safe &= alive[neighbor] != 0
            elif neighbor_color != WALL and not seen[neighbor]:
                seen[neighbor] = 1
                stack[count] = neighbor
                count += ONE
        inner += np.uintp(not touches)
    return count, safe and inner <= ONE


@allocating_kernel
def final_owners(block, owners):
    """Write the owner of each padded point: 0 none, 1 Black, 2 White (uint8).

    Tromp-Taylor area, except that stones inside the opponent's safe territory are dead.
    """
    area_owners(block, owners)
    alive = np.zeros(POINTS, dtype=np.uint8)
    stack = np.empty(POINTS, dtype=np.uint32)
    for color in (BLACK, WHITE):
        if unconditional_life(block, color, alive) == 0:
            continue
        seen = np.zeros(POINTS, dtype=np.uint8)
        for point in range(POINTS):
            point_color = block[COLOR + point]
            if point_color == color or point_color == WALL or seen[point]:
                continue
            count, held = _walk_region(block, color, alive, point, seen, stack)
            if held:
                for place in range(count):
                    owners[stack[place]] = color


@kernel
def recent_boards(block, colors, moves, boards):
    """Play legal moves from `block`; write the last three boards, the newest first.

    If there are fewer, the first one is repeated.
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
        if now[TO_PLAY] != colors[index]:
            now[TO_PLAY] = colors[index]
            now[KO] = NOWHERE
        play(now, np.uintp(moves[index]))


@kernel
def _set(planes, plane, point, columns):
    """Set a point of a flat plane."""
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
            if block[COLOR + point] == EMPTY:
                continue
            planes[OWN if block[COLOR + point] == own else OPPONENT, place] = 1.0
            count = find_liberties(block, point, MAX_LIBERTIES, liberties)
            if count < MAX_LIBERTIES:
                planes[ONE_LIBERTY + count - ONE, place] = 1.0


@kernel
def _has_no_neighbor(block, point, color):
    """Return whether no stone of `color` is adjacent to a point."""
    for offset in (UP, LEFT, RIGHT, DOWN):
        if block[COLOR + point + offset] == color:
            return False
    return True


@kernel
def _is_banned(block, point, ko_rule, suicide_allowed, history, known):
    """Return whether an empty point is forbidden as a repetition rather than as suicide.

    Single-stone suicide counts as suicide, although its effect is a repetition.
    """
    if block[KO] == point:
        return True
    if ko_rule == SIMPLE_KO or is_legal(block, point, ko_rule, suicide_allowed, history, known):
        return False
    own = np.uintp(block[TO_PLAY])
    if is_suicide(block, point, own):
        return suicide_allowed and not _has_no_neighbor(block, point, own)
    return True


@kernel
def _write_banned(block, ko_rule, suicide_allowed, history, known, planes):
    columns = np.uintp(block[COLUMNS])
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if _is_banned(block, point, ko_rule, suicide_allowed, history, known):
            _set(planes, FORBIDDEN, point, columns)


@kernel
def _write_marks(marks, value, plane, columns, planes):
    """Set the points of a plane where `marks` (one byte per padded point) equals `value`."""
    for point in range(POINTS):
        if marks[point] == value:
            _set(planes, plane, point, columns)


@allocating_kernel
def write_planes(
    boards, moves, turns, ko_rule, suicide_allowed, history, known, by_area, ladder_boards, planes
):
    """Write the planes (22, rows * columns) of a position; they must be zero before.

    `boards` come from `recent_boards`; `moves` are the last moves, the newest first, of which the
    first `turns` are shown. `history` and `known` are arguments of `is_legal`, `ladder_boards` is
    its scratch memory. Area planes are written only if `by_area`, that is under area scoring.
    """
    block = boards[np.uintp(0)]
    own, columns = np.uintp(block[TO_PLAY]), np.uintp(block[COLUMNS])
    _write_stones(block, np.empty(MAX_LIBERTIES, dtype=np.uint32), planes)
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
        _write_marks(owners, COLORS - own, OPPONENT_AREA, columns, planes)
