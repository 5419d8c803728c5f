"""Reading of GIB, NGF and UGF."""

import pytest

from tengen.records import point_text, read_bytes, sgf_bytes
from tengen.records.conversion import fixed_handicap
from tengen.records.reader import Format, detect_format

GIB = """\\HS
\\[GAMEBLACKNAME=石下之臣(2段)\\]
\\[GAMEWHITENAME=harpmaster(3段)\\]
\\[GAMEPLACE=somewhere\\]
\\[GAMEINFOMAIN=GBKIND:5,GTYPE:0,GCDT:5,GRLT:1,ZIPSU:115,DUM:0,GONGJE:65,TCNT:3\\]
\\[GAMETAG=S1,R5,D0,G0,W1,Z110,T20-1-0,C2012:11:22:18:03\\]
\\HE
\\GS
2 1 0
4 0 &4
INI 0 1 0 &4
STO 0 2 1 15 3
STO 0 3 2 3 15
SKI 0 4
\\GE
"""

NGF = """Rated game
19
ace550      7D*
p81587      5DP
somewhere
2
0
0
20170316 [09:51]
5
White wins by  resign!
2
PMABWQRRQ
PMACBEEEE
"""

OLD_NGF = """GI杯赛
GI朴承华 初段
GI李载雄 五段
GI
GI
GI2006-9-5
GI19
GI0
GI0
GI6
GI2
PMABBREER
PMACWEEEE
GI1
IDB[2] 黑中盘胜[EndTxt]
"""

UGF = """[Header]
Ver=UGF3,200
Title=2019,a game,
Date=2019/03/08,22:09:00,2019/03/09,07:16:59
Rule=JPN
Size=19
Hdcp=0,6.50
Winner=B,7.50
CoordinateType=IGS
PlayerB=kazi,7d,,
PlayerW=yin,8d,,
[Data]
QP,B1,1,0
DP,W1,2,0
YA,B1,3,0
"""

UGI = (
    UGF
    + """[ReviewNode]
NODE,1,0,0,0
NODE,2,1,17,16
  VARIATION,
    NODE,5,2,3,3
    NODE,6,1,4,4
  VARIATIONEND,
NODE,3,2,4,16
NODE,4,1,20,20
[ReviewComment]
.Comment,3
first line
second [line]
.Comment,6
in the variation
"""
)


def read(text, name="x"):
    (game,) = read_bytes(text.encode(), name)
    return game


def move_texts(game):
    return [f"{move.color.letter}{point_text(move.move)}" for move in game.moves]


@pytest.mark.parametrize(
    ("text", "kind", "moves"),
    [
        (GIB, Format.GIB, ["Bpd", "Wdp", "B"]),
        (NGF, Format.NGF, ["Wpq", "Bdd"]),
        (OLD_NGF, Format.NGF, ["Bqd", "Wdd"]),
        (UGF, Format.UGF, ["Bqd", "Wdd", "B"]),
        (UGI, Format.UGF, ["Bqd", "Wdd", "B"]),
        ("(;B[pd];W[dp])", Format.SGF, ["Bpd", "Wdp"]),
    ],
    ids=["gib", "ngf", "old ngf", "ugf", "ugi", "sgf"],
)
def test_moves_and_detection_by_content(text, kind, moves):
    assert detect_format(text, "misleading.dat") == kind
    game = read(text)
    assert move_texts(game) == moves
    assert not game.warnings
    (again,) = read_bytes(sgf_bytes(game), "again")
    assert again.moves == game.moves
    assert again.properties == {**again.properties, **game.properties}


@pytest.mark.parametrize(
    ("text", "black", "white", "date", "result", "komi", "handicap"),
    [
        (GIB, "石下之臣 2段", "harpmaster 3段", "2012-11-22", "W+11.5", 6.5, 0),
        (NGF, "p81587 5p", "ace550 7d", "2017-03-16", "W+R", 0, 2),
        (OLD_NGF, "朴承华 初段", "李载雄 五段", "2006-09-05", "B+R", 6.5, 0),
        (UGF, "kazi 7d", "yin 8d", "2019-03-08", "B+7.5", 6.5, 0),
    ],
    ids=["gib", "ngf", "old ngf", "ugf"],
)
def test_headers(text, black, white, date, result, komi, handicap):
    game = read(text)
    assert f"{game.black} {game.black_rank}" == black
    assert f"{game.white} {game.white_rank}" == white
    assert (game.text("DT"), str(game.result)) == (date, result)
    assert (game.komi, game.handicap, len(game.setup)) == (komi, handicap, handicap)


def test_ugf_reviews_have_variations_and_comments():
    game = read(UGI)
    nodes = list(game.root.main_line())
    assert [len(node.children) for node in nodes] == [1, 1, 2, 1, 0]
    assert nodes[3].text("C") == "first line\nsecond [line]"
    assert nodes[2].children[1].children[0].text("C") == "in the variation"


def test_handicap_stones_in_ugf_data():
    text = UGF.replace("Hdcp=0,6.50", "Hdcp=2,0.50").replace(
        "QP,B1,1,0", "DD,B1,0,0\nQQ,B1,0,0\nCC,W1,1,0"
    )
    game = read(text)
    assert (len(game.setup), game.handicap, move_texts(game)[0]) == (2, 2, "Wcq")


@pytest.mark.parametrize("count", range(2, 10))
@pytest.mark.parametrize("size", [9, 13, 19])
def test_fixed_handicap(count, size):
    points = fixed_handicap(count, size)
    assert len(set(points)) == count


def test_invalid_fixed_handicaps():
    assert fixed_handicap(1, 19) == fixed_handicap(10, 19) == fixed_handicap(5, 8) == []


@pytest.mark.parametrize("text", [GIB, NGF, OLD_NGF, UGF, UGI])
def test_truncated_files(text):
    for end in range(0, len(text), 7):
        list(read_bytes(text[:end].encode(), "x.gib", lambda warning: None))
        list(read_bytes(text[:end].encode(), "x.ngf", lambda warning: None))
