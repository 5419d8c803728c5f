"""Settings of all games of a match, and the openings of game pairs.

| text            | openings                                                            |
|-----------------|---------------------------------------------------------------------|
| `empty`         | the empty board                                                     |
| `random:N`      | N random legal moves, different for every pair                      |
| `PATH`          | game records (file, folder or archive): complete main lines         |
| `PATH:N`        | the first N moves of each game                                      |

Setup stones of a record precede its moves and do not count toward N. Records of another board size,
records with fewer than N moves, and setups without moves whose side to play cannot be expressed by
moves are skipped. Records are used in order and repeat from the first. Random moves avoid the edge
where possible. In handicap games random moves start with White; game records cannot be combined
with a handicap.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tengen.board import (
    BLACK,
    PASS,
    WHITE,
    Color,
    Move,
    Position,
    Rules,
    column_of,
    fixed_handicap_points,
    row_of,
)
from tengen.engine import UNLIMITED, TimeControl
from tengen.records import GameRecord, read_games
from tengen.util import TengenError


@dataclass(frozen=True)
class MatchSettings:
    """Board, rules and time limits, the same for both sides."""

    rows: int = 9
    columns: int = 9
    rules: Rules = field(default_factory=Rules)
    time_control: TimeControl = UNLIMITED
    lag_s: float = 0.2
    """Tolerated overrun of the clock, for pipe and scheduling delays."""
    grace_s: float = 5.0
    """Time after which an engine that has lost on time counts as hung."""
    move_timeout_s: float = 300.0
    """Time limit of a move without a time control."""
    command_timeout_s: float = 20.0
    """Time limit of any other command."""
    start_timeout_s: float = 180.0
    """Time limit of commands before an engine's first game, while it may load or compile."""
    handicap: int = 0
    """Number of Black's handicap stones, on the points of GTP's `fixed_handicap`."""

    def __post_init__(self) -> None:
        """Raise TengenError if the board does not allow this handicap."""
        _ = self.handicap_points

    @property
    def handicap_points(self) -> list[int]:
        """Points of the handicap stones."""
        if not self.handicap:
            return []
        return fixed_handicap_points(self.rows, self.columns, self.handicap)

    def start_position(self) -> Position:
        """Return the position before the first move; White moves first in handicap games."""
        position = Position(self.rows, self.columns, self.rules)
        if self.handicap:
            position.place_handicap(self.handicap_points)
        return position

    @property
    def max_moves(self) -> int:
        """Number of moves after which a game is stopped and scored."""
        return 4 * self.rows * self.columns + 20

    @property
    def size_text(self) -> str:
        """The board size: `9`, or `7x9` for 7 columns and 9 rows."""
        is_square = self.rows == self.columns
        return str(self.rows) if is_square else f"{self.columns}x{self.rows}"

    @property
    def summary(self) -> str:
        """Board, rules, komi, handicap and clock in one line."""
        parts = [
            f"{self.columns}x{self.rows}",
            f"{self.rules.name} rules",
            f"komi {self.rules.komi:g}",
            f"handicap {self.handicap}" if self.handicap else "",
            f"{'no' if self.time_control.is_unlimited else self.time_control} clock",
        ]
        return ", ".join(filter(None, parts))


_MIN_SIZE_WITH_EDGE = 5
"""From this board size on, random moves avoid the edge."""


@dataclass(frozen=True)
class Opening:
    """Moves of an opening, setup stones included, and a name."""

    name: str
    moves: tuple[Move, ...] = ()


class Openings:
    """A numbered sequence of openings."""

    def __init__(
        self, book: Sequence[Opening], random_moves: int, settings: MatchSettings, seed: int
    ):
        """Create a sequence that cycles through `book` or, if it is empty, random openings."""
        self._book = book
        self._random_moves = random_moves
        self._settings = settings
        self._seed = seed

    def opening(self, number: int) -> Opening:
        """Return the opening with a number; deterministic."""
        if self._book:
            return self._book[number % len(self._book)]
        return random_opening(self._settings, self._random_moves, f"{self._seed}:{number}")

    @property
    def digest(self) -> str:
        """A hash of the openings."""
        text = repr((self._book, self._random_moves, self._seed if self._random_moves else 0))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def load_openings(text: str, settings: MatchSettings, seed: int) -> Openings:
    """Load openings from a text as described above; raise TengenError if there are none."""
    if text == "empty":
        return Openings([Opening("empty")], 0, settings, seed)
    kind, _, count = text.partition(":")
    if kind == "random":
        return Openings([], _parse_count(count, text), settings, seed)
    if settings.handicap:
        raise TengenError("a handicap needs openings random:N or empty, not game records")
    return Openings(_load_book(text, settings), 0, settings, seed)


def random_opening(settings: MatchSettings, count: int, seed: str) -> Opening:
    """Return `count` random legal moves."""
    rng = random.Random(seed)
    position = settings.start_position()
    for _ in range(count):
        legal = position.legal_moves()
        inner = [point for point in legal if not _is_on_edge(point, settings)]
        if not legal:
            break
        position.play(rng.choice(inner or legal))
    return Opening(f"random {seed}", tuple(position.moves))


def _is_on_edge(point: int, settings: MatchSettings) -> bool:
    if min(settings.rows, settings.columns) < _MIN_SIZE_WITH_EDGE:
        return False
    row, column = row_of(point), column_of(point)
    return row in (0, settings.rows - 1) or column in (0, settings.columns - 1)


def _parse_count(text: str, openings: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise TengenError(f"invalid openings {openings!r}: write random:6 or games/:8")
    return int(text)


def _load_book(text: str, settings: MatchSettings) -> list[Opening]:
    is_path = Path(text).exists() or ":" not in text
    path, _, count = (text, "", "") if is_path else text.rpartition(":")
    length = None if is_path else _parse_count(count, text)
    if not Path(path).exists():
        raise TengenError(f"no such openings: {path}")
    records = [record for record in read_games(path) if _is_usable(record, settings)]
    lines = [_opening_line(r, length) for r in records if len(r.moves) >= (length or 0)]
    book = [
        Opening(f"{number} of {path}", tuple(line))
        for number, line in enumerate(lines, 1)
        if line is not None and _is_playable(line, settings)
    ]
    if not book:
        raise TengenError(f"no opening for size {settings.size_text} in {path}")
    return book


def _is_usable(record: GameRecord, settings: MatchSettings) -> bool:
    """Return whether a record has the right size and no setup after the first move."""
    size = settings.rows, settings.columns
    return (record.rows, record.columns) == size and not record.setup_changes


def setup_moves(record: GameRecord) -> list[Move]:
    """Return the setup stones of a record as moves; the side to play does not move last.

    With stones of both colors White starts, so that Black's are not taken for a handicap.
    """
    stones = [Move(Color(color), point) for point, color in record.setup if color]
    black = [stone for stone in stones if stone.color is BLACK]
    white = [stone for stone in stones if stone.color is WHITE]
    if not white or record.first_to_play is WHITE:
        return [*white, *black]
    first = white[:-1] or [Move(WHITE, PASS)]
    return [*first, *black, white[-1]]


def _opening_line(record: GameRecord, length: int | None) -> list[Move] | None:
    """Return setup stones and first moves of a record.

    None for a setup without moves that leaves the wrong side to play: players receive only moves,
    and the last one determines the side to play.
    """
    setup, moves = setup_moves(record), record.moves[:length]
    last = [*setup, *moves][-1:]
    next_to_play = last[0].color.opponent if last else BLACK
    return [*setup, *moves] if moves or next_to_play == record.first_to_play else None


def _is_playable(moves: Sequence[Move], settings: MatchSettings) -> bool:
    """Return whether the moves are legal and do not end the game."""
    position = Position(settings.rows, settings.columns, settings.rules)
    return position.play_sequence(moves) == len(moves) and not position.is_over
