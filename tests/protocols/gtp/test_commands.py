"""Every GTP command: replies, failures, and that failures have no side effects."""

import json
import re

import pytest
from gtp_helpers import SessionClient

from tengen import __version__
from tengen.board import BLACK, WHITE
from tengen.playout import score_position
from tengen.protocols.gtp import COMMANDS, Command
from tengen.protocols.gtp.protocol import parse_command

REQUIRED = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
]
OFFERED = [
    "reg_genmove",
    "undo",
    "gg-undo",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "time_settings",
    "time_left",
    "final_score",
    "estimate_score",
    "final_status_list",
    "loadsgf",
    "showboard",
    "printsgf",
    "clear_cache",
    "get_komi",
    "set_position",
    "cputime",
    "lz-analyze",
    "kata-analyze",
    "analyze",
    "lz-genmove_analyze",
    "kata-genmove_analyze",
    "kata-get-rules",
    "kata-set-rules",
    "kgs-time_settings",
    "kgs-rules",
    "kgs-genmove_cleanup",
    "kgs-game_over",
    "kata-list_time_settings",
    "kata-time_settings",
    "kata-raw-nn",
    "kata-set-rule",
    "kata-get-param",
    "kata-set-param",
    "kata-list-params",
    "genmove_analyze",
    "rectangular_boardsize",
    "query_boardsize",
    "stop",
    "kgs-chat",
    "cgos-opponent_name",
    "cgos-opponent_rating",
    "cgos-gameover",
    "cgos-genmove_analyze",
    "gogui-analyze_commands",
    "gogui-interrupt",
    "gogui-play_sequence",
    "gogui-setup",
    "gogui-setup_player",
    "gogui-rules_game_id",
    "gogui-rules_board",
    "gogui-rules_board_size",
    "gogui-rules_captured_count",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "gogui-rules_final_result",
]


@pytest.fixture
def client():
    return SessionClient()


# Lines


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("name\n", Command("", "name", [])),
        ("  12   play\tb  D4 # a remark\r\n", Command("12", "play", ["b", "D4"])),
        ("na\x00m\x07e\x7f", Command("", "name", [])),
        ("007 name", Command("007", "name", [])),
        ("12", Command("12", "", [])),
        ("-1 name", Command("", "-1", ["name"])),
        ("", None),
        (" \t\r\n", None),
        ("# only a remark", None),
    ],
)
def test_parse_command(line, command):
    assert parse_command(line) == command


def test_reply_repeats_the_id(client):
    assert client.session.handle("17 name\n") == "=17 Tengen\n\n"
    assert client.session.handle("18 nonsense\n") == "?18 unknown command\n\n"
    assert client.session.handle("19\n") == "?19 unknown command\n\n"


def test_blank_lines_get_no_reply(client):
    for line in ("", "\n", "\r\n", "\t\n", "# hello\n"):
        assert client.session.handle(line) is None


# Administration


def test_administrative_commands(client):
    assert client.ok("protocol_version") == "2"
    assert client.ok("name") == "Tengen"
    assert client.ok("version") == __version__
    assert float(client.ok("cputime")) >= 0
    assert client.ok("clear_cache") == ""


def test_list_commands(client):
    assert client.ok("list_commands").split() == sorted(COMMANDS)
    assert set(REQUIRED) | set(OFFERED) <= set(COMMANDS)
    for name in COMMANDS:
        assert client.ok(f"known_command {name}") == "true"
    assert client.ok("known_command nonsense") == "false"
    assert client.fails("known_command").startswith("usage")


def test_quit(client):
    assert client.ok("quit") == ""
    assert client.session.is_closed


# The board


@pytest.mark.parametrize("words", ["1", "5", "19", "7 9", "19 1"])
def test_sizes(client, words):
    client.ok(f"boardsize {words}")
    columns, rows = (words.split() * 2)[:2]
    position = client.session.position
    assert (position.columns, position.rows) == (int(columns), int(rows))


@pytest.mark.parametrize("words", ["0", "20", "-3", "9 20", "0 9", "1" * 30])
def test_rejects_unacceptable_sizes(client, words):
    client.ok("play b D4")
    assert client.fails(f"boardsize {words}") == "unacceptable size"


@pytest.mark.parametrize("words", ["", "x", "9.5", "nan", "1" * 400, "1" * 5000, "9 x"])
def test_rejects_sizes_that_are_not_numbers(client, words):
    assert client.fails(f"boardsize {words}").startswith("usage")


def test_clear_board_keeps_size_komi_and_rules(client):
    client.ok("kgs-rules japanese")
    client.ok("komi -12.5")
    client.ok("fixed_handicap 3")
    client.ok("clear_board")
    assert set(client.board()) == {".", "\n"}
    assert client.session.position.handicap == 0
    assert client.ok("get_komi") == "-12.5"
    assert client.session.position.rules.name == "japanese"


@pytest.mark.parametrize("komi", ["0", "7", "6.5", "-50", "5e1"])
def test_komi(client, komi):
    client.ok("play b D4")
    client.ok(f"komi {komi}")
    assert float(client.ok("get_komi")) == float(komi)
    assert len(client.session.position.moves) == 1


@pytest.mark.parametrize("komi", ["", "x", "nan", "inf", "-inf", "6.3", "401", "1e300", "1e400"])
def test_rejects_invalid_komi(client, komi):
    assert client.fails(f"komi {komi}")


def test_play(client):
    for line in ("play b D4", "play B e5", "play WHITE d5", "play White pass", "play w PASS"):
        client.ok(line)
    moves = client.session.position.moves
    assert [move.color for move in moves] == [BLACK, BLACK, WHITE, WHITE, WHITE]
    assert client.session.position.to_play is BLACK


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("play b D4", "illegal move"),
        ("play w D4", "illegal move"),
        ("play b", "usage: play COLOR VERTEX"),
        ("play", "usage: play COLOR VERTEX"),
        ("play x D5", "invalid color"),
        ("play b Z4", "invalid vertex"),
        ("play b I5", "invalid vertex"),
        ("play b K5", "invalid vertex"),
        ("play b D0", "invalid vertex"),
        ("play b D10", "invalid vertex"),
        ("play b D-4", "invalid vertex"),
        ("play b D", "invalid vertex"),
        ("play b 44", "invalid vertex"),
        ("play b D٤", "invalid vertex"),
        (f"play b D{'4' * 5000}", "invalid vertex"),
    ],
)
def test_rejects_invalid_moves(client, line, message):
    client.ok("play b D4")
    assert client.fails(line) == message


def test_ko_and_suicide_are_illegal(client):
    client.ok("set_position b C4 b D5 b D3 w D4 w E5 w F4 w E3 w J1 w H2 w J3")
    assert client.fails("play b J2") == "illegal move"
    client.ok("play b E4")
    assert client.fails("play w D4") == "illegal move"
    client.ok("play w G7")
    client.ok("play b G3")
    client.ok("play w D4")


def test_undo(client):
    assert client.fails("undo") == "cannot undo"
    for move in ("b D4", "w D5", "b E5"):
        client.ok(f"play {move}")
    client.ok("undo")
    assert client.session.position.to_play is BLACK
    assert client.fails("gg-undo 3") == "cannot undo"
    assert client.fails("gg-undo -1") == "cannot undo"
    assert client.fails("gg-undo x").startswith("usage")
    client.ok("gg-undo 2")
    assert set(client.board()) == {".", "\n"}
    assert client.fails("gg-undo") == "cannot undo"


def test_set_position(client):
    client.ok("play b A1")
    client.ok("set_position b D4 w E5 black c3")
    assert [client.board().count(stone) for stone in "XO"] == [2, 1]
    assert client.fails("undo") == "cannot undo"
    assert client.fails("set_position b").startswith("usage")
    assert client.fails("set_position b pass") == "invalid vertex"
    assert client.fails("set_position q D4") == "invalid color"
    assert "liberty" in client.fails("set_position b A1 w A2 w B1")
    client.ok("set_position")
    assert set(client.board()) == {".", "\n"}


def test_showboard(client):
    assert "no move yet" in client.ok("showboard")
    client.ok("play b D4")
    shown = client.ok("showboard")
    assert shown.startswith("\n   A B C D E F G H J\n")
    assert "\n\n" not in shown
    assert "White to play, last move D4" in shown
    assert "chinese rules, komi 7.5" in shown


# Handicap

FIXED_19 = {
    2: "D4 Q16",
    3: "D4 Q16 D16",
    4: "D4 Q16 D16 Q4",
    5: "D4 Q16 D16 Q4 K10",
    6: "D4 Q16 D16 Q4 D10 Q10",
    7: "D4 Q16 D16 Q4 D10 Q10 K10",
    8: "D4 Q16 D16 Q4 D10 Q10 K4 K16",
    9: "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10",
}


@pytest.mark.parametrize(("count", "vertices"), FIXED_19.items())
def test_fixed_handicap_on_19(client, count, vertices):
    client.ok("boardsize 19")
    assert client.ok(f"fixed_handicap {count}") == vertices
    assert client.board().count("X") == count
    assert client.session.position.to_play is WHITE
    assert client.session.position.handicap == count


@pytest.mark.parametrize(
    ("size", "count", "vertices"),
    [
        (7, 4, "C3 E5 C5 E3"),
        (8, 4, "C3 F6 C6 F3"),
        (9, 9, "C3 G7 C7 G3 C5 G5 E3 E7 E5"),
        (12, 4, "C3 K10 C10 K3"),
        (13, 5, "D4 K10 D10 K4 G7"),
        (16, 2, "D4 N13"),
    ],
)
def test_fixed_handicap_on_other_sizes(client, size, count, vertices):
    client.ok(f"boardsize {size}")
    assert client.ok(f"fixed_handicap {count}") == vertices


@pytest.mark.parametrize(
    ("size", "count"), [(19, 10), (19, 1), (19, 0), (19, -2), (7, 5), (8, 5), (18, 5), (6, 2)]
)
def test_rejects_too_many_handicap_stones(client, size, count):
    client.ok(f"boardsize {size}")
    assert client.fails(f"fixed_handicap {count}").startswith("invalid number of stones: ")


def test_handicap_requires_an_empty_board(client):
    client.ok("play b D4")
    for line in ("fixed_handicap 2", "place_free_handicap 2", "set_free_handicap A1 B2"):
        assert client.fails(line) == "board not empty"
    for line in ("fixed_handicap", "fixed_handicap x", "place_free_handicap 2.5"):
        assert client.fails(line).startswith("usage")


def test_free_handicap(client):
    assert len(client.ok("place_free_handicap 30").split()) == 9, "as many as it likes, not more"
    client.ok("clear_board")
    assert client.fails("place_free_handicap 1").startswith("invalid number of stones")
    client.ok("set_free_handicap A1 J9 e5")
    assert client.session.position.handicap == 3
    assert client.session.position.to_play is WHITE


def test_black_moves_before_white_count_as_handicap(client):
    scores = []
    for placing in ("set_free_handicap C3 G7", "play b C3\nplay b G7"):
        client.ok("clear_board")
        for line in (*placing.split("\n"), "komi 0.5", "play w E5"):
            client.ok(line)
        assert client.session.position.handicap == 2
        scores.append(client.ok("final_score"))
    assert scores[0] == scores[1]
    client.ok("clear_board")
    for line in ("play b C3", "play w E5", "play b G7", "play b G6"):
        client.ok(line)
    assert client.session.position.handicap == 0, "White was there first"


@pytest.mark.parametrize("words", ["", "A1", "A1 A1", "A1 pass", "A1 Z99", "A1 resign"])
def test_rejects_invalid_vertex_lists(client, words):
    assert client.fails(f"set_free_handicap {words}") == "bad vertex list"


def test_handicap_may_fill_the_board(client):
    client.ok("boardsize 2")
    assert client.fails("set_free_handicap A1 A2 B1 B2") == "bad vertex list"


# Moves


@pytest.mark.kernels
def test_genmove_plays_and_reg_genmove_does_not(client):
    before = client.state()
    move = client.ok("reg_genmove b")
    assert client.state() == before
    assert client.ok("genmove b") != "resign"
    assert len(client.session.position.moves) == 1
    assert client.ok("genmove b"), "colors need not alternate"
    assert [m.color for m in client.session.position.moves] == [BLACK, BLACK]
    assert move
    for line in ("genmove", "genmove x", "reg_genmove", "kgs-genmove_cleanup"):
        assert client.fails(line)


def test_resign_plays_no_move(client):
    before = client.state()
    client.ok("play b resign")
    assert client.state() == before


# Records


def test_printsgf_and_loadsgf(client, tmp_path):
    path = tmp_path / "game.sgf"
    client.ok("komi 6.5")
    client.ok("fixed_handicap 2")
    for move in ("w E5", "b D5", "w pass", "b F5"):
        client.ok(f"play {move}")
    before = client.state()
    text = client.ok("printsgf")
    assert text.startswith("(;")
    assert "KM[6.5]" in text
    assert client.ok(f"printsgf {path}") == ""
    client.ok("boardsize 5")
    client.ok("komi 0")
    assert client.ok(f"loadsgf {path}") == "white"
    assert client.state() == before
    assert client.ok(f"loadsgf {path} 2") == "black"
    assert len(client.session.position.moves) == 1
    assert client.ok(f"loadsgf {path} 1") == "white"
    assert client.session.position.moves == []
    client.ok(f"loadsgf {path} 99")
    assert client.state() == before


def test_loadsgf_keeps_rules_if_the_record_has_none(client, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5];B[aa])")
    client.ok("kgs-rules new_zealand")
    client.ok("komi 3.5")
    client.ok(f"loadsgf {path}")
    assert client.session.position.rules.name == "new-zealand"
    assert client.ok("get_komi") == "3.5"


def test_loadsgf_accepts_games_with_illegal_moves(client, tmp_path):
    """The game contains a suicide under rules that forbid it."""
    path = tmp_path / "suicide.sgf"
    path.write_text("(;SZ[5]RU[Chinese]AW[ba][ab];B[aa];W[cc])")
    client.ok(f"loadsgf {path}")
    assert len(client.session.position.moves) == 2


def test_reports_unreadable_and_unwritable_files(client, tmp_path):
    client.ok("play b D4")
    garbage = tmp_path / "garbage.sgf"
    garbage.write_bytes(b"\x00\xff no game at all")
    chess = tmp_path / "chess.sgf"
    chess.write_text("(;GM[3]SZ[8])")
    wide = tmp_path / "wide.sgf"
    wide.write_text("(;SZ[40];B[aa])")
    for path in (tmp_path / "missing.sgf", garbage, chess, wide, tmp_path):
        assert client.fails(f"loadsgf {path}") == "cannot load file"
    assert client.fails("loadsgf").startswith("usage")
    assert client.fails(f"loadsgf {garbage} x").startswith("usage")
    assert "cannot write" in client.fails(f"printsgf {garbage}/below/it.sgf")


# The end


FINISHED = (
    "set_position b E1 b E2 b E3 b E4 b E5 b E6 b E7 b E8 b E9"
    " w F1 w F2 w F3 w F4 w F5 w F6 w F7 w F8 w F9 w B2 b H8 b J1"
)


def points_of(client, words):
    return {client.session.parse_move(word) for word in words.split()}


@pytest.mark.kernels
def test_score_dead_list_and_ownership_agree(client):
    client.ok(FINISHED)
    client.ok("komi 5.5")
    assert client.ok("final_score") == "B+3.5"
    dead = points_of(client, client.ok("final_status_list dead"))
    assert dead == points_of(client, "B2 H8 J1")
    assert len(client.ok("final_status_list dead").split("\n")) == 3, "one chain a line"
    alive = points_of(client, client.ok("final_status_list alive"))
    assert client.ok("final_status_list seki") == ""
    position = client.session.position
    assert alive | dead == {p for p in position.points() if position.color(p)}
    owner = score_position(position).owner
    assert (owner == 1).sum() - (owner == 2).sum() - 5.5 == 3.5
    for point in alive | dead:
        color = position.color(point)
        assert owner[point // 20 - 1, point % 20 - 1] == (3 - color if point in dead else color)


@pytest.mark.kernels
def test_score_is_independent_of_passes(client):
    client.ok(FINISHED)
    before = client.ok("final_score"), client.ok("final_status_list dead")
    client.ok("play b pass")
    client.ok("play w pass")
    assert (client.ok("final_score"), client.ok("final_status_list dead")) == before
    client.ok("kgs-game_over")
    assert "X" in client.board(), "KGS asks for the dead list after the end"


@pytest.mark.kernels
def test_cleanup_captures_dead_stones_before_passing(client):
    client.ok(FINISHED)
    for _ in range(30):
        if client.ok("kgs-genmove_cleanup b") == "pass":
            break
        client.ok("play w pass")
    board = client.session.position
    assert board.color(client.session.parse_move("B2")) != WHITE
    assert client.board().count("O") == 9, "what lives stays"
    assert client.ok("final_status_list dead"), "the own dead stones are the other side's to take"


@pytest.mark.kernels
def test_estimate_of_a_finished_game_is_exact(client):
    client.ok("boardsize 4 5")
    client.ok("komi 0.5")
    client.ok("set_position b B1 b B2 b B3 b B4 b B5 w C1 w C2 w C3 w C4 w C5")
    assert client.ok("final_score") == "W+0.5"
    assert client.ok("estimate_score") == "W+0.5 (upper bound: -0.5, lower: -0.5)"


@pytest.mark.kernels
def test_estimate_of_an_open_game_has_bounds(client):
    client.ok("boardsize 5")
    client.ok("komi 0.5")
    client.ok("play b C3")
    answer = client.ok("estimate_score")
    found = re.fullmatch(r"([BW])\+([\d.]+) \(upper bound: (-?[\d.]+), lower: (-?[\d.]+)\)", answer)
    assert found, answer
    lead, upper, lower = (float(text) for text in found.groups()[1:])
    assert upper - lower > 2, "the game is open"
    assert lower <= (lead if found[1] == "B" else -lead) <= upper


@pytest.mark.kernels
def test_a_draw_is_0(client):
    client.ok("komi 0")
    assert client.ok("final_score") == "0"


def test_rejects_unknown_status(client):
    assert client.fails("final_status_list").startswith("usage")
    assert client.fails("final_status_list sleeping").startswith("invalid status")


# Rules


def test_rules(client):
    client.ok("komi 3.5")
    client.ok("play b D4")
    for name in ("chinese", "japanese", "aga", "new_zealand"):
        client.ok(f"kgs-rules {name}")
        assert client.session.position.rules.name == name.replace("_", "-")
    client.ok("kata-set-rules tromp-taylor")
    assert json.loads(client.ok("kata-get-rules"))["suicide"] is True
    assert client.ok("get_komi") == "3.5"
    assert len(client.session.position.moves) == 1


@pytest.mark.parametrize("name", ["chinese", "japanese", "aga", "new-zealand", "tromp-taylor"])
def test_kata_rules_round_trip(client, name):
    client.ok(f"kata-set-rules {name}")
    reply = client.ok("kata-get-rules")
    client.ok("kata-set-rules chinese")
    client.ok(f"kata-set-rules {reply}")
    assert client.session.position.rules.name == name


@pytest.mark.parametrize(
    "words",
    [
        "",
        "bridge",
        "{",
        "{]",
        '{"ko":"NEVER"}',
        '{"scoring":7}',
        '{"whiteHandicapBonus":"N-2"}',
        '{"suicide":"perhaps"}',
        '{"tax":"ALL"}',
        '{"scoring":"TERRITORY","tax":"NONE"}',
        '{"hasButton":true}',
        "[1]",
        "{" * 3000,
    ],
)
def test_rejects_invalid_rules(client, words):
    client.ok("play b D4")
    assert client.fails(f"kata-set-rules {words}")
    assert client.fails(f"kgs-rules {words}")


def test_rejects_rules_that_the_game_violates(client):
    client.ok("kata-set-rules tromp-taylor")
    client.ok("set_position b A1 w A2 w B2 w C1")
    client.ok("play b B1")
    assert client.fails("kgs-rules chinese")
    assert client.session.position.rules.suicide


@pytest.mark.parametrize("name", ["set_position", "gogui-setup"])
def test_rejects_two_stones_on_one_point(client, name):
    assert client.fails(f"{name} b A1 w A1") == "two stones on one point"
    client.ok(f"{name} b A1 w B1")


def test_printsgf_rejects_names_with_spaces(client, tmp_path):
    assert "must not contain spaces" in client.fails(f"printsgf {tmp_path}/a b.sgf")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "line",
    ["printsgf .", "printsgf /", f"printsgf {'x' * 5000}", f"loadsgf {'x' * 5000}"]
    + [f"loadsgf {'/'.join(['y' * 200] * 40)}"],
)
def test_impossible_file_names_are_not_internal_errors(line):
    reply = SessionClient().session.handle(line)
    assert reply.startswith("? ")
    assert "internal error" not in reply
