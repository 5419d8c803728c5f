"""The result of a game, from the many ways in which people write it."""

import re
import unicodedata
from enum import IntEnum
from typing import NamedTuple

from tengen.board.colour import BLACK, WHITE, Colour


class Ending(IntEnum):
    """How a game ended."""

    UNKNOWN = 0
    SCORE = 1
    RESIGNATION = 2
    TIME = 3
    FORFEIT = 4
    DRAW = 5
    VOID = 6


class Result(NamedTuple):
    """Who won, by how many points (None where it was not counted), and how."""

    winner: Colour | None
    margin_points: float | None
    ending: Ending

    def __str__(self) -> str:
        if self.winner is None:
            return {Ending.DRAW: "0", Ending.VOID: "Void"}.get(self.ending, "?")
        how = {Ending.RESIGNATION: "R", Ending.TIME: "T", Ending.FORFEIT: "F"}.get(self.ending, "")
        points = "" if self.margin_points is None else f"{self.margin_points:g}"
        return f"{self.winner.letter}+{how or points}"


UNKNOWN = Result(None, None, Ending.UNKNOWN)

_SIMPLE = re.compile(
    r"\s*([BW])(?:LACK|HITE)?\s*\+\s*(\d{1,4}(?:[.,]\d{1,4})?)\s*(?:POINTS?)?\.?\s*"
)
_BY_SIGN = re.compile(r"\b([BW])(?:LACK|HITE)?\s*\+\s*((?:\d,\d|[^\s;,])*)")
_WINS = re.compile(r"\b(BLACK|WHITE|B|W)\b[^.;]{0,40}?\b(WINS?|WON|LOSES?|LOST|RESIGN\w*)\b")
_NUMBER = re.compile(r"(\d{1,4}(?:[.,]\d{1,4})?)(?!\d*/)")
_HALF = re.compile(r"(?:\b(\d{1,4})\s+)?\b1/2(?!\d|\s*子)")

_SHORT = {
    "R": Ending.RESIGNATION,
    "RES": Ending.RESIGNATION,
    "T": Ending.TIME,
    "F": Ending.FORFEIT,
}
_DRAWS = (
    "0",
    "DRAW",
    "JIGO",
    "TIE",
    "和棋",
    "平局",
    "和局",
    "持碁",
    "持棋",
    "ジゴ",
    "빅",
    "무승부",
)
_VOIDS = ("VOID", "NO RESULT", "无胜负", "無勝負", "无效", "無効")

_COLOURS = {"黑": BLACK, "黒": BLACK, "흑": BLACK, "白": WHITE, "백": WHITE}
_RESIGNED = ("RESIGN", "中盘", "中盤", "中押", "不计", "不計", "불계", "投了", "认输", "認輸")
_TIMED = ("TIME", "超时", "超時", "时间", "切れ", "시간")
_FORFEITED = ("FORFEIT", "OFFLINE", "弃权", "棄權", "反則", "掉线", "기권")
_WON = ("胜", "勝", "승", "勝ち")
_LOST = ("负", "負", "败", "敗", "패", "输", "輸")
_STONES = re.compile(r"(\d{1,4})?\s*(?:又|と)?\s*(?:(\d{1,2})\s*/\s*(\d{1,2}))?\s*子")
_POINTS = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)?\s*(?:目|집|点)\s*(半|반)?|(半|반)\s*(?:目|집)")
_CHINESE_DIGITS = str.maketrans("〇零一二两三四五六七八九", "001223456789")
_TENS = re.compile(r"(\d?)十(\d?)")
_FRACTION = re.compile(r"(\d+)分之(\d+)")
_UNREAD = ("百", "分之")
"""Numerals of which something is left: half a number would be a wrong one."""


def parse_result(text: str) -> Result:
    """Return what a result says; `UNKNOWN` where it is empty or not clear.

    Reads FF[4] results, English sentences, and Chinese, Japanese and Korean ones. Chinese
    margins in stones are doubled, for a stone is two points.
    """
    # Apart, or 3½ would become 31/2.
    plain = unicodedata.normalize("NFKC", text.replace("½", " 1/2"))
    plain = plain.replace("\u2044", "/").upper().strip()
    plain = _HALF.sub(lambda match: f"{match[1] or 0}.5", plain)
    if match := _SIMPLE.fullmatch(plain):
        return _scored(_colour(match[1]), match[2])
    if plain in _DRAWS:
        return Result(None, None, Ending.DRAW)
    if plain.startswith(_VOIDS):
        return Result(None, None, Ending.VOID)
    return _by_sign(plain) or _by_sentence(plain) or _by_characters(plain) or UNKNOWN


def _colour(word: str) -> Colour:
    return BLACK if word.startswith("B") else WHITE


def _scored(winner: Colour, number: str) -> Result:
    margin = float(number.replace(",", "."))
    if margin == 0:
        return Result(None, None, Ending.DRAW)
    return Result(winner, margin, Ending.SCORE)


def _by_sign(text: str) -> Result | None:
    """Read `B+R`, `W+Time (30 s)`, `B+`, and `B+2.5 points` among other words."""
    match = _BY_SIGN.search(text)
    if match is None:
        return None
    winner, how = _colour(match[1]), match[2].rstrip(".")
    if number := _NUMBER.match(how):
        return _scored(winner, number[1])
    return Result(winner, None, _SHORT.get(how, _ending_in(how)))


def _by_sentence(text: str) -> Result | None:
    """Read `Black wins by 3.5 points`, `White resigns.` and the like."""
    match = _WINS.search(text)
    if match is None:
        return None
    side, verb = _colour(match[1]), match[2]
    ending = _ending_in(text)
    winner = side if verb.startswith("W") else side.opponent
    number = _NUMBER.search(text, match.end())
    if ending is Ending.UNKNOWN and number:
        return _scored(winner, number[1])
    return Result(winner, None, ending)


def _by_characters(text: str) -> Result | None:
    """Read `黑中盘胜`, `白胜1又3/4子`, `黒3目半勝`, `흑 불계승` and the like."""
    sides = {_COLOURS[character] for character in text if character in _COLOURS}
    won, lost = _has(text, _WON), _has(text, _LOST)
    ending = _ending_in(text)
    resigned_only = ending is Ending.RESIGNATION and not lost
    if len(sides) != 1 or (won == lost and not resigned_only) or (won and lost):
        return None
    side = sides.pop()
    winner = side.opponent if lost else side
    margin = _margin_in(text) if ending is Ending.UNKNOWN else None
    return Result(winner, margin, Ending.SCORE if margin else ending)


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


def _ending_in(text: str) -> Ending:
    if _has(text, _RESIGNED):
        return Ending.RESIGNATION
    if _has(text, _TIMED):
        return Ending.TIME
    return Ending.FORFEIT if _has(text, _FORFEITED) else Ending.UNKNOWN


def _margin_in(text: str) -> float | None:
    """Return the points of a Chinese, Japanese or Korean margin."""
    text = _with_figures(text)
    if _has(text, _UNREAD):
        return None
    if (match := _STONES.search(text)) and (match[1] or match[2]):
        whole = int(match[1] or 0)
        part = int(match[2]) / int(match[3]) if match[2] and int(match[3]) else 0.0
        return 2 * (whole + part) or None
    if match := _POINTS.search(text):
        half = 0.5 if match[2] or match[3] else 0.0
        return float(match[1] or 0) + half or None
    return None


def _with_figures(text: str) -> str:
    """Return a text with Chinese numbers below 100, and fractions, in figures."""
    text = text.translate(_CHINESE_DIGITS)
    text = _TENS.sub(lambda m: str(10 * int(m[1] or 1) + int(m[2] or 0)), text)
    return _FRACTION.sub(r"\2/\1", text)
