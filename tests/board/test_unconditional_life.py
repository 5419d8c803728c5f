"""Pass-alive chains against a search of all sequences of moves while their owner passes."""

import random

import numpy as np
import pytest

from tengen.board import BLACK, EMPTY, WHITE, Position
from tengen.board.kernels.area import unconditional_life_under
from tengen.board.kernels.layout import POINTS

pytestmark = pytest.mark.kernels
REPORTED = "X.OOXXXO.XX./OO.OX.XOOX.X/OOXOX.XO.OX."
"""White's left side is safe only where suicide is illegal: Black captures it with B3, B3, C2."""


def owned_by(position, color, suicide):
    owned = np.zeros(int(POINTS), dtype=np.uint8)
    unconditional_life_under(position.block, np.uintp(color), suicide, owned)
    return owned


def neighbors(rows, columns):
    """Return the neighbors of each point of a board stored row by row."""
    return [
        [
            row * columns + column
            for row, column in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c))
            if 0 <= row < rows and 0 <= column < columns
        ]
        for r in range(rows)
        for c in range(columns)
    ]


def chain_of(board, point, near):
    """Return the chain at a point, and whether it has a liberty."""
    chain, stack, is_free = {point}, [point], False
    while stack:
        for other in near[stack.pop()]:
            is_free = is_free or board[other] == EMPTY
            if board[other] == board[point] and other not in chain:
                chain.add(other)
                stack.append(other)
    return chain, is_free


def after(board, point, color, near, suicide):
    """Return the board after a move, or None if it is illegal; repetitions are legal."""
    new = list(board)
    new[point] = color
    for other in near[point]:
        if new[other] == 3 - color:
            chain, is_free = chain_of(new, other, near)
            if not is_free:
                for stone in chain:
                    new[stone] = EMPTY
    chain, is_free = chain_of(new, point, near)
    if not is_free:
        if not suicide:
            return None
        for stone in chain:
            new[stone] = EMPTY
    return tuple(new)


def capturable(board, color, near, suicide):
    """Return the stones of `color` that some sequence of opponent moves captures."""
    lost, seen, stack = set(), {board}, [board]
    while stack:
        current = stack.pop()
        for point, occupant in enumerate(current):
            if occupant != EMPTY:
                continue
            new = after(current, point, 3 - color, near, suicide)
            if new is None or new in seen:
                continue
            seen.add(new)
            stack.append(new)
            lost.update(stone for stone, was in enumerate(board) if was == color != new[stone])
    return lost


def random_boards(rng, rows, columns, count):
    """Yield random boards without captured chains, mostly with many stones of one color."""
    near = neighbors(rows, columns)
    while count:
        weights = rng.choice(((1, 4, 1), (1, 2, 1), (2, 5, 2), (1, 5, 2)))
        board = tuple(rng.choices((EMPTY, int(BLACK), int(WHITE)), weights, k=rows * columns))
        if all(not stone or chain_of(board, p, near)[1] for p, stone in enumerate(board)):
            count -= 1
            yield board


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize(("rows", "columns", "count"), [(3, 3, 400), (3, 4, 400), (2, 6, 200)])
def test_chains_called_alive_survive_every_sequence(rows, columns, count, suicide):
    rng = random.Random(rows * 100 + columns)
    near, alive_stones = neighbors(rows, columns), 0
    for board in random_boards(rng, rows, columns, count):
        text = [".XO"[stone] for stone in board]
        lines = ["".join(text[r * columns : (r + 1) * columns]) for r in range(rows)]
        position = Position.from_diagram("/".join(lines))
        owned = owned_by(position, BLACK, suicide)
        points = list(position.points())
        alive = {i for i, stone in enumerate(board) if stone == BLACK and owned[points[i]]}
        alive_stones += len(alive)
        if alive:
            lost = capturable(board, int(BLACK), near, suicide)
            assert alive.isdisjoint(lost), "/".join(lines)
    assert alive_stones > 20, "the boards have living chains"


def test_reported_position():
    position = Position.from_diagram(REPORTED)
    points = [position.points()[i] for i in (12, 13, 24, 25)]  # A2, B2, A1, B1
    for suicide, expected in ((False, True), (True, False)):
        owned = owned_by(position, WHITE, suicide)
        assert [bool(owned[point]) for point in points] == [expected] * 4
