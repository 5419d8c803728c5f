"""Values after games whose history bans moves."""

import random

import pytest
from hypothesis import given, settings, strategies as st
from solver_oracle import ProofOracle

from tengen.board import PASS, WHITE, Position
from tengen.solver import Solver, SolverSettings
from tengen.solver.boards import boards_so_far

pytestmark = pytest.mark.kernels

SHAPES = [(1, 4), (1, 5), (2, 2), (2, 3)]
SOLVERS = {shape: Solver(*shape, SolverSettings(table_bits=14)) for shape in SHAPES}
"""One solver per board size for all games: its table must be valid after every history."""


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
def test_values_after_random_games_match_the_oracle(shape, seed, length):
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
def test_table_and_life_do_not_change_values(shape, seed, length):
    """Compare a table kept across games with a search without table, life and symmetry."""
    position = random_game(shape, seed, length)
    if len(position.legal_moves()) > 3:
        return
    plain = SolverSettings(table_bits=4, table=False, life=False, symmetry=False)
    value = LASTING[shape].solve(position).low
    slow = Solver(*shape, plain)
    slow.poll = raise_after(slow, 300_000)
    try:
        solution = slow.solve(position)
    except TooLongError:
        return
    assert (solution.low, solution.high) == (value, value)


LASTING = {shape: Solver(*shape, SolverSettings(table_bits=16)) for shape in [(2, 4), (3, 3)]}


class TooLongError(Exception):
    pass


def raise_after(solver: Solver, nodes: int):
    def poll():
        if solver.solution.nodes > nodes:
            raise TooLongError

    return poll
