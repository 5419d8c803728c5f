"""Games of a match as SGF."""

from collections.abc import Sequence

from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Move
from tengen.match.setting import GameSetting


def game_text(
    setting: GameSetting, names: tuple[str, str], result: str, moves: Sequence[Move], note: str
) -> str:
    """Return a game as SGF; `names` are of Black and of White, in that order."""
    header = {
        "GM": "1",
        "FF": "4",
        "CA": "UTF-8",
        "AP": "Tengen",
        "SZ": setting.size_text.replace("x", ":"),
        "KM": f"{setting.rules.komi:g}",
        "RU": setting.rules.name,
        "PB": names[0],
        "PW": names[1],
        "RE": result,
        "GC": note,
    }
    root = "".join(f"{key}[{_escape(value)}]" for key, value in header.items() if value)
    return f"(;{root}{''.join(_node(move) for move in moves)})"


def _node(move: Move) -> str:
    if move.move == PASS:
        return f";{move.colour.letter}[]"
    place = chr(97 + column_of(move.move)) + chr(97 + row_of(move.move))
    return f";{move.colour.letter}[{place}]"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
