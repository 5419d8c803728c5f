"""`tengen bench review`: alternation of values, and mistakes with twice the visits."""

import threading

import numpy as np
import pytest

from tengen.bench.review import lag_autocorrelation, measure_reviews
from tengen.cli.main import main
from tengen.util import TengenError, read_results

GAMES = "(;SZ[5]KM[0.5];B[cc];W[bb];B[bc];W[dd])(;SZ[5]KM[0.5];B[aa];W[cc])"
SETTINGS = ["net=none", "memory_mib=8"]

pytestmark = pytest.mark.kernels


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text(GAMES)
    return path


def test_autocorrelation():
    saw_tooth = [0.5 + 0.1 * (-1) ** number for number in range(100)]
    assert lag_autocorrelation(saw_tooth) < -0.95
    steps = np.random.default_rng(1).normal(size=2000)
    assert abs(lag_autocorrelation(np.cumsum(steps))) < 0.1
    assert lag_autocorrelation(steps) == pytest.approx(-0.5, abs=0.1)  # noise on a constant
    assert lag_autocorrelation([0.5, 0.5, 0.5]) == 0
    assert lag_autocorrelation([0.5]) == 0


def test_rows_of_games_and_their_sum(games):
    seen = []
    rows = measure_reviews([games], 5, 10, SETTINGS, seen.append)
    assert seen == rows[:2]
    assert [row["moves"] for row in rows] == [4, 2, 6]
    total = rows[-1]
    for name in ("mistakes", "mistakes_twice"):
        assert total[name] == rows[0][name] + rows[1][name]
    once = max(total["mistakes"], 1)
    assert total["change"] == pytest.approx((total["mistakes_twice"] - total["mistakes"]) / once)


def test_command(games, tmp_path, capsys):
    output = tmp_path / "review.csv"
    options = ["--record", str(games), "--games", "1", "--visits", "5", "-o", str(output)]
    assert main(["bench", "review", *options, *SETTINGS]) == 0
    assert "games.sgf 1: 4 moves" in capsys.readouterr().err
    assert [row["game"] for row in read_results(output).rows] == ["games.sgf 1", "all"]


def test_stopped_after_a_game(games):
    stop = threading.Event()
    rows = measure_reviews([games], 5, 10, SETTINGS, lambda row: stop.set(), stop)
    assert [row["moves"] for row in rows] == [4, 4]


def test_no_games(tmp_path):
    path = tmp_path / "othello.sgf"
    path.write_text("(;GM[2]SZ[8];B[aa])")
    with pytest.raises(TengenError, match="no game to review"):
        measure_reviews([path], 1, 5, SETTINGS)
