"""Bouzy's dimensional evaluation of a board: the sum of size^d over Black's groups less White's.

A point is a side's if its stone stands there or if it is empty and its region touches that side
only (abstractColor); a group is a connected set of a side's points. E1 is area scoring.
"""

from tengen.core.compiler import inline_kernel, kernel
from tengen.solver.kernels.bits import beside, count, flood, lowest
from tengen.solver.kernels.memory import FULL, POWER, ZERO
from tengen.solver.kernels.rules import stones_of


@inline_kernel
def reach(words, stones, empty):
    """Return the empty points whose region touches the stones."""
    seed = beside(words, stones) & empty
    return flood(words, seed, empty)


@inline_kernel
def to_power(size, power):
    """Return size^power for a small whole power."""
    result = 1
    for _ in range(power):
        result *= size
    return result


@kernel
def groups_power(words, points, power):
    """Return the sum of size^power over the connected parts of a set."""
    if power == 1:
        return count(points)
    total = 0
    while points != ZERO:
        group = flood(words, lowest(points), points)
        points &= ~group
        total += to_power(count(group), power)
    return total


@kernel
def evaluate(words, board, power):
    """Return E_power of a board, from Black's side."""
    black, white = stones_of(board, 0), stones_of(board, 1)
    empty = words[FULL] & ~(black | white)
    near_black, near_white = reach(words, black, empty), reach(words, white, empty)
    blacks = groups_power(words, black | (near_black & ~near_white), power)
    return blacks - groups_power(words, white | (near_white & ~near_black), power)


@inline_kernel
def value_to_play(words, numbers, board, side):
    """Return the evaluation for the side to move."""
    value = evaluate(words, board, numbers[POWER])
    return value if side == 0 else -value
