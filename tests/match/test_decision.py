"""Decisions of the sequential test."""

from types import SimpleNamespace

import pytest

from tengen.match import Sprt, SprtDecision, sprt_decision


@pytest.mark.parametrize("stored", [SprtDecision.H0, SprtDecision.H1])
def test_stored_sprt_decision_is_final(stored):
    store = SimpleNamespace(metadata=lambda key: int(stored))
    assert sprt_decision(store, [], Sprt(0, 40)) is stored


def test_decision_without_stored_one_follows_the_games():
    assert (
        sprt_decision(SimpleNamespace(metadata=lambda key: None), [], Sprt(0, 40))
        is SprtDecision.OPEN
    )
