"""A network that fails during a game is reported once and no longer used."""

import numpy as np
import pytest
from gtp_helpers import SessionClient

from tengen.board.kernels import layout
from tengen.engine import search_engine


class FailingNet:
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
    found = FailingNet(12)
    monkeypatch.setattr(search_engine, "open_nets", lambda *names: found)
    return found


def test_continues_without_a_failing_network(net, capsys):
    client = SessionClient("net=default", "algorithm=puct")
    for _ in range(3):
        client.ok("genmove b")
        client.ok("genmove w")
    errors = capsys.readouterr().err.splitlines()
    message = "tengen: the network failed: RuntimeError('out of neurons'); continuing without it"
    assert [line for line in errors if "neurons" in line] == [message]
    assert len(client.session.position.moves) == 6


def test_retries_the_network_in_the_next_game(net):
    client = SessionClient("net=default", "algorithm=puct")
    for _ in range(3):
        client.ok("genmove b")
        client.ok("genmove w")
    assert client.session.engine.problems
    net.calls = 10**6
    client.ok("clear_board")
    assert client.session.engine.problems == []
    client.ok("genmove b")
    assert net.calls < 10**6
