"""Reading ladders."""

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.layout import (
    CELLS,
    COLOUR,
    COLOURS,
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
from tengen.board.kernels.liberties import contains, two_liberties
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import atari_point, in_atari, is_eye_like, is_suicide
from tengen.core.compiler import kernel

ONE = np.uintp(1)
LADDER_DEPTH = 256
"""A ladder across a 19x19 board takes about 140 moves; deeper reading calls it an escape."""
MOST_ANSWERS = 16
"""How many answers of a chased chain are tried."""
LADDER_SHAPE = (LADDER_DEPTH, int(CELLS) + MOST_ANSWERS)
"""The scratch memory of ladder reading: a board a move, with room for its answers."""
LADDER_NODES = 2000
"""How many moves one reading may try; beyond that it calls the chain safe."""


@kernel
def _may_play(block, point):
    """Tell whether the side to move may play at an empty point (simple ko, no suicide)."""
    if block[KO] == point:
        return False
    return not is_suicide(block, point, np.uintp(block[TO_PLAY]))


@kernel
def _counter_captures(block, stone, points):
    """Write the liberties of enemy chains in atari beside the chain, each once; return how many."""
    enemy = COLOURS - np.uintp(block[COLOUR + stone])
    count = np.uintp(0)
    current = np.uintp(stone)
    for _ in range(np.uintp(block[STONES + block[HEAD + stone]])):
        for offset in (UP, LEFT, RIGHT, DOWN):
            neighbour = current + offset
            if block[COLOUR + neighbour] != enemy or count >= np.uintp(len(points)):
                continue
            head = np.uintp(block[HEAD + neighbour])
            if not in_atari(block, head):
                continue
            point = np.uintp(atari_point(block, head))
            if not contains(points, count, point):
                points[count] = point
                count += ONE
        current = np.uintp(block[NEXT + current])
    return count


@kernel
def _takes_ko(block, point, colour):
    """Tell whether an enemy's stone at the empty `point` takes one stone of `colour` in a ko."""
    if not is_eye_like(block, point, colour):
        return False
    taken = np.uintp(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        if block[COLOUR + neighbour] == colour:
            head = np.uintp(block[HEAD + neighbour])
            if in_atari(block, head):
                if block[STONES + head] != 1:
                    return False
                taken += ONE
    return taken == ONE


@kernel
def _dies_in_double_ko(block, stone, one, other, child, answers):
    """Tell whether a chain's two liberties are kos that do not help it, whichever it connects."""
    colour = np.uintp(block[COLOUR + stone])
    if not (_takes_ko(block, one, colour) and _takes_ko(block, other, colour)):
        return False
    for point in (one, other):
        copy_block(block, child)
        child[TO_PLAY] = colour
        play(child, point)
        count, _, _ = two_liberties(child, point)
        if count >= np.uintp(3):
            return False
    return _counter_captures(block, stone, answers) == np.uintp(0)


@kernel
def _read(boards, depth, stone, nodes, ko_gains):
    """Tell whether the chain at `stone` on boards[depth] is captured, whoever is to move.

    The attacker to move: the chain has one or two liberties. The defender to move: it is in
    atari. `nodes` counts down; at zero, or at the last board, the chain counts as safe. Unless
    `ko_gains`, who takes a ko in the ladder has gained nothing: the other takes it back.
    """
    block = boards[depth]
    if nodes[0] == 0 or depth + np.uintp(2) >= np.uintp(boards.shape[0]):
        return False
    nodes[0] -= np.uint32(1)
    child = boards[depth + ONE]
    count, one, other = two_liberties(block, stone)
    if block[TO_PLAY] != block[COLOUR + stone]:
        if count == ONE:
            return not ko_gains or _may_play(block, one)
        answers = boards[depth, CELLS:]
        if not ko_gains and _dies_in_double_ko(block, stone, one, other, child, answers):
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
    answers = boards[depth, CELLS:]
    answers[0] = one
    found = ONE + _counter_captures(block, stone, answers[1:])
    for index in range(found):
        point = np.uintp(answers[index])
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
    """Return the scratch memory of ladder reading."""
    return np.empty(LADDER_SHAPE, dtype=np.uint32)


@kernel
def is_ladder_captured(block, stone, mover, boards):
    """Tell whether the chain at `stone` is captured in a ladder with `mover` to play.

    A chain of three or more liberties is not; neither is one of two when its owner moves.
    """
    return read_ladder(block, stone, mover, boards, True)


@kernel
def read_ladder(block, stone, mover, boards, ko_gains):
    """Tell the same as `is_ladder_captured`, and choose whether taking a ko may decide it."""
    count, _, _ = two_liberties(block, stone)
    if count > np.uintp(2):
        return False
    if mover == np.uintp(block[COLOUR + stone]) and count == np.uintp(2):
        return False
    copy_block(block, boards[np.uintp(0)])
    if boards[0, TO_PLAY] != mover:
        boards[0, TO_PLAY] = mover
        boards[0, KO] = 0
    nodes = boards[np.uintp(LADDER_DEPTH - 1)]  # the last row is no board
    nodes[0] = LADDER_NODES
    return _read(boards, np.uintp(0), np.uintp(stone), nodes, ko_gains)
