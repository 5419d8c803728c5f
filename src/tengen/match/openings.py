"""What a pair of games starts from.

| text            | openings                                                            |
|-----------------|---------------------------------------------------------------------|
| `empty`         | the board without a move, always                                    |
| `random:N`      | N random legal moves, another opening for every pair                |
| `PATH`          | game records (a file, a folder, an archive): the whole main lines   |
| `PATH:N`        | the first N moves of each game there: a book                        |

Setup stones come before the moves of a game and are none of the N. From files, games of another
board size and games too short are left out, and setups without a move whose side to move the
players could not tell; the others are used one after the other, again from the first when all
were used. Random moves keep off the edge while they can, as stones there say little. After
handicap stones they begin with White's; game records have stones of their own and cannot be
joined with a handicap.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Move, Position
from tengen.core.errors import TengenError
from tengen.match.setting import GameSetting
from tengen.records.game import GameRecord
from tengen.records.reader import read_games

ROOMY = 5
"""From this size up random moves keep off the edge."""


@dataclass(frozen=True)
class Opening:
    """Moves to start from, setup stones among them, and where they come from."""

    name: str
    moves: tuple[Move, ...] = ()


class Openings:
    """A source of openings; `opening` gives the same for the same number, always."""

    def __init__(self, book: Sequence[Opening], random_moves: int, setting: GameSetting, seed: int):
        """Take a book to go round in, or, if it is empty, how many moves to draw."""
        self._book = book
        self._random_moves = random_moves
        self._setting = setting
        self._seed = seed

    def opening(self, number: int) -> Opening:
        """Return the opening of that number."""
        if self._book:
            return self._book[number % len(self._book)]
        return random_opening(self._setting, self._random_moves, f"{self._seed}:{number}")

    @property
    def digest(self) -> str:
        """A short text that changes when the openings do."""
        text = repr((self._book, self._random_moves, self._seed if self._random_moves else 0))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def load_openings(text: str, setting: GameSetting, seed: int) -> Openings:
    """Return the openings that a text names (see above); raise TengenError if there are none."""
    if text == "empty":
        return Openings([Opening("empty")], 0, setting, seed)
    kind, _, count = text.partition(":")
    if kind == "random":
        return Openings([], _count(count, text), setting, seed)
    if setting.handicap:
        how = "use random:N or empty"
        raise TengenError(f"no handicap together with openings from game records: {how}")
    return Openings(_book(text, setting), 0, setting, seed)


def random_opening(setting: GameSetting, count: int, seed: str) -> Opening:
    """Return `count` random legal moves."""
    dice = random.Random(seed)
    position = setting.start()
    for _ in range(count):
        legal = position.legal_moves()
        inner = [point for point in legal if not _on_edge(point, setting)]
        if not legal:
            break
        position.play(dice.choice(inner or legal))
    return Opening(f"random {seed}", tuple(position.moves))


def _on_edge(point: int, setting: GameSetting) -> bool:
    if min(setting.rows, setting.columns) < ROOMY:
        return False
    row, column = row_of(point), column_of(point)
    return row in (0, setting.rows - 1) or column in (0, setting.columns - 1)


def _count(text: str, whole: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise TengenError(f"invalid openings {whole!r}: write them like random:6 or games/:8")
    return int(text)


def _book(text: str, setting: GameSetting) -> list[Opening]:
    whole = Path(text).exists() or ":" not in text
    path, _, count = (text, "", "") if whole else text.rpartition(":")
    length = None if whole else _count(count, text)
    if not Path(path).exists():
        raise TengenError(f"no such openings: {path}")
    records = [record for record in read_games(path) if _same_size(record, setting)]
    lines = [_line(record, length) for record in records if len(record.moves) >= (length or 0)]
    fit = [
        Opening(f"{number} of {path}", tuple(line))
        for number, line in enumerate(lines, 1)
        if line is not None and _fits(line, setting)
    ]
    if not fit:
        raise TengenError(f"no opening for size {setting.size_text} in {path}")
    return fit


def _same_size(record: GameRecord, setting: GameSetting) -> bool:
    """Tell whether a record fits the board and has no stones set up in its middle."""
    return (record.rows, record.columns) == (setting.rows, setting.columns) and not record.changes


def setup_moves(record: GameRecord) -> list[Move]:
    """Return the setup stones of a record as moves; the last is not of the side to move.

    Black's do not come first if there are White's too: they would be taken for a handicap.
    """
    stones = [Move(Colour(colour), point) for point, colour in record.setup if colour]
    black = [stone for stone in stones if stone.colour is BLACK]
    white = [stone for stone in stones if stone.colour is WHITE]
    if not white or record.first_to_play is WHITE:
        return [*white, *black]
    first = white[:-1] or [Move(WHITE, PASS)]
    return [*first, *black, white[-1]]


def _line(record: GameRecord, length: int | None) -> list[Move] | None:
    """Return the setup stones of a record, then its first moves.

    None for a setup without moves after which the wrong side would move: players are told moves
    only, and whose turn it is follows from the last.
    """
    setup, moves = setup_moves(record), record.moves[:length]
    last = [*setup, *moves][-1:]
    next_to_play = last[0].colour.opponent if last else BLACK
    return [*setup, *moves] if moves or next_to_play == record.first_to_play else None


def _fits(moves: Sequence[Move], setting: GameSetting) -> bool:
    """Tell whether the moves are legal under the rules of the match and leave a game to play."""
    position = Position(setting.rows, setting.columns, setting.rules)
    return position.play_sequence(moves) == len(moves) and not position.is_over
