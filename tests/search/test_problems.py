"""Positions that every engine must solve with a few thousand simulations.

Each is searched with three seeds, of which two must find the answer. Komi is such that the
answer decides the game.
"""

import pytest
from search_helpers import SEEDS, best_moves, board, point, search

from tengen.board import BLACK, WHITE

pytestmark = pytest.mark.kernels

CAPTURE = """
    . . X . O . .
    . X X X O O .
    . X O O X O .
    . X O O . O .
    . X O O X O .
    . . X X O O .
    . . X . O . .
"""
"""E4 captures or saves six stones."""

SNAPBACK = """
    . . . X O . .
    . . . X O . .
    . . . X O O .
    . X . X O . .
    X X X X X O .
    O O O . X O .
    O O O . O O .
"""
"""Black D1 is a throw-in: if White captures at D2, Black recaptures. D2 lets White connect."""

NAKADE = """
    . . X O . O .
    . . X O O . .
    . . X X O O O
    X . X X O O .
    X X X X X O O
    O O O O X O .
    . . . O X O O
"""
"""Three points in a row: B1 lives or kills."""

SEMEAI = """
    X . O X . O .
    X . O X . O .
    X . O X . O .
    X X O X O O O
    . X X O O . .
    . X . X O O .
    . . X X O . .
"""
"""Three liberties each: the side to move wins the race."""

SEKI = """
    O O X . O X X X
    O O X . O X X X
    O O X X O X X X
    O O O O X X . X
    . O . O X X X X
    O O O O X . X X
"""
"""Playing D5 or D6 loses four or three stones. Black is four points ahead."""

LADDER = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    X X X . . . . . .
    O O O O X . . . .
    O O O X X . . . .
    X X X . . . . . .
    . . . . . . . . .
"""
"""Running at D5 leads White's seven stones into a ladder toward the upper right."""

SHORT_LADDER = """
    . . . . . . . . .
    . . . . . . . . .
    X X X . . . . . .
    O O O O X . . . .
    O O O X X . . . .
    X X X . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
"""The ladder after D7 ends at the upper edge; longer ladders exceed the simulations."""

BROKEN_LADDER = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . O . .
    . . . . . . . . .
    X X X . . . . . .
    O O O O X . . . .
    O O O X X . . . .
    X X X . . . . . .
    . . . . . . . . .
"""
"""G7 is a ladder breaker."""


@pytest.mark.parametrize(
    ("text", "to_play", "komi", "answers"),
    [
        pytest.param(CAPTURE, BLACK, 4.5, {"E4"}, id="capture"),
        pytest.param(CAPTURE, WHITE, 4.5, {"E4"}, id="save"),
        pytest.param(SNAPBACK, BLACK, 2.5, {"D1"}, id="snapback"),
        pytest.param(SNAPBACK, WHITE, 2.5, {"D1"}, id="escape from a snapback"),
        pytest.param(NAKADE, BLACK, 0.5, {"B1"}, id="nakade kills"),
        pytest.param(NAKADE, WHITE, 0.5, {"B1"}, id="nakade lives"),
        pytest.param(SEMEAI, BLACK, 0.5, {"B5", "B6", "B7"}, id="semeai of Black"),
        pytest.param(SEMEAI, WHITE, 0.5, {"E5", "E6", "E7"}, id="semeai of White"),
        pytest.param(SEKI, BLACK, 3.5, {"pass"}, id="seki kept by Black"),
        pytest.param(SEKI, WHITE, 4.5, {"pass"}, id="seki kept by White"),
        pytest.param(BROKEN_LADDER, WHITE, 7.5, {"D5"}, id="no ladder: run"),
    ],
)
def test_solves_problem(text, to_play, komi, answers):
    moves = best_moves(board(text, to_play, komi), 3000)
    assert sum(move in answers for move in moves) >= 2, moves


def test_does_not_run_in_a_working_ladder():
    moves = best_moves(board(SHORT_LADDER, WHITE, 27.5), 3000)
    assert sum(move != "D7" for move in moves) >= 2, moves


def test_ladder_breaker_improves_running():
    """Compare the same move with and without the ladder breaker."""

    def value_of_running(text: str, seed: int) -> float:
        position = board(text, WHITE, 12.5)
        report = search(position, 3000, seed)
        return next(c.value for c in report.candidates if c.move == point(position, "D5"))

    gains = [value_of_running(BROKEN_LADDER, s) - value_of_running(LADDER, s) for s in SEEDS]
    assert sum(gain > 0.05 for gain in gains) >= 2, gains
