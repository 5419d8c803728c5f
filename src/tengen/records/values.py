"""What single property values mean: points, moves, sizes, komi, numbers.

Each function takes plain text. It returns None where the text makes no sense; it never raises.
"""

import re
from functools import lru_cache

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.points import LETTERS, MAX_SIZE, PASS, column_of, point_at, row_of
from tengen.board.position import Move

_SGF_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_VERTEX = re.compile(r"([A-HJ-Ta-hj-t])(\d{1,2})")
_NUMBER = re.compile(r"[-+]?\d{1,6}(?:\.\d{0,6})?|[-+]?\.\d{1,6}")
_SIZE = re.compile(r"(\d{1,3})(?:\s*[:xX*]\s*(\d{1,3}))?")
_LARGEST_KOMI_POINTS = 400


@lru_cache(maxsize=400)
def point_table(rows: int, columns: int) -> dict[str, int]:
    """Return the points of a board by their two letters."""
    return {
        _SGF_LETTERS[column] + _SGF_LETTERS[row]: point_at(row, column)
        for row in range(rows)
        for column in range(columns)
    }


@lru_cache(maxsize=400)
def move_tables(rows: int, columns: int) -> tuple[dict[str, Move], dict[str, Move]]:
    """Return Black's and White's moves by their text; an empty text and `tt` pass.

    The moves are shared between games, which saves most of the time to make them.
    """
    points = {**point_table(rows, columns), "": PASS, "tt": PASS}
    black = {text: Move(BLACK, point) for text, point in points.items()}
    white = {text: Move(WHITE, point) for text, point in points.items()}
    return black, white


def parse_move(text: str, rows: int, columns: int) -> int | None:
    """Return the move of a text in FF[4], in capitals, as `pass` or as a vertex like Q16."""
    name = "".join(text.split()).lower()
    if name in ("", "tt", "pass"):
        return PASS
    if match := _VERTEX.fullmatch(name):
        column, row = LETTERS.index(match[1].upper()), rows - int(match[2])
        on_board = column < columns and 0 <= row < rows
        return point_at(row, column) if on_board else None
    return point_table(rows, columns).get(name)


def parse_points(text: str, rows: int, columns: int) -> list[int] | None:
    """Return the points of `dd` or of a rectangle `aa:cc`; None if one is off the board."""
    corners = text.split(":")
    points = [parse_move(corner, rows, columns) for corner in corners]
    if len(points) > 2 or None in points or PASS in points:
        return None
    first, last = points[0], points[-1]
    if first is None or last is None:
        return None
    if len(points) == 1:
        return [first]
    return _rectangle(first, last)


def _rectangle(first: int, last: int) -> list[int]:
    """Return the points between two opposite corners, row by row."""
    top, bottom = sorted((row_of(first), row_of(last)))
    left, right = sorted((column_of(first), column_of(last)))
    return [
        point_at(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)
    ]


def point_text(move: int) -> str:
    """Return the two letters of a point; PASS is the empty text."""
    if move == PASS:
        return ""
    return _SGF_LETTERS[column_of(move)] + _SGF_LETTERS[row_of(move)]


def parse_size(text: str) -> tuple[int, int] | None:
    """Return (rows, columns) of `19`, `7:9` or `7x9`, columns first; sizes may be too large."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    columns = int(match[1])
    return (int(match[2]) if match[2] else columns), columns


def is_playable(rows: int, columns: int) -> bool:
    """Tell whether our boards go up to that size."""
    return 1 <= rows <= MAX_SIZE and 1 <= columns <= MAX_SIZE


def parse_number(text: str) -> float | None:
    """Return the first number in a text; a decimal comma is one too."""
    match = _NUMBER.search(text.replace(",", "."))
    return None if match is None else float(match[0])


def parse_komi(text: str) -> float | None:
    """Return komi in points, a multiple of one half; None if there is none to be found.

    Chinese servers count in stones: 3.75 stones are 7.5 points. Some write hundredths: 375 or
    650. What lies between the halves otherwise is rounded.
    """
    number = parse_number(text)
    if number is None:
        return None
    if abs(number) >= 100:
        number /= 100
    if abs(number) > _LARGEST_KOMI_POINTS:
        return None
    in_stones = number * 2 != int(number * 2) and number * 4 == int(number * 4)
    return number * 2 if in_stones else round(number * 2) / 2


def parse_colour(text: str) -> Colour | None:
    """Return the side that `B`, `white`, `1` (Black) or `2` (White) names."""
    first = text.strip().lower()[:1]
    return {"b": BLACK, "1": BLACK, "w": WHITE, "2": WHITE}.get(first)
