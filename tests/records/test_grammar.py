"""Parsing, repairs of damaged SGF, and warnings."""

import re

import pytest

from tengen.board import PASS, point_at
from tengen.records import WarningKind, read_bytes


def read(text):
    """Return the games of a text and all warnings."""
    warnings = []
    games = list(read_bytes(text.encode(), "file", warnings.append))
    for game in games:
        warnings += game.warnings
    return games, warnings


def kinds(warnings):
    return {warning.kind for warning in warnings}


def lengths(games):
    return [len(game.moves) for game in games]


@pytest.mark.parametrize(
    ("text", "expected", "kind"),
    [
        ("(;B[aa];W[bb])", [2], None),
        ("junk (;B[aa];W[bb]) more", [2], WarningKind.JUNK),
        ("((;B[aa];W[bb]))", [2], WarningKind.JUNK),
        ("(;B[aa]((;W[bb])))", [2], WarningKind.PARENTHESES),
        ("(;B[aa];W[bb]", [2], WarningKind.TRUNCATED),
        ("(;B[aa];W[b", [1], WarningKind.TRUNCATED),
        ("(;B[aa];W[bb);B[cc])", [1], WarningKind.ILLEGAL_MOVE),  # no clear repair
        ("(;B[aa];W[bb;B[cc])", [3], WarningKind.BRACKETS),
        (";B[aa];W[bb]", [2], WarningKind.PARENTHESES),
        ("(PB[x];B[aa];W[bb])", [2], WarningKind.PROPERTY),
        ("(;B[aa]);W[bb];B[cc])", [3], WarningKind.PARENTHESES),
        ("(;FF[4];B[aa](;FF[4];B[aa];W[bb])", [1, 2], WarningKind.PARENTHESES),
        ("(;B[aa])(;B[aa];W[bb])\x1a", [1, 2], None),
        ("(;B[aa]C[see [1] there];W[bb])", [2], WarningKind.BRACKETS),
        ("(;B[aa]C[x]];W[bb])", [2], WarningKind.BRACKETS),
        ("(;B[aa] what is this ;W[bb])", [2], WarningKind.JUNK),
        ("(;B[aa]KM;W[bb])", [2], WarningKind.JUNK),
        ("(;b[aa];w[bb])", [2], WarningKind.PROPERTY),
        ("(;Black[aa];White[bb])", [2], None),
        ("(;B[aa]W[bb])", [2], WarningKind.PROPERTY),
        ("(;B[aa]B[bb])", [2], WarningKind.PROPERTY),
        ("(;B[AA];W[q16];B[pass])", [3], WarningKind.VALUE),
        ("(;B[aa];W[aa];B[bb])", [1], WarningKind.ILLEGAL_MOVE),
        ("(;B[aa];W[zz];B[bb])", [1], WarningKind.ILLEGAL_MOVE),
        ("(;SZ[25];B[aa])", [0], WarningKind.SIZE),
        ("(;SZ[big];B[aa])", [1], WarningKind.SIZE),
        ("(;GM[2];B[aa])", [0], WarningKind.NOT_GO),
        ("(;KM[6,5];B[aa])", [1], WarningKind.VALUE),
        ("", [], WarningKind.NO_GAME),
        ("no game here", [], WarningKind.NO_GAME),
    ],
)
def test_repairs(text, expected, kind):
    games, warnings = read(text)
    assert lengths(games) == expected
    assert kind in kinds(warnings) if kind else not warnings


def test_warnings_have_file_offset_and_reason():
    games, _ = read("(;PB[石];B[aa];W[aa])")
    (warning,) = games[0].warnings
    assert (warning.file, warning.offset) == ("file", 15)
    assert "W A19 is illegal" in warning.reason
    assert str(warning).startswith("file: byte 15: move 2")


def test_keeps_text_after_an_unescaped_bracket():
    (game,), _ = read("(;C[see [1] and [2\\] there];B[aa])")
    assert game.text("C") == "see [1] and [2] there"


def test_passes_and_rectangular_boards():
    (game,), warnings = read("(;SZ[5:3];B[ec];W[];B[tt])")
    assert not warnings
    assert (game.columns, game.rows) == (5, 3)
    assert [move.move for move in game.moves] == [point_at(2, 4), PASS, PASS]


def test_setup_before_and_between_moves():
    (game,), warnings = read("(;SZ[5];AB[aa:bb];AE[bb];W[cc];AB[dd]AE[aa]PL[B];B[ee])")
    assert not warnings
    assert len(game.setup) == 3
    assert [(c.before_move, len(c.stones)) for c in game.setup_changes] == [(1, 2)]
    board = game.position()
    assert board.diagram().splitlines() == [".X...", "X....", "..O..", "...X.", "....X"]
    assert game.position(0).diagram().count("X") == 3
    assert game.position(1).diagram().count("X") == 3


def test_setup_order():
    """Setup is applied after the moves before it, including consecutive setup nodes."""
    (game,), _ = read("(;SZ[5];B[cc];W[bb];AW[aa];AB[ee];B[dd];AE[cc];W[dc])")
    boards = [game.position(number).board() for number in range(5)]
    assert [int((board > 0).sum()) for board in boards] == [0, 1, 4, 4, 5]


def test_setup_before_an_illegal_move():
    (game,), warnings = read("(;SZ[9];B[aa];AW[bb];B[aa];W[cc])")
    assert kinds(warnings) == {WarningKind.ILLEGAL_MOVE}
    assert (len(game.moves), len(game.setup_changes)) == (1, 1)
    (game,), _ = read("(;SZ[3];B[ba];AW[aa][ca][bb];B[cc])")
    assert (len(game.moves), game.setup_changes) == (1, []), "setup without a liberty"


def test_rectangles_from_any_two_corners():
    for corners in ("aa:cb", "ca:ab", "cb:aa", "A9:C8", "C8:A9", "a9:cb"):
        (game,), warnings = read(f"(;SZ[9]AB[{corners}])")
        assert (len(game.setup), warnings) == (6, []), corners


def test_removes_setup_without_liberties():
    (game,), warnings = read("(;SZ[3]AB[aa][ab][ba]AW[bb][ac][ca]AB[zz]AW[aa])")
    assert WarningKind.SETUP in kinds(warnings)
    assert game.position() is not None


def test_variations():
    (game,), warnings = read("(;SZ[5];B[aa](;W[bb];B[cc])(;W[dd]))")
    assert not warnings
    assert len(game.moves) == 3
    assert sum(1 for _ in game.root.walk()) == 5


@pytest.mark.parametrize(
    ("text", "komi"),
    [("6.5", 6.5), ("6,5", 6.5), ("3.75", 7.5), ("375", 7.5), ("650", 6.5), ("-5.50", -5.5),
     ("0", 0.0), ("7.5 points", 7.5), ("none", None), ("", None), ("6.6", 6.5)],
)  # fmt: skip
def test_komi(text, komi):
    (game,), _ = read(f"(;KM[{text}])")
    assert game.komi == komi


@pytest.mark.parametrize(
    ("text", "name"),
    [("Chinese", "chinese"), ("japanese", "japanese"), ("中国规则", "chinese"), ("AGA", "aga"),
     ("Ing Goe", "new-zealand"), ("NZ", "new-zealand"), ("JP", "japanese"), ("日本", "japanese")],
)  # fmt: skip
def test_rules(text, name):
    (game,), _ = read(f"(;RU[{text}])")
    assert game.rules.name == name


def test_positions_are_lenient_unless_rules_are_given():
    from tengen.board import rules_named
    from tengen.util import TengenError

    (game,), _ = read("(;SZ[2];B[aa];W[ab];B[bb];W[ba];B[aa];W[ab])")
    count = len(game.moves)
    assert game.position().moves == game.moves
    with pytest.raises(TengenError):
        game.position(count + 1)
    (suicide,), _ = read("(;SZ[3]AW[ab][ba];B[aa];W[cc])")
    assert len(suicide.moves) == 2
    with pytest.raises(TengenError, match="move 1"):
        suicide.position(rules=rules_named("chinese"))


@pytest.mark.parametrize(
    "encoding", ["gb18030", "cp932", "cp949", "cp950", "utf-16", "utf-16-be", "utf-8-sig"]
)
def test_detects_undeclared_encodings(encoding):
    names = {
        "gb18030": "(;PB[柯洁]PW[聂卫平]EV[中国围棋甲级联赛第三轮];B[aa])",
        "cp932": "(;PB[井山裕太]PW[一力遼]EV[第四十九期棋聖戦七番勝負のだい五局];B[aa])",
        "cp949": "(;PB[이세돌]PW[박정환]EV[한국바둑리그]RE[흑 불계승];B[aa])",
        "cp950": "(;PB[周俊勳]PW[王元均]EV[第二十三屆天元戰挑戰賽];B[aa])",
    }
    text = names.get(encoding, "(;PB[柯洁]PW[Jérôme];B[aa])")
    (game,) = read_bytes(text.encode(encoding), "x")
    assert not game.warnings
    assert game.black == text.partition("PB[")[2].partition("]")[0]


def test_offsets_of_warnings_in_mixed_encodings():
    games = [
        f"(;GM[1]SZ[9]PB[{name}]C[{'.' * (37 * number % 300)}]KM[6.5 x];B[aa])".encode(encoding)
        for number in range(100)
        for name, encoding in (("ann", "ascii"), ("\u674e\u660c\u9550\u4e5d\u6bb5", "gbk"))
    ]
    data = b"".join(games)
    offsets = [w.offset for game in read_bytes(data) for w in game.warnings]
    assert offsets == [match.start() for match in re.finditer(rb"\(;GM", data)]


def test_mixed_encodings():
    data = "(;CA[gbk]PB[柯洁];B[aa])".encode("gbk") + "(;CA[UTF-8]PB[柯洁];B[zz])".encode()
    first, second = read_bytes(data, "x")
    assert first.black == second.black == "柯洁"
    assert second.warnings[0].offset == data.rindex(b";B[zz]")


def test_wrong_declaration_of_encoding():
    (game,) = read_bytes("(;CA[UTF-8]PB[柯洁]EV[中国围棋];B[aa])".encode("gbk"), "x")
    assert game.black == "柯洁"
    assert [warning.kind for warning in game.warnings] == [WarningKind.ENCODING]


def test_invalid_bytes_give_a_warning_of_their_game():
    data = "(;PB[柯洁 九段];B[aa])".encode() * 2 + "(;PB[柯洁 九段][".encode() + b"\xe6\xe6];B[aa])"
    first, second, third = read_bytes(data, "x")
    assert not first.warnings
    assert not second.warnings
    assert [(w.kind, w.offset) for w in third.warnings] == [
        (WarningKind.ENCODING, data.index(b"\xe6\xe6"))
    ]


def test_brackets_within_a_value():
    games, warnings = read("(;GC[komi (=6 [points])]SZ[9];B[aa];W[bb])(;C[a [b]];B[cc])")
    assert lengths(games) == [2, 1]
    assert games[0].text("GC") == "komi (=6 [points])"
    assert games[0].rows == 9
    assert games[1].text("C") == "a [b]"
    assert kinds(warnings) == {WarningKind.BRACKETS}


@pytest.mark.parametrize("text", ["(;C[a [b])(;B[aa])", "(;C[a [b];W[cc])(;B[aa])"])
def test_unclosed_brackets_within_a_value_are_text(text):
    games, warnings = read(text)
    assert len(games) == 2
    assert games[0].text("C") == "a [b"
    assert warnings == []


def test_lower_case_letters_before_a_name_do_not_count():
    games, _ = read("(;SZ[9];B[aa];ccW[bb];whiteB[cc]fooC[x])")
    assert lengths(games) == [3]
    assert [node.text("C") for node in games[0].root.main_line()][-1] == "x"
