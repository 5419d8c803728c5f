"""Ladder reading."""

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    CELLS,
    COLOR,
    COLORS,
    DOWN,
    HEAD,
    KO,
    LEFT,
    NEXT,
    NOWHERE,
    RIGHT,
    STONES,
    TO_PLAY,
    UP,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import (
    atari_point,
    contains,
    in_atari,
    is_eye_like,
    is_suicide,
    two_liberties,
)
from tengen.util.compiler import kernel

ONE = np.uintp(1)
LADDER_DEPTH = 256
"""Maximum depth in moves; a ladder across a 19x19 board takes about 140."""
MAX_REPLIES = 16
"""Number of defender replies that are tried."""
LADDER_SHAPE = (LADDER_DEPTH, int(CELLS) + MAX_REPLIES)
"""Shape of the scratch memory: one board per move, with room for the replies."""
LADDER_NODES = 2000
"""Maximum number of moves tried; beyond it the chain counts as safe."""


@kernel
def _may_play(block, point):
    """Return whether the side to move may play at an empty point (simple ko, no suicide)."""
    if block[KO] == point:
        return False
    return not is_suicide(block, point, np.uintp(block[TO_PLAY]))


@kernel
def _counter_captures(block, stone, points):
    """Write the moves that capture enemy chains adjacent to the chain; return their number."""
    enemy = COLORS - np.uintp(block[COLOR + stone])
    count = np.uintp(0)
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbor = current + offset
            if block[COLOR + neighbor] != enemy or count >= np.uintp(len(points)):
                continue
            head = np.uintp(block[HEAD + neighbor])
            if not in_atari(block, head):
                continue
            point = np.uintp(atari_point(block, head))
            if not contains(points, count, point):
                points[count] = point
                count += ONE
        current = np.uintp(block[NEXT + current])
    return count


@kernel
def _takes_ko(block, point, color):
    """Return whether an enemy move at the empty `point` captures one stone of `color` in a ko."""
    if not is_eye_like(block, point, color):
        return False
    taken = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        if block[COLOR + neighbor] == color:
            head = np.uintp(block[HEAD + neighbor])
            if in_atari(block, head):
                if block[STONES + head] != 1:
                    return False
                taken += ONE
    return taken == ONE


@kernel
def _dies_in_double_ko(block, stone, one, other, child, replies):
    """Return whether both liberties of a chain are kos and connecting either does not save it."""
    color = np.uintp(block[COLOR + stone])
    if not (_takes_ko(block, one, color) and _takes_ko(block, other, color)):
        return False
    for point in (one, other):
        copy_block(block, child)
        child[TO_PLAY] = color
        play(child, point)
        count, _, _ = two_liberties(child, point)
        if count >= np.uintp(3):
            return False
    return _counter_captures(block, stone, replies) == np.uintp(0)


@kernel
def _read(boards, depth, stone, nodes, ko_gains):
    """Return whether the chain at `stone` on boards[depth] is captured.

    With the attacker to move the chain has one or two liberties; with the defender to move it is
    in atari. `nodes` counts down; at zero, or at the last board, the chain counts as safe. Without
    `ko_gains`, capturing a ko does not help: the other side is assumed to retake it.
    """
    block = boards[depth]
    if nodes[0] == 0 or depth + np.uintp(2) >= np.uintp(boards.shape[0]):
        return False
    nodes[0] -= np.uint32(1)
    child = boards[depth + ONE]
    count, one, other = two_liberties(block, stone)
    if block[TO_PLAY] != block[COLOR + stone]:
        if count == ONE:
            return not ko_gains or _may_play(block, one)
        replies = boards[depth, CELLS:]
        if not ko_gains and _dies_in_double_ko(block, stone, one, other, child, replies):
            return True
        for point in (one, other):
            if not _may_play(block, point):
                continue
            copy_block(block, child)
            play(child, point)
            if in_atari(child, np.uintp(child[HEAD + stone])):
                if _read(boards, depth + ONE, stone, nodes, ko_gains):
                    return True
        return False
    if not ko_gains and block[KO] != NOWHERE:
        return False
    replies = boards[depth, CELLS:]
    replies[0] = one
    found = ONE + _counter_captures(block, stone, replies[1:])
    for index in range(found):
        point = np.uintp(replies[index])
        if not _may_play(block, point):
            continue
        copy_block(block, child)
        play(child, point)
        count, one, other = two_liberties(child, stone)
        if count >= np.uintp(3):
            return False
        if count == np.uintp(2) and not _read(boards, depth + ONE, stone, nodes, ko_gains):
            return False
    return True


def new_ladder_boards() -> np.ndarray:
    """Allocate the scratch memory for ladder reading."""
    return np.empty(LADDER_SHAPE, dtype=np.uint32)


@kernel
def is_ladder_captured(block, stone, mover, boards):
    """Return whether the chain at `stone` is captured in a ladder with `mover` to play.

    False for three or more liberties, and for two liberties when the owner moves first.
    """
    return read_ladder(block, stone, mover, boards, True)


@kernel
def read_ladder(block, stone, mover, boards, ko_gains):
    """Like `is_ladder_captured`; `ko_gains` is whether a ko capture may decide the ladder."""
    count, _, _ = two_liberties(block, stone)
    if count > np.uintp(2):
        return False
    if mover == np.uintp(block[COLOR + stone]) and count == np.uintp(2):
        return False
    copy_block(block, boards[np.uintp(0)])
    if boards[0, TO_PLAY] != mover:
        boards[0, TO_PLAY] = mover
        boards[0, KO] = 0
    nodes = boards[np.uintp(LADDER_DEPTH - 1)]  # the last row is not used as a board
    nodes[0] = LADDER_NODES
    return _read(boards, np.uintp(0), np.uintp(stone), nodes, ko_gains)
