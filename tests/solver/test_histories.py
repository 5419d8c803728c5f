"""Values after games, where what was on the board before forbids moves now."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_oracle import ProofOracle

from tengen.board.colour import WHITE
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.solver.boards import boards_so_far
from tengen.solver.settings import SolverSettings
from tengen.solver.solver import Solver

pytestmark = pytest.mark.kernels

SHAPES = [(1, 4), (1, 5), (2, 2), (2, 3)]
SOLVERS = {shape: Solver(*shape, SolverSettings(table_bits=14)) for shape in SHAPES}
"""One solver a shape for all games: what it learned after one history must hold after another."""


def random_game(shape, seed: int, length: int) -> Position:
    draw = random.Random(seed)
    position = Position(*shape)
    while len(position.moves) < length and not position.is_over:
        moves = position.legal_moves()
        position.play(draw.choice(moves) if moves and draw.random() < 0.9 else PASS)
    return position


def halves(board: int) -> tuple[int, int]:
    return board & 0xFFFFFFFF, board >> 32


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(SHAPES), st.integers(0, 2**32), st.integers(4, 40))
def test_the_oracle_agrees_after_random_games(shape, seed, length):
    position = random_game(shape, seed, length)
    if position.is_over:
        return
    solution = SOLVERS[shape].solve(position)
    assert solution.is_solved
    boards = [halves(board) for board in boards_so_far(position)]
    passes = int(position.last_move == PASS)
    oracle = ProofOracle(*shape)
    assert oracle.is_value(solution.low, boards, int(position.to_play == WHITE), passes)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([(2, 4), (3, 3)]), st.integers(0, 2**32), st.integers(8, 30))
def test_sharing_and_life_change_no_value(shape, seed, length):
    """A table that is kept from game to game, against none: every line is then searched itself."""
    position = random_game(shape, seed, length)
    if len(position.legal_moves()) > 3:
        return
    plain = SolverSettings(table_bits=4, table=False, life=False, symmetry=False)
    value = LASTING[shape].solve(position).low
    slow = Solver(*shape, plain)
    slow.look_up = raise_after(slow, 300_000)
    try:
        solution = slow.solve(position)
    except TooLongError:
        return
    assert (solution.low, solution.high) == (value, value)


LASTING = {shape: Solver(*shape, SolverSettings(table_bits=16)) for shape in [(2, 4), (3, 3)]}


class TooLongError(Exception):
    pass


def raise_after(solver: Solver, nodes: int):
    def look_up():
        if solver.solution.nodes > nodes:
            raise TooLongError

    return look_up
