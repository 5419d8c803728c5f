"""Win rates and leads of root moves from the network's evaluations in their subtrees."""

import numpy as np
import pytest
from hand_made_nets import searcher

from tengen.board import PASS, Position
from tengen.board.kernels import layout
from tengen.search import SearchLimit
from tengen.search.subtree import CORRELATION

pytestmark = pytest.mark.kernels

BIAS_WINRATE, BIAS_LEAD = 0.1, 5.0
TRUE_WINRATE, TRUE_LEAD = 0.6, 3.0
"""Black's, in every position."""


class BiasedNet:
    """Overestimates the side to move by a constant; never passes, so that no game ends."""

    smallest_board = 1

    def evaluate(self, root, lines, blocks, komi):
        policy = np.ones((len(blocks), int(layout.POINTS)), np.float32)
        policy[:, PASS] = 0
        is_black = blocks[:, int(layout.TO_PLAY)] == int(layout.BLACK)
        win = np.where(is_black, TRUE_WINRATE, 1 - TRUE_WINRATE) + BIAS_WINRATE
        lead = np.where(is_black, TRUE_LEAD, -TRUE_LEAD) + BIAS_LEAD
        return policy, win.astype(np.float32), lead.astype(np.float32)


class Noise:
    """Returns independent leads, and prefers no move."""

    smallest_board = 1

    def __init__(self):
        self.leads = []
        """Of Black."""
        self._random = np.random.default_rng(1)

    def evaluate(self, root, lines, blocks, komi):
        leads = self._random.normal(0, 4, len(blocks)).astype(np.float32)
        sign = np.where(blocks[:, int(layout.TO_PLAY)] == int(layout.BLACK), 1, -1)
        self.leads += [
            (len(line) % 2, value) for line, value in zip(lines, sign * leads, strict=True)
        ]
        policy = np.ones((len(blocks), int(layout.POINTS)), np.float32)
        return policy, np.full(len(blocks), 0.5, np.float32), leads


def analyzed(net, visits, position=None, engine=None):
    engine = engine or searcher(net)
    engine.set_position(position or Position(9), is_analysis=True)
    engine.run(SearchLimit(visits=visits))
    return engine.report()


@pytest.mark.parametrize("moves", ["", "E5"])
def test_bias_for_the_side_to_move_cancels(moves):
    position = Position(9).after(moves) if moves else Position(9)
    report = analyzed(BiasedNet(), 300, position)
    sign = position.to_play.sign
    winrate = TRUE_WINRATE if sign > 0 else 1 - TRUE_WINRATE
    estimates = [c.estimate for c in report.candidates if c.visits > 1]
    assert len(estimates) >= 5
    for estimate in [report.estimate, *estimates]:
        assert estimate.winrate == pytest.approx(winrate, abs=1e-4)
        assert estimate.lead == pytest.approx(sign * TRUE_LEAD, abs=1e-4)
        assert estimate.lead_error == pytest.approx(0, abs=1e-2)


def test_root_value_is_not_corrected():
    assert abs(analyzed(BiasedNet(), 2).value - TRUE_WINRATE) < BIAS_WINRATE + 1e-4


def test_mean_and_error_of_the_lead():
    net = Noise()
    report = analyzed(net, 200)
    groups = [np.array([v for parity, v in net.leads if parity == side]) for side in (0, 1)]
    assert len(net.leads) == report.visits == 200
    assert report.estimate.lead == pytest.approx(np.mean([g.mean() for g in groups]), abs=1e-4)
    variance = sum(((g - g.mean()) ** 2).sum() for g in groups) / (200 - 2)
    error = np.sqrt(variance * sum(1 / len(g) for g in groups)) / 2
    assert report.estimate.lead_error == pytest.approx(CORRELATION * error, rel=1e-3)


def test_estimates_survive_subtree_reuse():
    engine, position = searcher(BiasedNet()), Position(9)
    best = analyzed(None, 400, position, engine).candidates[0]
    after = position.after(position.vertex(best.move))
    report = analyzed(None, best.visits, after, engine)
    assert report.simulations == 0, "all visits are reused"
    assert report.visits == best.visits
    assert -report.estimate.lead == pytest.approx(best.estimate.lead, abs=1e-4)
    assert 1 - report.estimate.winrate == pytest.approx(best.estimate.winrate, abs=1e-4)


def test_visits_include_the_reused_subtree():
    engine, position = searcher(BiasedNet()), Position(9)
    first = analyzed(None, 200, position, engine)
    assert first.visits == 200
    after = position.after(position.vertex(first.candidates[0].move))
    second = analyzed(None, 300, after, engine)
    assert second.visits == 300
    assert 0 < second.simulations < 300


def test_no_estimates_outside_of_analysis():
    engine = searcher(BiasedNet())
    engine.set_position(Position(9))
    engine.run(SearchLimit(simulations=20))
    report = engine.report()
    assert report.estimate is None
    assert all(c.estimate is None for c in report.candidates)
