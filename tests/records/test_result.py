"""Parsing and writing of game results."""

import pytest

from tengen.board import BLACK, WHITE
from tengen.records import EndReason, GameResult
from tengen.records.result import DRAW, parse_result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B+R", "B+R"), ("W+Resign", "W+R"), ("b+resign", "B+R"), ("W+T", "W+T"),
        ("W+Time", "W+T"), ("B+F", "B+F"), ("W+Offline", "W+F"), ("B+0.5", "B+0.5"),
        ("W+3,5", "W+3.5"), ("B+1.50", "B+1.5"), ("B + 12", "B+12"), ("B+", "B+"),
        ("Black+3.5", "B+3.5"), ("B+3,5 moku", "B+3.5"),
        ("W+2, by time", "W+2"), ("B+5 points", "B+5"), ("B+R (moves beyond 120 not known)", "B+R"),
        ("B+1/2", "B+0.5"), ("W+3 1/2", "W+3.5"), ("W+3½", "W+3.5"), ("B+½", "B+0.5"),
        ("White wins by 1/2", "W+0.5"), ("B+31/2", "B+"), ("B+2/3", "B+"), ("W+Res.", "W+R"),
        ("B+R.", "B+R"), ("黑胜½子", "B+1"),
        ("0", "0"), ("Draw", "0"), ("Jigo", "0"), ("B+0", "0"), ("Void", "Void"),
        ("Void (quadruple ko)", "Void"), ("?", "?"), ("", "?"), ("unknown", "?"), ("B", "?"),
        ("Black wins by 0.5", "B+0.5"), ("White wins by  resign", "W+R"),
        ("White resigns.", "B+R"), ("Black resigns. W 133.5 B 81.0", "W+R"),
        ("Black won on time", "B+T"), ("white loses by 3 points", "B+3"),
        ("黑中盘胜", "B+R"), ("白中盤勝", "W+R"), ("白勝", "W+"), ("黒中押し勝ち", "B+R"),
        ("257手完, 黒中押し勝ち", "B+R"), ("黑胜1又3/4子", "B+3.5"), ("白胜3/4子", "W+1.5"),
        ("黑胜１¾子", "B+3.5"), ("白3目半勝", "W+3.5"), ("黒半目勝", "B+0.5"),
        ("黑胜半目", "B+0.5"), ("黒十一目半勝", "B+11.5"), ("白十二目半勝", "W+12.5"),
        ("黒二十三目勝", "B+23"), ("白一〇目半勝", "W+10.5"), ("白二十目勝", "W+20"),
        ("黑胜四分之三子", "B+1.5"), ("白勝二又四分之一子", "W+4.5"), ("黑胜十又1/2子", "B+21"),
        ("黒百目勝", "B+"), ("白千分之半子勝", "W+"),
        ("白11目胜", "W+11"), ("黑超时负", "W+T"), ("白时间胜", "W+T"), ("흑 불계승", "B+R"),
        ("백 3집반승", "W+3.5"), ("흑시간승", "B+T"), ("和棋", "0"), ("持碁", "0"),
        ("无胜负", "Void"),
        ("黑中盘胜(现场消息)", "B+R"), ("黑白", "?"), ("W+" + "9" * 200_000, "W+9999"),
    ],
)  # fmt: skip
def test_parses_and_writes_results(text, expected):
    assert str(parse_result(text)) == expected


def test_fields():
    assert parse_result("W+3.5") == (WHITE, 3.5, EndReason.SCORE)
    assert parse_result("B+R") == (BLACK, None, EndReason.RESIGN)
    assert parse_result("B+") == (BLACK, None, EndReason.UNKNOWN)
    assert parse_result("Jigo") == (None, 0.0, EndReason.SCORE)
    assert parse_result("Void") == (None, None, EndReason.VOID)


@pytest.mark.parametrize(
    ("margin_black", "text"), [(3.5, "B+3.5"), (-0.5, "W+0.5"), (12, "B+12"), (0.0, "0")]
)
def test_scored_games(margin_black, text):
    for reason in (EndReason.SCORE, EndReason.LENGTH):
        result = GameResult.from_score(margin_black, reason)
        assert str(result) == text
        assert result.margin_black == margin_black
        assert result.is_draw == (margin_black == 0)
        assert parse_result(text) == result._replace(reason=EndReason.SCORE)


@pytest.mark.parametrize(
    ("reason", "letter"),
    [
        (EndReason.RESIGN, "R"),
        (EndReason.TIME, "T"),
        (EndReason.HANG, "T"),
        (EndReason.ILLEGAL, "F"),
        (EndReason.CRASH, "F"),
        (EndReason.REFUSAL, "F"),
        (EndReason.FORFEIT, "F"),
        (EndReason.UNKNOWN, ""),
    ],
)
def test_lost_games(reason, letter):
    result = GameResult.loss(BLACK, reason)
    assert result == (WHITE, None, reason)
    assert str(result) == f"W+{letter}"
    assert result.margin_black is None
    assert not result.is_draw


def test_results_without_a_winner():
    assert str(GameResult()) == "?"
    assert str(DRAW) == "0"
    assert str(GameResult(reason=EndReason.VOID)) == "Void"
