"""Handicap games: who gets the stones, who moves first, who is told what, and who wins."""

import os
import re
import shutil
from dataclasses import replace

import pytest
from match_helpers import ThreadWorkers, plan_of, scripted

from tengen.board.colour import BLACK, WHITE
from tengen.board.rules import rules_named
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.match.config import MatchConfig
from tengen.match.factory import make_player
from tengen.match.game import Dispute, Reason, play_game
from tengen.match.judge import JUDGES, tromp_taylor_margin
from tengen.match.openings import load_openings
from tengen.match.player import GtpPlayer
from tengen.match.runner import Limits, run_match
from tengen.match.setting import GameSetting
from tengen.match.store import Store
from tengen.match.tally import Score, score_of_colour, score_of_player
from tengen.records.reader import read_bytes

TWO = GameSetting(9, 9, rules_named("chinese").with_komi(0.5), command_timeout_s=20, handicap=2)
NINE = replace(TWO, handicap=9)
ALL = "fixed_handicap,set_free_handicap"
MOVES = ["play b C3", "play b G7"]
GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")


def play(black, white, setting=TWO, judge=tromp_taylor_margin):
    """Return the outcome of one game."""
    players = {BLACK: make_player(black), WHITE: make_player(white)}
    try:
        return play_game(setting, players, (), 7, judge)
    finally:
        for player in players.values():
            player.close()


def told_of_stones(**options):
    """Return what an engine is told before its first move, from its empty board on."""
    player = GtpPlayer(scripted(echo=1, **options))
    try:
        player.new_game(TWO, 1)
        lines = player.log.splitlines()
    finally:
        player.close()
    return lines[lines.index("komi 0.5") + 2 :]


@pytest.mark.parametrize(
    ("options", "told"),
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
def test_stones_are_told_as_a_program_understands(options, told):
    assert told_of_stones(**options) == told


@pytest.mark.parametrize("answer", ["C7 G3", "D4 F6", "", "C3", "yes"])
def test_a_program_with_other_points_is_told_ours_on_an_empty_board(answer):
    told = told_of_stones(knows=ALL, handicap=answer)
    assert told == ["fixed_handicap 2", "clear_board", "set_free_handicap C3 G7"]


def test_who_takes_no_stones_at_all_is_told_of_before_the_first_game(tmp_path):
    players = [scripted(), scripted(rejects="play")]
    with pytest.raises(TengenError, match="player .*: play: not so"):
        main(["match", *players, "--handicap", "2", "-o", str(tmp_path / "match.sqlite")])
    assert not any(tmp_path.iterdir())


def test_white_moves_first_and_the_judge_knows_of_the_stones():
    outcome = play(scripted(), scripted())
    assert [move.colour for move in outcome.moves[:3]] == [WHITE, BLACK, WHITE]
    # Four black stones against two, komi, and a point to White for each handicap stone.
    assert (outcome.reason, outcome.margin) == (Reason.SCORE, 4 - 2 - 0.5 - 2)
    assert outcome.winner is WHITE


@pytest.mark.parametrize(
    ("rules", "compensation"),
    [("chinese", 9), ("aga", 8), ("new-zealand", 0), ("tromp-taylor", 0)],
)
@pytest.mark.parametrize("judge", JUDGES)
def test_every_judge_pays_what_the_rules_pay(rules, compensation, judge):
    """On a board that Black has for himself, whoever counts."""
    setting = replace(NINE, rules=rules_named(rules).with_komi(0.5))
    outcome = play(scripted(stones=0), scripted(stones=0), setting, JUDGES[judge])
    assert outcome.margin == 81 - 0.5 - compensation


def test_tengen_agrees_with_the_judge():
    quick = "tengen playouts=20 memory_mib=8 net=none"
    outcome = play(quick, quick, judge=JUDGES["playouts"])
    assert outcome.reason in (Reason.SCORE, Reason.RESIGN)
    assert all(side.dispute is Dispute.NONE for side in outcome.sides.values())


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian package gnugo)")
def test_gnu_go_has_the_same_stones():
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
    """Four games in which White wins by what the rules pay for nine stones."""
    store = Store(tmp_path / "match.sqlite")
    plan = plan_of(scripted(), scripted(), setting=NINE)
    plan = replace(plan, judge="tromp-taylor")
    run_match(plan, store, Limits(4), ThreadWorkers(), lambda status: None)
    games = store.games()
    store.close()
    return games


def test_both_engines_get_the_stones_in_turn(rows):
    assert [(row.black, row.white) for row in rows] == [(0, 1), (1, 0)] * 2
    assert score_of_player(rows, 0, BLACK).games == score_of_player(rows, 1, BLACK).games == 2
    assert score_of_colour(rows, WHITE) == Score(4, 0, 0)
    assert score_of_player(rows, 0) == score_of_player(rows, 1) == Score(2, 0, 2)


def test_the_record_has_handicap_stones_and_komi(rows):
    for row in rows:
        (record,) = read_bytes(row.sgf.encode())
        assert (record.handicap, record.komi, len(record.setup)) == (9, 0.5, 9)
        assert {colour for _, colour in record.setup} == {BLACK}
        assert record.first_to_play is record.moves[0].colour is WHITE
        assert re.search(r"HA\[9\]", row.sgf)
        assert tromp_taylor_margin(record.position()) == row.margin


def test_random_openings_come_after_the_stones_and_begin_with_white():
    openings = load_openings("random:3", TWO, 1)
    for number in range(20):
        moves = openings.opening(number).moves
        assert [move.colour for move in moves] == [WHITE, BLACK, WHITE]
        assert not {move.move for move in moves} & set(TWO.handicap_points)


def test_games_as_openings_are_refused(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text("(;SZ[9];B[ee];W[cc])")
    with pytest.raises(TengenError, match="no handicap together with openings from game records"):
        load_openings(str(path), TWO, 1)


def test_komi_of_a_handicap_game():
    even, two = MatchConfig(), MatchConfig(handicap=2)
    assert (even.setting().rules.komi, two.setting().rules.komi) == (7.5, 0.5)
    assert replace(two, komi=6.5).setting().rules.komi == 6.5


@pytest.mark.parametrize(
    ("size", "handicap", "complaint"),
    [
        ("9", "1", "use 2 to 9 on this board"),
        ("9", "10", "use 2 to 9 on this board"),
        ("9", "-2", "use 2 to 9 on this board"),
        ("7", "5", "use 2 to 4 on this board"),
        ("8", "5", "use 2 to 4 on this board"),
        ("5", "2", "there is none on so small a board"),
    ],
)
def test_handicaps_that_cannot_be_are_refused(tmp_path, size, handicap, complaint):
    words = ["--size", size, "--handicap", handicap, "-o", str(tmp_path / "match.sqlite")]
    with pytest.raises(TengenError, match=complaint):
        main(["match", scripted(), scripted(), *words])
    assert not any(tmp_path.iterdir())


def test_a_file_remembers_its_handicap(tmp_path):
    path = tmp_path / "match.sqlite"
    config = tmp_path / "match.toml"
    players = "\n".join(f"[[players]]\ncommand = '''{scripted(name=n)}'''" for n in "ab")
    config.write_text(f"games = 2\nhandicap = 2\n{players}")
    assert main(["match", str(config), "-o", str(path)]) == 0
    with pytest.raises(TengenError, match="holds another match: its handicap: 2, not 3"):
        main(["match", str(config), "--handicap", "3", "--komi", "0.5", "-o", str(path)])
    store = Store(path)
    assert store.count() == 2
    assert store.terms() == "9x9, chinese rules, komi 0.5, handicap 2, no clock"
    store.close()


def test_a_file_from_before_handicaps_goes_on_with_even_games(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    plan = plan_of("a", "b", setting=replace(TWO, handicap=0))
    store.adopt(plan)
    stored = store.about("plan")
    del stored["setting"]["handicap"]
    store.set_about("plan", stored)
    store.adopt(plan)
    with pytest.raises(TengenError, match="its handicap: 0, not 2"):
        store.adopt(plan_of("a", "b", setting=TWO))
    store.close()
