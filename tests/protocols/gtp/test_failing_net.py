"""A network that fails during a game is reported once and no longer used."""

import numpy as np
import pytest
from gtp_helpers import Talk

from tengen.board.kernels import layout
from tengen.engine import search_engine


class Tired:
    """Returns a uniform policy for a number of calls, then raises."""

    smallest_board = 7

    def __init__(self, calls):
        self.calls = calls

    def evaluate(self, root, lines, blocks, komi):
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("out of neurons")
        even = np.full(len(blocks), 0.5, np.float32)
        return np.ones((len(blocks), int(layout.POINTS)), np.float32), even, np.zeros_like(even)


@pytest.fixture
def net(monkeypatch):
    found = Tired(12)
    monkeypatch.setattr(search_engine, "open_nets", lambda *names: found)
    return found


def test_continues_without_a_failing_network(net, capsys):
    talk = Talk("net=default", "algorithm=puct")
    for _ in range(3):
        talk.ok("genmove b")
        talk.ok("genmove w")
    said = capsys.readouterr().err.splitlines()
    told = "tengen: the network failed: RuntimeError('out of neurons'); continuing without it"
    assert [line for line in said if "neurons" in line] == [told]
    assert len(talk.session.position.moves) == 6


def test_retries_the_network_in_the_next_game(net):
    talk = Talk("net=default", "algorithm=puct")
    for _ in range(3):
        talk.ok("genmove b")
        talk.ok("genmove w")
    assert talk.session.engine.problems
    net.calls = 10**6
    talk.ok("clear_board")
    assert talk.session.engine.problems == []
    talk.ok("genmove b")
    assert net.calls < 10**6
