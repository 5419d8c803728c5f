"""A search as the teacher of a network."""

import numpy as np
import pytest

from tengen.board import BLACK, PASS, WHITE, Position, point_at
from tengen.engine import EngineSettings, SearchTeacher, create_engine
from tengen.engine.teacher import visit_shares
from tengen.search import SearchLimit
from tengen.util import TengenError

CAPTURE = """
.......
..OOO..
.OXXXO.
.OXXX..
.OXXXO.
..OOO..
.......
"""
"""The point beside the gap decides over nine stones."""
VITAL = point_at(3, 5)
SETTINGS = EngineSettings().with_overrides(["threads=1", "seed=3", "memory_mib=4"])


@pytest.fixture(scope="module")
def teacher():
    return SearchTeacher(SETTINGS, lambda: SearchLimit(simulations=150))


def vital_share(evaluation):
    return float(evaluation.policy[3, 5])


def test_policy_is_the_share_of_visits(teacher):
    position = Position.from_diagram(CAPTURE, to_play=WHITE)
    (evaluation,) = teacher.evaluate([position])
    assert evaluation.policy.sum() + evaluation.pass_probability == pytest.approx(1, abs=1e-5)
    assert vital_share(evaluation) == evaluation.policy.max() > 0.3
    assert not np.any(evaluation.policy[~position.legal_grid()])


def test_values_are_those_of_the_engine(teacher):
    position = Position.from_diagram(CAPTURE, to_play=BLACK)
    (evaluation,) = teacher.evaluate([position])
    engine = create_engine(SETTINGS.with_overrides(["dynamic_komi=no"]))
    engine.restart(3)
    report = engine.analyze(position, SearchLimit(simulations=150))
    shares = visit_shares(report)
    np.testing.assert_allclose(evaluation.policy, position.on_grid(shares))
    best = report.candidates[0]
    assert shares[best.move] == pytest.approx(
        best.visits / sum(c.visits for c in report.candidates)
    )
    assert evaluation.win_to_play == report.value
    np.testing.assert_allclose(evaluation.ownership_to_play, report.ownership, atol=1e-6)


def test_values_are_for_the_side_to_move(teacher):
    """White, to capture nine stones, is far ahead; after that Black is far behind."""
    ahead = Position.from_diagram(CAPTURE, to_play=WHITE)
    behind = ahead.copy()
    behind.play(VITAL)
    good, bad = teacher.evaluate([ahead, behind])
    assert good.win_to_play > 0.6 > 0.4 > bad.win_to_play
    assert good.lead_to_play > 2 > -2 > bad.lead_to_play
    assert good.ownership_to_play[3, 3] > 0 > bad.ownership_to_play[3, 3]


def test_positions_are_searched_independently(teacher):
    """Earlier searches add no visits and do not change the random numbers."""
    position = Position.from_diagram(CAPTURE, to_play=WHITE)
    after = position.copy()
    after.play(VITAL)
    (alone,) = teacher.evaluate([after])
    _, follows = teacher.evaluate([position, after])
    np.testing.assert_array_equal(alone.policy, follows.policy)


def test_policy_is_the_pass_without_visits(teacher):
    nothing = SearchTeacher(SETTINGS, lambda: SearchLimit(simulations=0))
    (evaluation,) = nothing.evaluate([Position(7)])
    assert evaluation.pass_probability == 1
    assert PASS == 0, "shares are indexed by move, the pass included"


def test_rejects_flat_search():
    with pytest.raises(TengenError, match="flat"):
        SearchTeacher(EngineSettings().with_overrides(["algorithm=flat"]), SearchLimit)
