"""Moves that keep the value, and the line of best play that they make."""

from tengen.board.colour import BLACK
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.solver.kernels import memory
from tengen.solver.solution import Goal
from tengen.solver.solver import PROOF_STEP, Solver

PASS_DEPTH = 24
"""How deep to look whether a pass keeps the value."""


def best_move(solver: Solver, position: Position, value: int) -> int:
    """Return a move that keeps the value, which is the position's; raise TengenError if none does.

    Where the score as it stands is the value already, a pass is looked at first, so that games
    end and dead stones are taken off only if they have to be.
    """
    if position.is_over:
        return PASS
    goal = Goal.AT_LEAST if position.to_play == BLACK else Goal.AT_MOST
    if position.board().any() and _pass_keeps(solver, position, value, goal):
        return PASS
    solver.searcher.set_position(position)
    for depth in range(PROOF_STEP, memory.DEEPEST, PROOF_STEP):
        outcome = solver.try_to_prove(goal, value, depth)
        if outcome.value >= value if goal is Goal.AT_LEAST else outcome.value <= value:
            return outcome.move
    raise TengenError(f"no proof of {value:+d} was found")


def _pass_keeps(solver: Solver, position: Position, value: int, goal: Goal) -> bool:
    """Tell whether a pass is proved to keep the value, with little effort."""
    passed = position.copy()
    passed.play(PASS)
    solver.searcher.set_position(passed)
    score = solver.searcher.evaluate()
    if score < value if goal is Goal.AT_LEAST else score > value:
        return False
    if passed.is_over:
        return True
    outcome = solver.try_to_prove(goal, value, PASS_DEPTH)
    return outcome.value >= value if goal is Goal.AT_LEAST else outcome.value <= value


def best_line(solver: Solver, position: Position, value: int) -> list[int]:
    """Return moves of best play from a position of known value to the end of the game."""
    position = position.copy()
    line: list[int] = []
    while not position.is_over:
        move = best_move(solver, position, value)
        position.play(move)
        line.append(move)
    return line
