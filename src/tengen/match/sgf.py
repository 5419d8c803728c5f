"""Games of a match as SGF, and main lines of SGF files as lists of moves."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sgfmill import sgf

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.points import PASS, column_of, point_at, row_of
from tengen.board.position import Move
from tengen.core.errors import TengenError
from tengen.match.setting import GameSetting


class MainLine(NamedTuple):
    """The size (rows, columns) and the moves of a game, setup stones first."""

    size: tuple[int, int]
    moves: list[Move]


def read_main_lines(file: Path) -> list[MainLine]:
    """Return the main line of the games in a file; raise TengenError if it cannot be read."""
    try:
        game = sgf.Sgf_game.from_bytes(file.read_bytes())
    except (OSError, ValueError) as error:
        raise TengenError(f"cannot read {file}: {error}") from None
    size = game.get_size()
    black, white, _ = game.get_root().get_setup_stones()
    moves = [Move(BLACK, _point(at, size)) for at in sorted(black)]
    moves += [Move(WHITE, _point(at, size)) for at in sorted(white)]
    for node in game.get_main_sequence():
        letter, at = node.get_move()
        if letter is not None:
            moves.append(Move(Colour.parse(letter), PASS if at is None else _point(at, size)))
    return [MainLine((size, size), moves)]


def _point(at: tuple[int, int], size: int) -> int:
    return point_at(size - 1 - at[0], at[1])


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
