"""Solver values compared with slow oracles and known values."""

import functools

import pytest
from solver_oracle import Oracle, ProofOracle

from tengen.board import Position
from tengen.solver import Solver, SolverSettings, best_line

pytestmark = pytest.mark.kernels

SMALL_BITS = 16
VALUES = {
    (1, 1): 0, (1, 2): 0, (1, 3): 3, (1, 4): 4, (1, 5): 0, (1, 6): 1,
    (2, 2): 1, (2, 3): 0, (2, 4): 8, (3, 3): 9,
}  # fmt: skip
"""Area scoring, positional superko."""


def solve(rows: int, columns: int, **settings):
    chosen = SolverSettings(**{"table_bits": SMALL_BITS, **settings})
    solver = Solver(rows, columns, chosen)
    return solver, solver.solve(Position(rows, columns))


def area_after(position: Position, line: list[int]) -> int:
    position = position.copy()
    for move in line:
        position.play(move)
    oracle = Oracle(position.rows, position.columns)
    board = position.board().ravel()
    black, white = (sum(1 << i for i, c in enumerate(board) if c == side) for side in (1, 2))
    return oracle.score((black, white))


LARGE_VALUES = [((3, 5), 15), ((2, 6), 12), ((2, 7), 14)]


@pytest.mark.parametrize(("shape", "value"), VALUES.items())
def test_known_values(shape, value):
    _, solution = solve(*shape)
    assert (solution.low, solution.high) == (value, value)


@pytest.mark.parametrize(("shape", "value"), [((1, 7), 2), ((2, 5), 10), ((3, 4), 4), ((4, 4), 2)])
def test_larger_values(shape, value):
    _, solution = solve(*shape, table_bits=21)
    assert (solution.low, solution.high) == (value, value)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("shape", "value"), LARGE_VALUES)
def test_values_of_large_boards(shape, value):
    _, solution = solve(*shape, table_bits=24)
    assert (solution.low, solution.high) == (value, value)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_values_match_minimax(columns):
    _, solution = solve(1, columns)
    assert solution.low == solution.high == Oracle(1, columns).minimax()


@pytest.mark.parametrize("shape", [(2, 2), (1, 4), (1, 5), (2, 3)])
def test_values_match_a_search_keyed_by_the_whole_history(shape):
    _, solution = solve(*shape)
    assert solution.is_solved
    assert ProofOracle(*shape).is_value(solution.low)


@pytest.mark.parametrize("switch", ["history", "null_move", "mtdf", "life", "symmetry"])
@pytest.mark.parametrize("shape", [(1, 4), (1, 5), (2, 2), (2, 3), (2, 4), (3, 3), (3, 4)])
def test_enhancements_do_not_change_values(shape, switch):
    default = getattr(SolverSettings(), switch)
    solver, solution = solve(*shape, **{switch: not default}, table_bits=20)
    assert solution.is_solved
    line = best_line(solver, Position(*shape), solution.low)
    assert area_after(Position(*shape), line) == solution.low == reference_value(shape)


@functools.cache
def reference_value(shape) -> int:
    return VALUES[shape] if shape in VALUES else solve(*shape, table_bits=20)[1].low


@pytest.mark.parametrize("shape", [(1, 3), (1, 4), (1, 5), (2, 2), (2, 3), (2, 4), (3, 3), (3, 4)])
def test_line_for_e2_has_the_same_area(shape):
    solver, solution = solve(*shape, power=2, table_bits=20)
    assert solution.is_solved
    line = best_line(solver, Position(*shape), solution.low)
    assert area_after(Position(*shape), line) == reference_value(shape)


ENDINGS = ["X.X/XXX/.X.", "XX./X.X/XO.", ".X.X/XXXX/O.O.", "XX.X/.XXX/OOO."]
LATER_ENDINGS = [".XO./XXOO/.XO.", ".X.O/XXOO/XXO.", "X.XO./XXXOO/.XO.O", "X.XOO.O/XXXOOOO"]


@pytest.mark.parametrize("rows", ENDINGS + LATER_ENDINGS)
def test_endings_without_table(rows):
    position = Position.from_diagram(rows.replace("/", "\n"))
    low, high = bounds(position, table_bits=SMALL_BITS)
    assert low == high
    assert (low, high) == bounds(position, table_bits=SMALL_BITS, table=False, proof=False)


@pytest.mark.parametrize("rows", ENDINGS)
def test_endings_without_deepening(rows):
    position = Position.from_diagram(rows.replace("/", "\n"))
    low, high = bounds(position, table_bits=SMALL_BITS)
    assert low == high
    assert (low, high) == bounds(position, table_bits=SMALL_BITS, deepening=False)
    assert (low, high) == bounds(position, table_bits=SMALL_BITS, deepening=False, table=False)


def bounds(position: Position, **settings) -> tuple[int, int]:
    solver = Solver(position.rows, position.columns, SolverSettings(**settings))
    solution = solver.solve(position)
    return solution.low, solution.high
