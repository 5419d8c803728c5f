"""What a sequential test has decided stays decided."""

from types import SimpleNamespace

import pytest

from tengen.match.decision import decision_of
from tengen.match.stats import Decision, Sprt


@pytest.mark.parametrize("stored", [Decision.H0, Decision.H1])
def test_games_that_came_in_later_do_not_take_a_decision_back(stored):
    store = SimpleNamespace(about=lambda key: int(stored))
    assert decision_of(store, [], Sprt(0, 40)) is stored


def test_without_a_decision_the_games_are_asked():
    assert decision_of(SimpleNamespace(about=lambda key: None), [], Sprt(0, 40)) is Decision.OPEN
