"""Counts by player and color (paper 001 describes a tool that confused them), and summary rows."""

import pytest
from match_helpers import plan_of, row_of, scripted

from tengen.board import BLACK, WHITE
from tengen.cli.main import main
from tengen.match import (
    MatchConfig,
    MatchScore,
    Store,
    black_scores,
    duplicates,
    pair_counts,
    score_of_player,
    time_use,
)
from tengen.match.results import score_of_color
from tengen.records import EndReason
from tengen.util import TengenError, read_results


def alternating(winner_of):
    """Return ten games of players 0 and 1 with alternating colors."""
    return [
        row_of(number, number % 2, 1 - number % 2, winner_of(number % 2)) for number in range(10)
    ]


def test_player_that_always_wins_wins_with_both_colors():
    rows = alternating(lambda black: 1 if black == 0 else 2)
    assert score_of_player(rows, 0) == MatchScore(10, 0, 0)
    assert score_of_player(rows, 0, BLACK) == score_of_player(rows, 0, WHITE) == MatchScore(5, 0, 0)
    assert score_of_color(rows, BLACK) == MatchScore(5, 0, 5)


def test_color_that_always_wins_gives_each_player_half():
    rows = alternating(lambda black: 2)
    assert score_of_color(rows, WHITE) == MatchScore(10, 0, 0)
    assert score_of_player(rows, 0) == score_of_player(rows, 1) == MatchScore(5, 0, 5)
    assert score_of_player(rows, 0, WHITE) == MatchScore(5, 0, 0)
    assert score_of_player(rows, 0, BLACK) == MatchScore(0, 0, 5)


def test_results_by_player_and_by_color_differ():
    """Reading "B" as the first engine would give 5 of 10 where the engine won 10 of 10."""
    rows = alternating(lambda black: 1 if black == 0 else 2)
    by_color, by_engine = score_of_color(rows, BLACK).wins, score_of_player(rows, 0).wins
    assert (by_color, by_engine) == (5, 10)


def test_draws_count_half():
    rows = [row_of(0, 0, 1, None), row_of(1, 1, 0, 2)]
    assert score_of_player(rows, 0) == MatchScore(1, 1, 0)
    assert score_of_player(rows, 0).points == 1.5
    assert black_scores(rows) == [(0, 1, 0.5), (1, 0, 0.0)]


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [(1, 2, [0, 0, 0, 0, 1]), (1, 1, [0, 0, 1, 0, 0]), (2, None, [0, 1, 0, 0, 0])],
)
def test_pair_counts_by_player(first, second, counts):
    assert pair_counts([row_of(0, 0, 1, first), row_of(1, 1, 0, second)], 0) == counts


def test_incomplete_pairs_do_not_count():
    assert pair_counts([row_of(0, 0, 1, 1)], 0) == [0] * 5


def test_duplicates():
    rows = [row_of(0, 0, 1, 1), row_of(1, 1, 0, 1), row_of(2, 0, 1, 1)._replace(digest="0")]
    assert duplicates(rows) == 1
    other_players = [row_of(0, 0, 1, 1), row_of(1, 0, 2, 1)._replace(digest="0")]
    assert duplicates(other_players) == 0
    crashed = [row_of(n, 0, 1, 1)._replace(digest="0", reason=EndReason.CRASH) for n in range(3)]
    assert duplicates(crashed) == 0


def test_time_use_by_player():
    first = row_of(0, 0, 1, 1)._replace(length=22, opening_moves=2, black_time_s=5, white_time_s=1)
    second = row_of(1, 1, 0, 1)._replace(length=20, opening_moves=2, black_time_s=1, white_time_s=7)
    assert time_use([first, second], 0) == (19, 12, 0)
    assert time_use([first, second._replace(white_cpu_s=None)], 0).cpu_s is None


def test_game_lost_before_its_opening_counts_no_moves():
    row = row_of(0, 0, 1, 1)._replace(length=0, opening_moves=8)
    assert time_use([row], 0).moves == 0


def test_command_line_reproduces_the_config():
    config = MatchConfig(
        ("tengen playouts=5", "gnugo --mode gtp"), ("a", "b"), games=4, komi=-0.5, sprt="-5,5"
    )
    assert config.command_line() == (
        "tengen match 'tengen playouts=5' 'gnugo --mode gtp' --names a,b --games=4 --komi=-0.5 "
        "--sprt=-5,5"
    )


def test_report_adds_and_replaces_rows(tmp_path):
    path, table = tmp_path / "match.sqlite", tmp_path / "results" / "matches.csv"
    words = ["--names", "a,b", "--size", "5", "--komi", "0.5", "-o", str(path)]
    for games in ("2", "4"):
        players = [scripted(), scripted(resign=1)]
        assert main(["match", *players, "--games", games, *words]) == 0
        assert main(["report", str(path), "--row", str(table)]) == 0
    first, second = read_results(table).rows
    assert (first["games"], second["games"]) == ("2", "4")
    assert (first["player"], first["opponent"]) == ("a", "b")
    assert second["score"].startswith("100.0% (")
    assert (second["as Black"], second["as White"]) == ("2/2", "2/2")
    assert second["settings"] == "5x5, chinese rules, komi 0.5, no clock"
    assert second["command"].startswith("tengen match ")
    assert second["revision"]
    assert main(["report", str(path), "--row", str(table)]) == 0
    assert len(read_results(table).rows) == 2


def test_rejects_a_file_without_command(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    store.adopt(plan_of("a", "b"))
    store.finish(row_of(0, 0, 1, 2))
    store.close()
    with pytest.raises(TengenError, match="does not record its command"):
        main(["report", str(tmp_path / "match.sqlite"), "--row", str(tmp_path / "rows.csv")])
