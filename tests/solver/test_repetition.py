"""Rules for repetitions compared with a search keyed by the whole history."""

import pytest
from solver_oracle import RuleOracle

from tengen.board import Position
from tengen.solver import Solver, SolverSettings, board_of
from tengen.solver.settings import REPETITIONS

pytestmark = pytest.mark.kernels

EMPTY = [(1, 4), (1, 5), (2, 2), (2, 3)]
ENDINGS = [".X./XOX/.O.", ".XO/XO./.XO", ".OX/OX./XX.", "XO./.XO/XO."]
"""3x3 positions, the last of which is a draw by repetition and 9 with superko."""


def solved(position: Position, rule: str) -> int:
    chosen = SolverSettings(table_bits=16, repetition=rule)
    solution = Solver(position.rows, position.columns, chosen).solve(position)
    assert solution.is_solved
    return solution.low


@pytest.mark.parametrize("rule", REPETITIONS)
@pytest.mark.parametrize("shape", EMPTY)
def test_empty_boards_match_brute_force(shape, rule):
    value = solved(Position(*shape), rule)
    assert RuleOracle(*shape, rule).is_value(value)


@pytest.mark.parametrize("rule", REPETITIONS)
@pytest.mark.parametrize("rows", ENDINGS)
def test_3x3_positions_match_brute_force(rows, rule):
    position = Position.from_diagram(rows.replace("/", "\n"))
    board = board_of(position)
    value = solved(position, rule)
    assert RuleOracle(3, 3, rule).is_value(value, ((board & 0xFFFFFFFF, board >> 32),))


def test_rules_differ_where_repetition_decides():
    double_ko = Position.from_diagram("XO.\n.XO\nXO.")
    assert [solved(double_ko, rule) for rule in REPETITIONS] == [9, 9, 0]
    assert [solved(Position(2), rule) for rule in REPETITIONS] == [1, 1, 0]
