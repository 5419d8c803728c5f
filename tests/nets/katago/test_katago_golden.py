"""KataGo's own outputs for its network."""

import pytest

from tengen.board.points import parse_vertex
from tengen.board.position import Position
from tengen.board.rules import Ko, Rules

FLIPPED, TRANSPOSED = 1, 4


@pytest.fixture
def position():
    """9x9, KataGo's Chinese rules (simple ko), komi 7.5, Black to move."""
    position = Position(9, rules=Rules(ko=Ko.SIMPLE, komi=7.5))
    for vertex in ("C3", "C6"):
        position.play(parse_vertex(vertex, 9, 9))
    return position


@pytest.mark.parametrize(("symmetry", "white_win"), [(FLIPPED, 0.532987), (TRANSPOSED, 0.525422)])
def test_win_probability(katago_net, position, symmetry, white_win):
    outputs = katago_net.outputs([position], symmetry)
    assert 1 - outputs.win[0] == pytest.approx(white_win, abs=1e-4)


def test_lead(katago_net, position):
    outputs = katago_net.outputs([position], FLIPPED)
    assert -outputs.lead[0] == pytest.approx(0.577, abs=1e-3)
