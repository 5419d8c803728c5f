"""A search as a teacher of nets."""

import numpy as np
import pytest

from tengen.board.color import BLACK, WHITE
from tengen.board.points import PASS, point_at
from tengen.board.position import Position
from tengen.engine.search_engine import create_engine
from tengen.engine.settings import EngineSettings
from tengen.engine.teacher import SearchTeacher, visit_shares
from tengen.search.limit import SearchLimit
from tengen.util.errors import TengenError

CAPTURE = """
.......
..OOO..
.OXXXO.
.OXXX..
.OXXXO.
..OOO..
.......
"""
"""Nine stones hang on the one point beside the gap: both sides want it."""
VITAL = point_at(3, 5)
SETTINGS = EngineSettings().with_overrides(["threads=1", "seed=3", "memory_mib=4"])


@pytest.fixture(scope="module")
def teacher():
    return SearchTeacher(SETTINGS, lambda: SearchLimit(simulations=150))


def vital_share(said):
    return float(said.policy[3, 5])


def test_the_policy_is_the_share_of_the_visits(teacher):
    position = Position.from_diagram(CAPTURE, to_play=WHITE)
    (said,) = teacher.evaluate([position])
    assert said.policy.sum() + said.pass_probability == pytest.approx(1, abs=1e-5)
    assert vital_share(said) == said.policy.max() > 0.3
    assert not np.any(said.policy[~position.legal_grid()])


def test_it_says_what_the_engine_says(teacher):
    position = Position.from_diagram(CAPTURE, to_play=BLACK)
    (said,) = teacher.evaluate([position])
    engine = create_engine(SETTINGS.with_overrides(["dynamic_komi=no"]))
    engine.restart(3)
    report = engine.analyze(position, SearchLimit(simulations=150))
    shares = visit_shares(report)
    np.testing.assert_allclose(said.policy, position.on_grid(shares))
    best = report.candidates[0]
    assert shares[best.move] == pytest.approx(
        best.visits / sum(c.visits for c in report.candidates)
    )
    assert said.win_to_play == report.value
    np.testing.assert_allclose(said.ownership_to_play, report.ownership, atol=1e-6)


def test_it_tells_of_the_side_to_move(teacher):
    """White is to take nine stones and is far ahead; Black after it is far behind."""
    ahead = Position.from_diagram(CAPTURE, to_play=WHITE)
    behind = ahead.copy()
    behind.play(VITAL)
    good, bad = teacher.evaluate([ahead, behind])
    assert good.win_to_play > 0.6 > 0.4 > bad.win_to_play
    assert good.lead_to_play > 2 > -2 > bad.lead_to_play
    assert good.ownership_to_play[3, 3] > 0 > bad.ownership_to_play[3, 3]


def test_every_position_is_looked_at_afresh(teacher):
    """What was searched before must not add visits, nor change what chance gives."""
    position = Position.from_diagram(CAPTURE, to_play=WHITE)
    after = position.copy()
    after.play(VITAL)
    (alone,) = teacher.evaluate([after])
    _, follows = teacher.evaluate([position, after])
    np.testing.assert_array_equal(alone.policy, follows.policy)


def test_where_nothing_was_visited_it_passes(teacher):
    nothing = SearchTeacher(SETTINGS, lambda: SearchLimit(simulations=0))
    (said,) = nothing.evaluate([Position(7)])
    assert said.pass_probability == 1
    assert PASS == 0, "the shares are by move, the pass among them"


def test_flat_search_is_refused():
    with pytest.raises(TengenError, match="flat"):
        SearchTeacher(EngineSettings().with_overrides(["algorithm=flat"]), SearchLimit)
