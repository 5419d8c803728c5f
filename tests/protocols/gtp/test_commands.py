"""Every GTP command: replies, failures, and that failures have no side effects."""

import json
import re

import pytest
from gtp_helpers import Talk

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
def talk():
    return Talk()


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


def test_reply_repeats_the_id(talk):
    assert talk.session.handle("17 name\n") == "=17 Tengen\n\n"
    assert talk.session.handle("18 nonsense\n") == "?18 unknown command\n\n"
    assert talk.session.handle("19\n") == "?19 unknown command\n\n"


def test_blank_lines_get_no_reply(talk):
    for line in ("", "\n", "\r\n", "\t\n", "# hello\n"):
        assert talk.session.handle(line) is None


# Administration


def test_administrative_commands(talk):
    assert talk.ok("protocol_version") == "2"
    assert talk.ok("name") == "Tengen"
    assert talk.ok("version") == __version__
    assert float(talk.ok("cputime")) >= 0
    assert talk.ok("clear_cache") == ""


def test_list_commands(talk):
    assert talk.ok("list_commands").split() == sorted(COMMANDS)
    assert set(REQUIRED) | set(OFFERED) <= set(COMMANDS)
    for name in COMMANDS:
        assert talk.ok(f"known_command {name}") == "true"
    assert talk.ok("known_command nonsense") == "false"
    assert talk.fails("known_command").startswith("usage")


def test_quit(talk):
    assert talk.ok("quit") == ""
    assert talk.session.is_closed


# The board


@pytest.mark.parametrize("words", ["1", "5", "19", "7 9", "19 1"])
def test_sizes(talk, words):
    talk.ok(f"boardsize {words}")
    columns, rows = (words.split() * 2)[:2]
    position = talk.session.position
    assert (position.columns, position.rows) == (int(columns), int(rows))


@pytest.mark.parametrize("words", ["0", "20", "-3", "9 20", "0 9", "1" * 30])
def test_rejects_unacceptable_sizes(talk, words):
    talk.ok("play b D4")
    assert talk.fails(f"boardsize {words}") == "unacceptable size"


@pytest.mark.parametrize("words", ["", "x", "9.5", "nan", "1" * 400, "1" * 5000, "9 x"])
def test_rejects_sizes_that_are_not_numbers(talk, words):
    assert talk.fails(f"boardsize {words}").startswith("usage")


def test_clear_board_keeps_size_komi_and_rules(talk):
    talk.ok("kgs-rules japanese")
    talk.ok("komi -12.5")
    talk.ok("fixed_handicap 3")
    talk.ok("clear_board")
    assert set(talk.board()) == {".", "\n"}
    assert talk.session.position.handicap == 0
    assert talk.ok("get_komi") == "-12.5"
    assert talk.session.position.rules.name == "japanese"


@pytest.mark.parametrize("komi", ["0", "7", "6.5", "-50", "5e1"])
def test_komi(talk, komi):
    talk.ok("play b D4")
    talk.ok(f"komi {komi}")
    assert float(talk.ok("get_komi")) == float(komi)
    assert len(talk.session.position.moves) == 1


@pytest.mark.parametrize("komi", ["", "x", "nan", "inf", "-inf", "6.3", "401", "1e300", "1e400"])
def test_rejects_invalid_komi(talk, komi):
    assert talk.fails(f"komi {komi}")


def test_play(talk):
    for line in ("play b D4", "play B e5", "play WHITE d5", "play White pass", "play w PASS"):
        talk.ok(line)
    moves = talk.session.position.moves
    assert [move.color for move in moves] == [BLACK, BLACK, WHITE, WHITE, WHITE]
    assert talk.session.position.to_play is BLACK


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
def test_rejects_invalid_moves(talk, line, message):
    talk.ok("play b D4")
    assert talk.fails(line) == message


def test_ko_and_suicide_are_illegal(talk):
    talk.ok("set_position b C4 b D5 b D3 w D4 w E5 w F4 w E3 w J1 w H2 w J3")
    assert talk.fails("play b J2") == "illegal move"
    talk.ok("play b E4")
    assert talk.fails("play w D4") == "illegal move"
    talk.ok("play w G7")
    talk.ok("play b G3")
    talk.ok("play w D4")


def test_undo(talk):
    assert talk.fails("undo") == "cannot undo"
    for move in ("b D4", "w D5", "b E5"):
        talk.ok(f"play {move}")
    talk.ok("undo")
    assert talk.session.position.to_play is BLACK
    assert talk.fails("gg-undo 3") == "cannot undo"
    assert talk.fails("gg-undo -1") == "cannot undo"
    assert talk.fails("gg-undo x").startswith("usage")
    talk.ok("gg-undo 2")
    assert set(talk.board()) == {".", "\n"}
    assert talk.fails("gg-undo") == "cannot undo"


def test_set_position(talk):
    talk.ok("play b A1")
    talk.ok("set_position b D4 w E5 black c3")
    assert [talk.board().count(stone) for stone in "XO"] == [2, 1]
    assert talk.fails("undo") == "cannot undo"
    assert talk.fails("set_position b").startswith("usage")
    assert talk.fails("set_position b pass") == "invalid vertex"
    assert talk.fails("set_position q D4") == "invalid color"
    assert "liberty" in talk.fails("set_position b A1 w A2 w B1")
    talk.ok("set_position")
    assert set(talk.board()) == {".", "\n"}


def test_showboard(talk):
    assert "no move yet" in talk.ok("showboard")
    talk.ok("play b D4")
    shown = talk.ok("showboard")
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
def test_fixed_handicap_on_19(talk, count, vertices):
    talk.ok("boardsize 19")
    assert talk.ok(f"fixed_handicap {count}") == vertices
    assert talk.board().count("X") == count
    assert talk.session.position.to_play is WHITE
    assert talk.session.position.handicap == count


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
def test_fixed_handicap_on_other_sizes(talk, size, count, vertices):
    talk.ok(f"boardsize {size}")
    assert talk.ok(f"fixed_handicap {count}") == vertices


@pytest.mark.parametrize(
    ("size", "count"), [(19, 10), (19, 1), (19, 0), (19, -2), (7, 5), (8, 5), (18, 5), (6, 2)]
)
def test_rejects_too_many_handicap_stones(talk, size, count):
    talk.ok(f"boardsize {size}")
    assert talk.fails(f"fixed_handicap {count}").startswith("invalid number of stones: ")


def test_handicap_requires_an_empty_board(talk):
    talk.ok("play b D4")
    for line in ("fixed_handicap 2", "place_free_handicap 2", "set_free_handicap A1 B2"):
        assert talk.fails(line) == "board not empty"
    for line in ("fixed_handicap", "fixed_handicap x", "place_free_handicap 2.5"):
        assert talk.fails(line).startswith("usage")


def test_free_handicap(talk):
    assert len(talk.ok("place_free_handicap 30").split()) == 9, "as many as it likes, not more"
    talk.ok("clear_board")
    assert talk.fails("place_free_handicap 1").startswith("invalid number of stones")
    talk.ok("set_free_handicap A1 J9 e5")
    assert talk.session.position.handicap == 3
    assert talk.session.position.to_play is WHITE


def test_black_moves_before_white_count_as_handicap(talk):
    scores = []
    for placing in ("set_free_handicap C3 G7", "play b C3\nplay b G7"):
        talk.ok("clear_board")
        for line in (*placing.split("\n"), "komi 0.5", "play w E5"):
            talk.ok(line)
        assert talk.session.position.handicap == 2
        scores.append(talk.ok("final_score"))
    assert scores[0] == scores[1]
    talk.ok("clear_board")
    for line in ("play b C3", "play w E5", "play b G7", "play b G6"):
        talk.ok(line)
    assert talk.session.position.handicap == 0, "White was there first"


@pytest.mark.parametrize("words", ["", "A1", "A1 A1", "A1 pass", "A1 Z99", "A1 resign"])
def test_rejects_invalid_vertex_lists(talk, words):
    assert talk.fails(f"set_free_handicap {words}") == "bad vertex list"


def test_handicap_may_fill_the_board(talk):
    talk.ok("boardsize 2")
    assert talk.fails("set_free_handicap A1 A2 B1 B2") == "bad vertex list"


# Moves


@pytest.mark.kernels
def test_genmove_plays_and_reg_genmove_does_not(talk):
    before = talk.state()
    move = talk.ok("reg_genmove b")
    assert talk.state() == before
    assert talk.ok("genmove b") != "resign"
    assert len(talk.session.position.moves) == 1
    assert talk.ok("genmove b"), "colors need not alternate"
    assert [m.color for m in talk.session.position.moves] == [BLACK, BLACK]
    assert move
    for line in ("genmove", "genmove x", "reg_genmove", "kgs-genmove_cleanup"):
        assert talk.fails(line)


def test_resign_plays_no_move(talk):
    before = talk.state()
    talk.ok("play b resign")
    assert talk.state() == before


# Records


def test_printsgf_and_loadsgf(talk, tmp_path):
    path = tmp_path / "game.sgf"
    talk.ok("komi 6.5")
    talk.ok("fixed_handicap 2")
    for move in ("w E5", "b D5", "w pass", "b F5"):
        talk.ok(f"play {move}")
    before = talk.state()
    text = talk.ok("printsgf")
    assert text.startswith("(;")
    assert "KM[6.5]" in text
    assert talk.ok(f"printsgf {path}") == ""
    talk.ok("boardsize 5")
    talk.ok("komi 0")
    assert talk.ok(f"loadsgf {path}") == "white"
    assert talk.state() == before
    assert talk.ok(f"loadsgf {path} 2") == "black"
    assert len(talk.session.position.moves) == 1
    assert talk.ok(f"loadsgf {path} 1") == "white"
    assert talk.session.position.moves == []
    talk.ok(f"loadsgf {path} 99")
    assert talk.state() == before


def test_loadsgf_keeps_rules_if_the_record_has_none(talk, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5];B[aa])")
    talk.ok("kgs-rules new_zealand")
    talk.ok("komi 3.5")
    talk.ok(f"loadsgf {path}")
    assert talk.session.position.rules.name == "new-zealand"
    assert talk.ok("get_komi") == "3.5"


def test_loadsgf_accepts_games_with_illegal_moves(talk, tmp_path):
    """The game contains a suicide under rules that forbid it."""
    path = tmp_path / "suicide.sgf"
    path.write_text("(;SZ[5]RU[Chinese]AW[ba][ab];B[aa];W[cc])")
    talk.ok(f"loadsgf {path}")
    assert len(talk.session.position.moves) == 2


def test_reports_unreadable_and_unwritable_files(talk, tmp_path):
    talk.ok("play b D4")
    garbage = tmp_path / "garbage.sgf"
    garbage.write_bytes(b"\x00\xff no game at all")
    chess = tmp_path / "chess.sgf"
    chess.write_text("(;GM[3]SZ[8])")
    wide = tmp_path / "wide.sgf"
    wide.write_text("(;SZ[40];B[aa])")
    for path in (tmp_path / "missing.sgf", garbage, chess, wide, tmp_path):
        assert talk.fails(f"loadsgf {path}") == "cannot load file"
    assert talk.fails("loadsgf").startswith("usage")
    assert talk.fails(f"loadsgf {garbage} x").startswith("usage")
    assert "cannot write" in talk.fails(f"printsgf {garbage}/below/it.sgf")


# The end


FINISHED = (
    "set_position b E1 b E2 b E3 b E4 b E5 b E6 b E7 b E8 b E9"
    " w F1 w F2 w F3 w F4 w F5 w F6 w F7 w F8 w F9 w B2 b H8 b J1"
)


def points_of(talk, words):
    return {talk.session.parse_move(word) for word in words.split()}


@pytest.mark.kernels
def test_score_dead_list_and_ownership_agree(talk):
    talk.ok(FINISHED)
    talk.ok("komi 5.5")
    assert talk.ok("final_score") == "B+3.5"
    dead = points_of(talk, talk.ok("final_status_list dead"))
    assert dead == points_of(talk, "B2 H8 J1")
    assert len(talk.ok("final_status_list dead").split("\n")) == 3, "one chain a line"
    alive = points_of(talk, talk.ok("final_status_list alive"))
    assert talk.ok("final_status_list seki") == ""
    position = talk.session.position
    assert alive | dead == {p for p in position.points() if position.color(p)}
    owner = score_position(position).owner
    assert (owner == 1).sum() - (owner == 2).sum() - 5.5 == 3.5
    for point in alive | dead:
        color = position.color(point)
        assert owner[point // 20 - 1, point % 20 - 1] == (3 - color if point in dead else color)


@pytest.mark.kernels
def test_score_is_independent_of_passes(talk):
    talk.ok(FINISHED)
    before = talk.ok("final_score"), talk.ok("final_status_list dead")
    talk.ok("play b pass")
    talk.ok("play w pass")
    assert (talk.ok("final_score"), talk.ok("final_status_list dead")) == before
    talk.ok("kgs-game_over")
    assert "X" in talk.board(), "KGS asks for the dead list after the end"


@pytest.mark.kernels
def test_cleanup_captures_dead_stones_before_passing(talk):
    talk.ok(FINISHED)
    for _ in range(30):
        if talk.ok("kgs-genmove_cleanup b") == "pass":
            break
        talk.ok("play w pass")
    board = talk.session.position
    assert board.color(talk.session.parse_move("B2")) != WHITE
    assert talk.board().count("O") == 9, "what lives stays"
    assert talk.ok("final_status_list dead"), "the own dead stones are the other side's to take"


@pytest.mark.kernels
def test_estimate_of_a_finished_game_is_exact(talk):
    talk.ok("boardsize 4 5")
    talk.ok("komi 0.5")
    talk.ok("set_position b B1 b B2 b B3 b B4 b B5 w C1 w C2 w C3 w C4 w C5")
    assert talk.ok("final_score") == "W+0.5"
    assert talk.ok("estimate_score") == "W+0.5 (upper bound: -0.5, lower: -0.5)"


@pytest.mark.kernels
def test_estimate_of_an_open_game_has_bounds(talk):
    talk.ok("boardsize 5")
    talk.ok("komi 0.5")
    talk.ok("play b C3")
    answer = talk.ok("estimate_score")
    found = re.fullmatch(r"([BW])\+([\d.]+) \(upper bound: (-?[\d.]+), lower: (-?[\d.]+)\)", answer)
    assert found, answer
    lead, upper, lower = (float(text) for text in found.groups()[1:])
    assert upper - lower > 2, "the game is open"
    assert lower <= (lead if found[1] == "B" else -lead) <= upper


@pytest.mark.kernels
def test_a_draw_is_0(talk):
    talk.ok("komi 0")
    assert talk.ok("final_score") == "0"


def test_rejects_unknown_status(talk):
    assert talk.fails("final_status_list").startswith("usage")
    assert talk.fails("final_status_list sleeping").startswith("invalid status")


# Rules


def test_rules(talk):
    talk.ok("komi 3.5")
    talk.ok("play b D4")
    for name in ("chinese", "japanese", "aga", "new_zealand"):
        talk.ok(f"kgs-rules {name}")
        assert talk.session.position.rules.name == name.replace("_", "-")
    talk.ok("kata-set-rules tromp-taylor")
    assert json.loads(talk.ok("kata-get-rules"))["suicide"] is True
    assert talk.ok("get_komi") == "3.5"
    assert len(talk.session.position.moves) == 1


@pytest.mark.parametrize("name", ["chinese", "japanese", "aga", "new-zealand", "tromp-taylor"])
def test_kata_rules_round_trip(talk, name):
    talk.ok(f"kata-set-rules {name}")
    told = talk.ok("kata-get-rules")
    talk.ok("kata-set-rules chinese")
    talk.ok(f"kata-set-rules {told}")
    assert talk.session.position.rules.name == name


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
def test_rejects_invalid_rules(talk, words):
    talk.ok("play b D4")
    assert talk.fails(f"kata-set-rules {words}")
    assert talk.fails(f"kgs-rules {words}")


def test_rejects_rules_that_the_game_violates(talk):
    talk.ok("kata-set-rules tromp-taylor")
    talk.ok("set_position b A1 w A2 w B2 w C1")
    talk.ok("play b B1")
    assert talk.fails("kgs-rules chinese")
    assert talk.session.position.rules.suicide


@pytest.mark.parametrize("name", ["set_position", "gogui-setup"])
def test_rejects_two_stones_on_one_point(talk, name):
    assert talk.fails(f"{name} b A1 w A1") == "two stones on one point"
    talk.ok(f"{name} b A1 w B1")


def test_printsgf_rejects_names_with_spaces(talk, tmp_path):
    assert "must not contain spaces" in talk.fails(f"printsgf {tmp_path}/a b.sgf")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "line",
    ["printsgf .", "printsgf /", f"printsgf {'x' * 5000}", f"loadsgf {'x' * 5000}"]
    + [f"loadsgf {'/'.join(['y' * 200] * 40)}"],
)
def test_impossible_file_names_are_not_internal_errors(line):
    reply = Talk().session.handle(line)
    assert reply.startswith("? ")
    assert "internal error" not in reply
