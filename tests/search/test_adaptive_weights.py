"""Adaptive weights of a network: terms, clipping, and the values read at the root."""

import math

import numpy as np
import pytest
from hand_made_nets import HashNet, Opinion, searched, searcher
from search_helpers import point

from tengen.board import Position
from tengen.board.kernels import layout
from tengen.search import EvaluatorWeights, SearchLimit
from tengen.search.evaluators import _entropy, _root_values
from tengen.search.settings import LeafContext

pytestmark = pytest.mark.kernels


def test_weights_are_clipped():
    turns = np.array([0, 10, 100])
    first = EvaluatorWeights(net_turn=0.01, net_value=-0.5, net_weight=0.4)
    assert first.policy_weights(LeafContext(turns, 81, 0.5)) == pytest.approx([0.15, 0.25, 1.0])
    assert first.policy_weights(LeafContext(turns, 81, 1.0)) == pytest.approx([0.0, 0.0, 0.9])
    second = EvaluatorWeights(net_turn=0.01, net_value=-0.5, net_weight=0.4, net_max_weight=0.25)
    assert second.policy_weights(LeafContext(turns, 81, 0.5)) == pytest.approx([0.15, 0.25, 0.25])


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        ({"net_phase": 0.5}, [0.0, 0.25]),
        ({"net_spread": 2.0}, [0.2, 0.2]),
        ({"net_entropy": -1.0, "net_weight": 1.0}, [0.7, 0.1]),
        ({"net_value": 1.0}, [0.4, 0.4]),
        ({"net_value": 1.0, "net_value_node": "best"}, [0.6, 0.6]),
    ],
)
def test_terms_of_the_weight(term, wanted):
    entropy = np.array([0.3, 0.9])
    context = LeafContext(np.array([0, 50]), 100, 0.4, 0.6, spread=0.1, entropy=entropy)
    assert EvaluatorWeights(**{"net_weight": 0.0, **term}).policy_weights(context) == pytest.approx(
        wanted
    )


def test_policy_entropy():
    policy = np.zeros((3, int(layout.POINTS)), np.float32)
    policy[0, 5] = 1.0
    policy[1, 5:9] = 0.25
    policy[2, 5:7] = 0.9, 0.1
    of_two = -(0.9 * math.log(0.9) + 0.1 * math.log(0.1)) / math.log(2)
    assert _entropy(policy) == pytest.approx([0.0, 1.0, of_two], abs=1e-6)


def test_root_values():
    good = point(Position(5), "B2")
    engine = searcher(Opinion(good=good))
    engine.set_position(Position(5))
    engine.run(SearchLimit(simulations=1))
    assert _root_values(engine._tree, 0.3) == pytest.approx((0.5, 0.5, 0.0))
    engine.run(SearchLimit(simulations=400))
    report = engine.report()
    value, best, spread = _root_values(engine._tree, 0.3)
    assert value == pytest.approx(report.value)
    assert best == pytest.approx(report.candidates[0].value)
    rates = [c.value for c in report.candidates if c.visits]
    assert spread == pytest.approx(np.std(rates), abs=1e-6)


@pytest.fixture
def seen(monkeypatch):
    """Record the values read at the root: win rate, that of the best move, and spread."""
    found = []

    def watched(*arguments):
        found.append(_root_values(*arguments))
        return found[-1]

    monkeypatch.setattr("tengen.search.evaluators._root_values", watched)
    return found


def test_queued_leaves_do_not_change_root_values(seen):
    """They are counted as visits but have no value yet."""
    searched(Opinion(), 100, net_value=0.1)
    assert len(seen) > 10
    assert all(values == pytest.approx((0.5, 0.5, 0.0), abs=1e-6) for values in seen)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_root_values_are_win_rates_with_queued_leaves(share, seen):
    """Root values stay between 0 and 1, whatever the share of the network in a leaf."""
    words = {"playout_share": share, "net_value": 0.1, "search": {"algorithm": "rave"}}
    searched(HashNet(), 200, **words)
    assert len(seen) > 5
    for value, best, spread in seen:
        assert -1e-5 <= value <= 1 + 1e-5
        assert -1e-5 <= best <= 1 + 1e-5
        assert spread <= 0.5 + 1e-5


def test_move_number_of_a_setup_position_is_its_number_of_stones(monkeypatch):
    turns = []

    def watched(self, context):
        turns.append(context.turns)
        return np.ones(len(context.turns), np.float32)

    monkeypatch.setattr(EvaluatorWeights, "policy_weights", watched)
    board = ". X O . .\n. X O . .\n. X O . .\n. X O . .\n. X O . ."
    searched(Opinion(), 20, Position.from_diagram(board), net_turn=0.01)
    assert turns[0].tolist() == [10], "the root"
    assert min(np.concatenate(turns[1:])) == 11
