"""The level `auto`: estimates the rank of a person from results."""

import json

import numpy as np
import pytest

from tengen.board import Position
from tengen.engine import (
    EngineSettings,
    RankEstimate,
    create_engine,
    record_result,
    stored_estimate,
)
from tengen.engine.levels.adaptive import estimate_path
from tengen.engine.levels.table import rank_elo
from tengen.util import TengenError

START = RankEstimate()


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_wins_raise_and_losses_lower_the_estimate():
    won, lost = (START.after(has_won, 9, 9, START.playing_rank) for has_won in (True, False))
    assert won.mean > START.mean > lost.mean
    assert max(won.stdev, lost.stdev) < START.stdev
    assert (won.games, won.wins, lost.games, lost.wins) == (1, 1, 1, 0)
    assert won.text.endswith("1 game")


def test_handicap_counts():
    """A win with handicap stones says less than one without, and more if they were given."""
    means = [START.after(True, 19, 19, -14, stones).mean for stones in (4, 0, -4)]
    assert means == sorted(means)
    assert len(set(means)) == 3


@pytest.mark.parametrize("true_rank", [-22, -8, 0])
def test_estimate_converges_and_wins_are_about_half(true_rank):
    rng, estimate = np.random.default_rng(1), START
    results, errors = [], []
    for _ in range(300):
        difference = rank_elo(true_rank, 9, 9) - rank_elo(estimate.playing_rank, 9, 9)
        results.append(rng.random() < 1 / (1 + 10 ** (-difference / 400)))
        estimate = estimate.after(results[-1], 9, 9, estimate.playing_rank)
        errors.append(estimate.mean - true_rank)
    assert abs(np.mean(errors[100:])) < 1.5
    assert np.mean(results[100:]) == pytest.approx(0.5, abs=0.1)


def test_estimate_is_kept_between_runs():
    assert stored_estimate() == START
    after = record_result(True, 9, 9)
    assert stored_estimate() == after
    assert after.mean > START.mean
    assert list(estimate_path().parent.iterdir()) == [estimate_path()], "no temporary files"


@pytest.mark.parametrize("text", ["", "[]", '{"mean": "high"}', '{"rank": 1}', '{"mean": NaN}'])
def test_damaged_estimate(text):
    estimate_path().parent.mkdir(parents=True, exist_ok=True)
    estimate_path().write_text(text)
    with pytest.raises(TengenError, match="delete it to start again"):
        stored_estimate()


def test_engine_plays_at_the_estimated_rank():
    words = ["level=auto", "threads=1", "memory_mib=8", "seed=3"]
    moves = []
    for mean in (-25.0, -3.0):
        estimate_path().parent.mkdir(parents=True, exist_ok=True)
        estimate_path().write_text(json.dumps({"mean": mean, "stdev": 2.0}))
        position, engine = Position(9), create_engine(EngineSettings().with_overrides(words))
        for _ in range(6):
            position.play(engine.think(position).move)
        moves.append(position.moves)
    assert moves[0] != moves[1]
