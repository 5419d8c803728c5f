"""Input features of Tengen's networks: binary planes computed from the board block alone.

All features are relative to the side to move. Besides stones and liberties they contain what a
small network cannot compute by itself: ladders, and the liberties a move would leave (as in "Move
Evaluation in Go Using Deep Convolutional Neural Networks", Maddison et al. 2015, and "Mastering the
game of Go with deep neural networks", Silver et al. 2016).
"""

import math

import numpy as np

from tengen.board.kernels.block import copy_block
from tengen.board.kernels.ladder import LADDER_SHAPE, is_ladder_captured
from tengen.board.kernels.layout import (
    CELLS,
    COLOR,
    COLORS,
    COLUMNS,
    DOWN,
    EMPTY,
    HEAD,
    KO,
    LAST,
    LEFT,
    NOWHERE,
    PASSES,
    POINTS,
    RIGHT,
    ROWS,
    SECOND_LAST,
    STRIDE,
    TO_PLAY,
    UP,
    WHITE,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import find_liberties, in_atari, is_suicide, two_liberties
from tengen.util.compiler import kernel

_u = np.uintp
ONE, TWO = _u(1), _u(2)

ON_BOARD = _u(0)
OWN, ENEMY = _u(1), _u(2)
OWN_LIBERTIES, ENEMY_LIBERTIES = _u(3), _u(6)
"""Three planes each: chains with one, two and three liberties."""
LEGAL = _u(9)
"""Empty points that are neither ko nor suicide."""
KO_POINT = _u(10)
LAST_MOVE, MOVE_BEFORE = _u(11), _u(12)
OWN_LADDER, ENEMY_LADDER = _u(13), _u(14)
"""Chains that are captured in a ladder: in atari and to move, or with two liberties and
attacked."""
LADDER_MOVE = _u(15)
"""Moves that start to capture an enemy chain with two liberties in a ladder."""
CAPTURE = _u(16)
ONE_LIBERTY_AFTER, TWO_LIBERTIES_AFTER = _u(17), _u(18)
"""Moves after which the chain has one liberty (self-atari), or two."""
PLANES = 19

KOMI, PASSED, BOARD_SCALE = _u(0), _u(1), _u(2)
"""Global features: komi for the side to move, whether the last move was a pass, and the board size
(-1 for 9x9, 1 for 19x19)."""
NUMBERS = 3
KOMI_UNIT = 20.0
MAX_KOMI = 3.0
"""Komi is clipped to this, in units of KOMI_UNIT."""

MAX_LIBERTIES = _u(4)
IN_LADDER = np.uint32(8)
"""Flag added to the liberties (1 to 4) of a chain in the scratch memory."""


def new_feature_boards() -> np.ndarray:
    """Allocate the scratch memory of `write_features`."""
    return np.empty((LADDER_SHAPE[0] + 2, LADDER_SHAPE[1]), dtype=np.uint32)


@kernel
def _starts_ladder(block, point, stone, boards, child):
    """Return whether playing at `point` captures an enemy chain with two liberties in a ladder."""
    color = _u(block[TO_PLAY])
    if block[KO] == point or is_suicide(block, point, color):
        return False
    copy_block(block, child)
    play(child, point)
    if not in_atari(child, _u(child[HEAD + stone])):
        return False
    return is_ladder_captured(child, stone, COLORS - color, boards)


@kernel
def _chain_status(block, head, boards, child, marks, planes):
    """Return the liberties of a chain, at most four, plus IN_LADDER; mark ladder moves."""
    color = _u(block[TO_PLAY])
    owner = _u(block[COLOR + head])
    count = find_liberties(block, head, MAX_LIBERTIES, marks)
    if count > TWO:
        return count
    captured = False
    if count == ONE:
        captured = is_ladder_captured(block, head, owner, boards)
    elif owner == color:
        captured = is_ladder_captured(block, head, COLORS - color, boards)
    else:
        for index in range(TWO):
            point = _u(marks[index])
            if _starts_ladder(block, point, head, boards, child):
                planes[LADDER_MOVE, point // STRIDE - ONE, point % STRIDE - ONE] = 1.0
                captured = True
    if captured:
        return count + _u(IN_LADDER)
    return count


@kernel
def _add_new(points, count, point):
    """Append a point to the first `count` of `points` if it is new; return the new count."""
    for index in range(count):
        if points[index] == point:
            return count
    points[count] = point
    return count + ONE


@kernel
def _liberties_after(block, point, child, found, marks):
    """Return the liberties of the chain after a legal move, at most three."""
    color = _u(block[TO_PLAY])
    count = _u(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        neighbor_color = _u(block[COLOR + neighbor])
        if neighbor_color == EMPTY:
            count = _add_new(found, count, neighbor)
        elif neighbor_color == color:
            known = find_liberties(block, neighbor, MAX_LIBERTIES, marks)
            for index in range(known):
                if marks[index] != point:
                    count = _add_new(found, count, _u(marks[index]))
        elif neighbor_color == COLORS - color and in_atari(block, _u(block[HEAD + neighbor])):
            # Captured stones become liberties, possibly of distant stones: play the move.
            copy_block(block, child)
            play(child, point)
            known, _, _ = two_liberties(child, point)
            return known
    return min(count, _u(3))


@kernel
def _captures(block, point):
    """Return whether a move captures enemy stones."""
    enemy = COLORS - _u(block[TO_PLAY])
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        if block[COLOR + neighbor] == enemy and in_atari(block, _u(block[HEAD + neighbor])):
            return True
    return False


@kernel
def _write_empty(block, point, row, column, child, lists, planes):
    """Write the features of an empty point."""
    if block[KO] == point:
        planes[KO_POINT, row, column] = 1.0
        return
    if is_suicide(block, point, _u(block[TO_PLAY])):
        return
    planes[LEGAL, row, column] = 1.0
    if _captures(block, point):
        planes[CAPTURE, row, column] = 1.0
    after = _liberties_after(block, point, child, lists, lists[_u(32) :])
    if after == ONE:
        planes[ONE_LIBERTY_AFTER, row, column] = 1.0
    elif after == TWO:
        planes[TWO_LIBERTIES_AFTER, row, column] = 1.0


@kernel
def _write_stone(block, point, row, column, known, planes):
    """Write the features of a stone, given the liberties and ladder flag of its chain."""
    is_own = block[COLOR + point] == block[TO_PLAY]
    planes[OWN if is_own else ENEMY, row, column] = 1.0
    if known & IN_LADDER:
        planes[OWN_LADDER if is_own else ENEMY_LADDER, row, column] = 1.0
    liberties = _u(known & np.uint32(7))
    if liberties < MAX_LIBERTIES:
        first = OWN_LIBERTIES if is_own else ENEMY_LIBERTIES
        planes[first + liberties - ONE, row, column] = 1.0


@kernel
def _write_move(block, move, mover, plane, planes):
    """Mark the point of a move unless it was a pass or the stone is not of the color `mover`.

    The stone has the other color if a side moved twice: the last moves are then hidden.
    """
    if move != NOWHERE and block[COLOR + move] != COLORS - mover:
        planes[plane, move // STRIDE - ONE, move % STRIDE - ONE] = 1.0


@kernel
def _write_numbers(block, komi_for_white, numbers):
    """Write the global features."""
    komi = komi_for_white / KOMI_UNIT if block[TO_PLAY] == WHITE else -komi_for_white / KOMI_UNIT
    numbers[KOMI] = max(-MAX_KOMI, min(MAX_KOMI, komi))
    numbers[PASSED] = 1.0 if block[PASSES] > 0 else 0.0
    area = float(block[ROWS]) * float(block[COLUMNS])
    numbers[BOARD_SCALE] = (math.sqrt(area) - 14.0) / 5.0


@kernel
def write_features(block, komi_for_white, boards, planes, numbers):
    """Write the features of a board into `planes` (PLANES, rows, columns) and `numbers` (NUMBERS).

    `boards` is scratch memory from `new_feature_boards`. The arrays are overwritten.
    """
    last = _u(boards.shape[0]) - ONE
    child = boards[last - ONE][:CELLS]
    ladder_boards = boards[: last - ONE]
    known = boards[last][:POINTS]
    lists = boards[last][POINTS:]
    rows, columns = _u(block[ROWS]), _u(block[COLUMNS])
    planes[:] = 0.0
    planes[ON_BOARD] = 1.0
    for row in range(rows):
        for column in range(columns):
            point = (row + ONE) * STRIDE + column + ONE
            if block[COLOR + point] == EMPTY:
                _write_empty(block, point, row, column, child, lists, planes)
            elif block[HEAD + point] == point:
                known[point] = _chain_status(block, point, ladder_boards, child, lists, planes)
    for row in range(rows):
        for column in range(columns):
            point = (row + ONE) * STRIDE + column + ONE
            if block[COLOR + point] != EMPTY:
                _write_stone(block, point, row, column, known[block[HEAD + point]], planes)
    color = _u(block[TO_PLAY])
    _write_move(block, _u(block[LAST]), COLORS - color, LAST_MOVE, planes)
    _write_move(block, _u(block[SECOND_LAST]), color, MOVE_BEFORE, planes)
    _write_numbers(block, komi_for_white, numbers)


@kernel
def write_batch(blocks, komi_for_white, boards, planes, numbers):
    """Write the features of boards of one size (see `write_features`)."""
    for index in range(_u(len(blocks))):
        write_features(blocks[index], komi_for_white, boards, planes[index], numbers[index])


@kernel
def write_policy(logits, planes, policy):
    """Convert logits (n, rows * columns + 1, pass last) to probabilities of the legal moves.

    `planes` are the features of the same boards. `policy` is (n, POINTS), indexed by padded point
    with the pass at PASS; illegal moves get 0.
    """
    columns = _u(planes.shape[3])
    for index in range(_u(len(logits))):
        legal = planes[index, LEGAL]
        policy[index] = 0.0
        area = _u(logits.shape[1]) - ONE
        best = logits[index, area]
        for place in range(area):
            if legal[place // columns, place % columns] > 0.0:
                best = max(best, logits[index, place])
        total = math.exp(logits[index, area] - best)
        policy[index, 0] = total
        for place in range(area):
            if legal[place // columns, place % columns] > 0.0:
                weight = math.exp(logits[index, place] - best)
                policy[index, (place // columns + ONE) * STRIDE + place % columns + ONE] = weight
                total += weight
        for point in range(POINTS):
            policy[index, point] /= total
