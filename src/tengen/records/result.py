"""Game results: one type for records, matches and the page, parsed from and written as SGF text."""

import re
import unicodedata
from enum import IntEnum
from typing import NamedTuple, Self

from tengen.board import BLACK, WHITE, Color


class EndReason(IntEnum):
    """Why a game ended. Match databases store these numbers: never change them."""

    UNKNOWN = 0
    SCORE = 1
    RESIGN = 2
    TIME = 3
    ILLEGAL = 4
    """An illegal move was played."""
    CRASH = 5
    LENGTH = 6
    """The move limit was reached; the board was scored as it stood."""
    HANG = 7
    """The engine stopped responding and was killed."""
    REFUSAL = 8
    """The engine rejected a legal move or a required command."""
    FORFEIT = 9
    VOID = 10


_REASON_LETTERS = {
    EndReason.RESIGN: "R",
    EndReason.TIME: "T",
    EndReason.HANG: "T",
    EndReason.ILLEGAL: "F",
    EndReason.CRASH: "F",
    EndReason.REFUSAL: "F",
    EndReason.FORFEIT: "F",
}


class GameResult(NamedTuple):
    """Winner, winning margin and reason. A draw has no winner and a margin of 0."""

    winner: Color | None = None
    """None for draws, void games and unknown results."""
    margin_points: float | None = None
    """Never negative; None unless the game was scored."""
    reason: EndReason = EndReason.UNKNOWN

    @classmethod
    def from_score(cls, margin_black: float, reason: EndReason = EndReason.SCORE) -> Self:
        """Return the result of a scored game; `margin_black` is negative if White is ahead."""
        winner = BLACK if margin_black > 0 else WHITE if margin_black < 0 else None
        return cls(winner, abs(margin_black), reason)

    @classmethod
    def loss(cls, loser: Color, reason: EndReason) -> Self:
        """Return the result of a game that `loser` lost without scoring."""
        return cls(loser.opponent, None, reason)

    @property
    def is_draw(self) -> bool:
        """Whether the game was scored as a tie."""
        return self.winner is None and self.margin_points == 0

    @property
    def margin_black(self) -> float | None:
        """The margin in points from Black's point of view; None unless the game was scored."""
        if self.margin_points is None:
            return None
        return -self.margin_points if self.winner is WHITE else self.margin_points

    def __str__(self) -> str:
        """Return the text of the SGF property RE: `B+3.5`, `W+R`, `B+T`, `0`, `Void`, `?`."""
        if self.winner is None:
            return "0" if self.is_draw else "Void" if self.reason is EndReason.VOID else "?"
        points = "" if self.margin_points is None else f"{self.margin_points:g}"
        return f"{self.winner.letter}+{points or _REASON_LETTERS.get(self.reason, '')}"


UNKNOWN_RESULT = GameResult()
DRAW = GameResult(None, 0.0, EndReason.SCORE)

_SIMPLE = re.compile(
    r"\s*([BW])(?:LACK|HITE)?\s*\+\s*(\d{1,4}(?:[.,]\d{1,4})?)\s*(?:POINTS?)?\.?\s*"
)
_PLUS_SIGN = re.compile(r"\b([BW])(?:LACK|HITE)?\s*\+\s*((?:\d,\d|[^\s;,])*)")
_SENTENCE = re.compile(r"\b(BLACK|WHITE|B|W)\b[^.;]{0,40}?\b(WINS?|WON|LOSES?|LOST|RESIGN\w*)\b")
_NUMBER = re.compile(r"(\d{1,4}(?:[.,]\d{1,4})?)(?!\d*/)")
_HALF = re.compile(r"(?:\b(\d{1,4})\s+)?\b1/2(?!\d|\s*子)")

_ABBREVIATIONS = {
    "R": EndReason.RESIGN,
    "RES": EndReason.RESIGN,
    "T": EndReason.TIME,
    "F": EndReason.FORFEIT,
}
_DRAW_TEXTS = (
    *("0", "DRAW", "JIGO", "TIE"),
    *("和棋", "平局", "和局", "持碁", "持棋", "ジゴ", "빅", "무승부"),
)
_VOID_TEXTS = ("VOID", "NO RESULT", "无胜负", "無勝負", "无效", "無効")

_COLORS = {"黑": BLACK, "黒": BLACK, "흑": BLACK, "白": WHITE, "백": WHITE}
_RESIGN_WORDS = ("RESIGN", "中盘", "中盤", "中押", "不计", "不計", "불계", "投了", "认输", "認輸")
_TIME_WORDS = ("TIME", "超时", "超時", "时间", "切れ", "시간")
_FORFEIT_WORDS = ("FORFEIT", "OFFLINE", "弃权", "棄權", "反則", "掉线", "기권")
_WIN_WORDS = ("胜", "勝", "승", "勝ち")
_LOSS_WORDS = ("负", "負", "败", "敗", "패", "输", "輸")
_STONES = re.compile(r"(\d{1,4})?\s*(?:又|と)?\s*(?:(\d{1,2})\s*/\s*(\d{1,2}))?\s*子")
_POINTS = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)?\s*(?:目|집|点)\s*(半|반)?|(半|반)\s*(?:目|집)")
_CHINESE_DIGITS = str.maketrans("〇零一二两三四五六七八九", "001223456789")
_TENS = re.compile(r"(\d?)十(\d?)")
_FRACTION = re.compile(r"(\d+)分之(\d+)")
_UNSUPPORTED_NUMERALS = ("百", "分之")
"""Numerals left after conversion; reading the digits around them would give a wrong number."""


def parse_result(text: str) -> GameResult:
    """Parse the text of a result; return `UNKNOWN_RESULT` if it is empty or ambiguous.

    Accepts FF[4] results and English, Chinese, Japanese and Korean sentences. Chinese margins
    in stones are doubled, since one stone is two points.
    """
    # The space keeps 3½ from becoming 31/2.
    plain = unicodedata.normalize("NFKC", text.replace("½", " 1/2"))
    plain = plain.replace("\u2044", "/").upper().strip()
    plain = _HALF.sub(lambda match: f"{match[1] or 0}.5", plain)
    if match := _SIMPLE.fullmatch(plain):
        return _scored(_color(match[1]), match[2])
    if plain in _DRAW_TEXTS:
        return DRAW
    if plain.startswith(_VOID_TEXTS):
        return GameResult(reason=EndReason.VOID)
    return (
        _parse_plus_sign(plain) or _parse_english(plain) or _parse_east_asian(plain)
    ) or UNKNOWN_RESULT


def _color(word: str) -> Color:
    return BLACK if word.startswith("B") else WHITE


def _scored(winner: Color, number: str) -> GameResult:
    margin = float(number.replace(",", "."))
    return GameResult(winner, margin, EndReason.SCORE) if margin else DRAW


def _parse_plus_sign(text: str) -> GameResult | None:
    """Parse `B+R`, `W+Time (30 s)`, `B+`, and `B+2.5 points` within other text."""
    match = _PLUS_SIGN.search(text)
    if match is None:
        return None
    winner, detail = _color(match[1]), match[2].rstrip(".")
    if number := _NUMBER.match(detail):
        return _scored(winner, number[1])
    return GameResult(winner, None, _ABBREVIATIONS.get(detail, _find_reason(detail)))


def _parse_english(text: str) -> GameResult | None:
    """Parse sentences such as `Black wins by 3.5 points` or `White resigns.`"""
    match = _SENTENCE.search(text)
    if match is None:
        return None
    side, verb = _color(match[1]), match[2]
    reason = _find_reason(text)
    winner = side if verb.startswith("W") else side.opponent
    number = _NUMBER.search(text, match.end())
    if reason is EndReason.UNKNOWN and number:
        return _scored(winner, number[1])
    return GameResult(winner, None, reason)


def _parse_east_asian(text: str) -> GameResult | None:
    """Parse results such as `黑中盘胜`, `白胜1又3/4子`, `黒3目半勝` or `흑 불계승`."""
    sides = {_COLORS[character] for character in text if character in _COLORS}
    won, lost = _contains(text, _WIN_WORDS), _contains(text, _LOSS_WORDS)
    reason = _find_reason(text)
    only_resigned = reason is EndReason.RESIGN and not lost
    if len(sides) != 1 or (won == lost and not only_resigned) or (won and lost):
        return None
    side = sides.pop()
    winner = side.opponent if lost else side
    margin = _east_asian_margin(text) if reason is EndReason.UNKNOWN else None
    return GameResult(winner, margin, EndReason.SCORE if margin else reason)


def _contains(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


def _find_reason(text: str) -> EndReason:
    if _contains(text, _RESIGN_WORDS):
        return EndReason.RESIGN
    if _contains(text, _TIME_WORDS):
        return EndReason.TIME
    return EndReason.FORFEIT if _contains(text, _FORFEIT_WORDS) else EndReason.UNKNOWN


def _east_asian_margin(text: str) -> float | None:
    """Return the margin, in points, of a Chinese, Japanese or Korean result."""
    text = _convert_numerals(text)
    if _contains(text, _UNSUPPORTED_NUMERALS):
        return None
    if (match := _STONES.search(text)) and (match[1] or match[2]):
        whole = int(match[1] or 0)
        part = int(match[2]) / int(match[3]) if match[2] and int(match[3]) else 0.0
        return 2 * (whole + part) or None
    if match := _POINTS.search(text):
        half = 0.5 if match[2] or match[3] else 0.0
        return float(match[1] or 0) + half or None
    return None


def _convert_numerals(text: str) -> str:
    """Replace Chinese numerals below 100, and fractions, by digits."""
    text = text.translate(_CHINESE_DIGITS)
    text = _TENS.sub(lambda m: str(10 * int(m[1] or 1) + int(m[2] or 0)), text)
    return _FRACTION.sub(r"\2/\1", text)
