"""Handicap games: stones, side to move, GTP commands, scoring and records."""

import os
import re
import shutil
from dataclasses import replace

import pytest
from match_helpers import ThreadWorkers, plan_of, scripted

from tengen.board import BLACK, WHITE, rules_named
from tengen.cli.main import main
from tengen.match import (
    SCORERS,
    MatchConfig,
    MatchScore,
    MatchSettings,
    Store,
    load_openings,
    make_player,
    run_match,
    score_of_player,
)
from tengen.match.game import Dispute, play_game, tromp_taylor_margin
from tengen.match.plan import MatchLimits
from tengen.match.player import GtpPlayer
from tengen.match.results import score_of_color
from tengen.records import EndReason, read_bytes
from tengen.util import TengenError

TWO = MatchSettings(9, 9, rules_named("chinese").with_komi(0.5), command_timeout_s=20, handicap=2)
NINE = replace(TWO, handicap=9)
ALL = "fixed_handicap,set_free_handicap"
MOVES = ["play b C3", "play b G7"]
GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")


def play(black, white, settings=TWO, scorer=tromp_taylor_margin):
    """Play one game."""
    players = {BLACK: make_player(black), WHITE: make_player(white)}
    try:
        return play_game(settings, players, (), 7, scorer)
    finally:
        for player in players.values():
            player.close()


def sent_handicap_commands(**options):
    """Return the commands sent between the empty board and the first move."""
    player = GtpPlayer(scripted(echo=1, **options))
    try:
        player.new_game(TWO, 1)
        lines = player.log.splitlines()
    finally:
        player.close()
    return lines[lines.index("komi 0.5") + 2 :]


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"knows": ALL}, ["fixed_handicap 2"]),
        ({"knows": ALL, "handicap": "g7 c3"}, ["fixed_handicap 2"]),
        ({"knows": "set_free_handicap"}, ["set_free_handicap C3 G7"]),
        (
            {"knows": ALL, "rejects": "fixed_handicap"},
            ["fixed_handicap 2", "set_free_handicap C3 G7"],
        ),
        ({"knows": "fixed_handicap", "rejects": "fixed_handicap"}, ["fixed_handicap 2", *MOVES]),
        ({"knows": "set_free_handicap", "rejects": ALL}, ["set_free_handicap C3 G7", *MOVES]),
        ({}, MOVES),
    ],
)
def test_handicap_commands_sent_to_engines(options, sent):
    assert sent_handicap_commands(**options) == sent


@pytest.mark.parametrize("answer", ["C7 G3", "D4 F6", "", "C3", "yes"])
def test_other_fixed_handicap_points_are_replaced(answer):
    sent = sent_handicap_commands(knows=ALL, handicap=answer)
    assert sent == ["fixed_handicap 2", "clear_board", "set_free_handicap C3 G7"]


def test_rejects_an_engine_without_handicap(tmp_path):
    players = [scripted(), scripted(rejects="play")]
    with pytest.raises(TengenError, match="player .*: play: not so"):
        main(["match", *players, "--handicap", "2", "-o", str(tmp_path / "match.sqlite")])
    assert not any(tmp_path.iterdir())


def test_white_moves_first_and_stones_are_compensated():
    game = play(scripted(), scripted())
    assert [move.color for move in game.moves[:3]] == [WHITE, BLACK, WHITE]
    # Four black stones against two, komi, and a point to White for each handicap stone.
    assert (game.result.reason, game.result.margin_black) == (EndReason.SCORE, 4 - 2 - 0.5 - 2)
    assert game.result.winner is WHITE


@pytest.mark.parametrize(
    ("rules", "compensation"),
    [("chinese", 9), ("aga", 8), ("new-zealand", 0), ("tromp-taylor", 0)],
)
@pytest.mark.parametrize("scoring", SCORERS)
def test_scorers_apply_handicap_compensation(rules, compensation, scoring):
    """The whole board is Black's."""
    settings = replace(NINE, rules=rules_named(rules).with_komi(0.5))
    game = play(scripted(stones=0), scripted(stones=0), settings, SCORERS[scoring])
    assert game.result.margin_black == 81 - 0.5 - compensation


def test_engine_player_agrees_with_the_score():
    quick = "tengen playouts=20 memory_mib=8 net=none"
    game = play(quick, quick, scorer=SCORERS["playouts"])
    assert game.result.reason in (EndReason.SCORE, EndReason.RESIGN)
    assert all(side.dispute is Dispute.NONE for side in game.sides.values())


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian package gnugo)")
def test_gnugo_places_the_same_handicap_stones():
    player = GtpPlayer(f"{GNUGO} --mode gtp --level 1 --chinese-rules")
    try:
        for count in range(2, 10):
            player.new_game(replace(TWO, handicap=count), 1)
            stones = player._send("list_stones black").split()
            assert len(stones) == count
            assert player._send("get_handicap") == str(count)
    finally:
        player.close()


@pytest.fixture
def rows(tmp_path):
    """Return four games that White wins by the compensation for nine stones."""
    store = Store(tmp_path / "match.sqlite")
    plan = plan_of(scripted(), scripted(), settings=NINE)
    plan = replace(plan, scoring="tromp-taylor")
    run_match(plan, store, MatchLimits(4), ThreadWorkers(), lambda status: None)
    games = store.games()
    store.close()
    return games


def test_players_alternate_handicap_stones(rows):
    assert [(row.black, row.white) for row in rows] == [(0, 1), (1, 0)] * 2
    assert score_of_player(rows, 0, BLACK).games == score_of_player(rows, 1, BLACK).games == 2
    assert score_of_color(rows, WHITE) == MatchScore(4, 0, 0)
    assert score_of_player(rows, 0) == score_of_player(rows, 1) == MatchScore(2, 0, 2)


def test_sgf_has_handicap_stones_and_komi(rows):
    for row in rows:
        (record,) = read_bytes(row.sgf.encode())
        assert (record.handicap, record.komi, len(record.setup)) == (9, 0.5, 9)
        assert {color for _, color in record.setup} == {BLACK}
        assert record.first_to_play is record.moves[0].color is WHITE
        assert re.search(r"HA\[9\]", row.sgf)
        assert tromp_taylor_margin(record.position()) == row.margin


def test_random_openings_follow_the_handicap_stones():
    openings = load_openings("random:3", TWO, 1)
    for number in range(20):
        moves = openings.opening(number).moves
        assert [move.color for move in moves] == [WHITE, BLACK, WHITE]
        assert not {move.move for move in moves} & set(TWO.handicap_points)


def test_rejects_game_records_with_handicap(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text("(;SZ[9];B[ee];W[cc])")
    with pytest.raises(TengenError, match="a handicap needs openings random:N or empty"):
        load_openings(str(path), TWO, 1)


def test_default_komi_of_handicap_games():
    even, two = MatchConfig(), MatchConfig(handicap=2)
    assert (even.settings().rules.komi, two.settings().rules.komi) == (7.5, 0.5)
    assert replace(two, komi=6.5).settings().rules.komi == 6.5


@pytest.mark.parametrize(
    ("size", "handicap", "complaint"),
    [
        ("9", "1", "use 2 to 9$"),
        ("9", "10", "use 2 to 9$"),
        ("9", "-2", "use 2 to 9$"),
        ("7", "5", "use 2 to 4$"),
        ("8", "5", "use 2 to 4$"),
        ("5", "2", "the board is too small for handicap"),
    ],
)
def test_rejects_invalid_handicaps(tmp_path, size, handicap, complaint):
    words = ["--size", size, "--handicap", handicap, "-o", str(tmp_path / "match.sqlite")]
    with pytest.raises(TengenError, match=complaint):
        main(["match", scripted(), scripted(), *words])
    assert not any(tmp_path.iterdir())


def test_handicap_is_stored(tmp_path):
    path = tmp_path / "match.sqlite"
    config = tmp_path / "match.toml"
    players = "\n".join(f"[[players]]\ncommand = '''{scripted(name=n)}'''" for n in "ab")
    config.write_text(f"games = 2\nhandicap = 2\n{players}")
    assert main(["match", str(config), "-o", str(path)]) == 0
    with pytest.raises(TengenError, match="holds another match: its handicap: 2, not 3"):
        main(["match", str(config), "--handicap", "3", "--komi", "0.5", "-o", str(path)])
    store = Store(path)
    assert store.count() == 2
    assert store.summary() == "9x9, chinese rules, komi 0.5, handicap 2, no clock"
    store.close()


def test_file_without_handicap_setting_resumes_even_games(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    plan = plan_of("a", "b", settings=replace(TWO, handicap=0))
    store.adopt(plan)
    stored = store.metadata("plan")
    del stored["setting"]["handicap"]
    store.set_metadata("plan", stored)
    store.adopt(plan)
    with pytest.raises(TengenError, match="its handicap: 0, not 2"):
        store.adopt(plan_of("a", "b", settings=TWO))
    store.close()
