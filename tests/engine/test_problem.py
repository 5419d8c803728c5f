"""Answers to life-and-death problems: proofs, ko, beliefs, and interrupted searches."""

import pytest

from tengen.board import BLACK, PASS, WHITE, Position
from tengen.engine import LifeStatus, ProblemSolver
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

THREE = ["...XO..", "XXXXO..", "OOOOO..", *4 * ["......."]]
SQUARE = ["..XO...", "..XO...", "XXXO...", "OOOO...", *3 * ["......."]]


def solve(rows, to_play, **settings):
    return ProblemSolver(net="none", **settings).solve(
        Position.from_diagram("\n".join(rows), to_play)
    )


@pytest.mark.parametrize(
    ("to_play", "status"), [(WHITE, LifeStatus.DEAD), (BLACK, LifeStatus.ALIVE)]
)
def test_the_vital_point(to_play, status):
    answer = solve(THREE, to_play)
    assert answer.status is status
    assert answer.is_proved
    assert answer.succeeds
    assert answer.is_complete
    assert [answer.position.vertex(move) for move in answer.moves] == ["B7"]
    assert answer.attacks == (to_play is WHITE)
    assert "proved" in answer.sentence()


def test_stones_that_are_dead_as_they_stand():
    answer = solve(SQUARE, BLACK)
    assert answer.status is LifeStatus.DEAD
    assert answer.is_proved
    assert not answer.succeeds


def test_settled_stones_need_no_move():
    answer = solve([".X.XO..", "XXXXO..", "OOOOO..", *4 * ["......."]], BLACK)
    assert answer.is_settled
    assert answer.status is LifeStatus.ALIVE
    assert answer.moves == [PASS]


def test_limits_and_beliefs():
    open_board = ["." * 19] * 2 + ["..XXX" + "." * 14, "..O.O" + "." * 14] + ["." * 19] * 15
    answer = solve(open_board, BLACK, seconds=0.05)
    assert not answer.is_proved
    assert 0.5 <= answer.probability <= 1
    assert "estimated" in answer.sentence()
    assert answer.moves


def test_an_interrupted_search_gives_an_answer():
    solver = ProblemSolver(net="none")

    def interrupt():
        raise KeyboardInterrupt

    solver.poll = interrupt
    position = Position.from_diagram("\n".join(["." * 9, ".XX..OX..", "..OOXX.O.", *["." * 9] * 6]))
    answer = solver.solve(position)
    assert answer.is_interrupted
    assert answer.moves


def test_seconds_must_be_positive():
    with pytest.raises(TengenError, match="positive"):
        ProblemSolver(0)
