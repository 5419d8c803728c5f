"""`GameRecord`: one game with its root properties, setup stones, moves and positions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from tengen.board import BLACK, HANDICAP_KOMI, WHITE, Color, Ko, Move, Position, Rules, rules_named
from tengen.records.result import GameResult, parse_result
from tengen.records.tree import Node, is_playable, plain_text
from tengen.records.warning import RecordWarning
from tengen.util import TengenError

OTHER_GAMES = {
    2: "Othello",
    3: "chess",
    4: "gomoku or renju",
    5: "nine men's morris",
    6: "backgammon",
    7: "Chinese chess",
    8: "shogi",
}
"""Names of the GM property."""
SetupStone = tuple[int, int]
"""A point and its new color, or 0 to clear it."""

_RULES_PATTERNS = (
    (re.compile(r"chin|中国|中國|cn|^zh"), "chinese"),
    (re.compile(r"japan|日本|jpn|jp"), "japanese"),
    (re.compile(r"korea|韩国|韓國|한국|kor"), "korean"),
    (re.compile(r"aga"), "aga"),
    (re.compile(r"zealand|\bnz"), "new-zealand"),
    (re.compile(r"tromp|taylor|\btt\b"), "tromp-taylor"),
    (re.compile(r"\bing\b|goe|应氏|應氏"), "ing"),
)
"""Patterns of rules texts, and the names of the rules they mean."""


class SetupChange(NamedTuple):
    """Stones added or removed in the middle of a game, after the first `before_move` moves."""

    before_move: int
    stones: list[SetupStone]
    to_play: Color | None


@dataclass
class GameRecord:
    """One game. `root` holds all that was read; the other fields are its interpretation.

    `moves` are the legal moves of the main line (the first variation throughout). They end before
    the first illegal move; `warnings` has the reason, and the rest is still in the tree. Records of
    other games and of unsupported board sizes have no moves.

    Examples
    --------
    >>> from tengen.api import Position, record_from_position
    >>> game = record_from_position(Position(9).after("E5 C3"), black="Ann", result="B+R")
    >>> game.black, len(game.moves), game.winner.name, game.position(1).to_play.name
    ('Ann', 2, 'BLACK', 'WHITE')
    """

    rows: int = 19
    columns: int = 19
    komi: float | None = None
    """In points; None if the record has none."""
    handicap: int = 0
    setup: list[SetupStone] = field(default_factory=list)
    """The stones on the board before the first move."""
    to_play: Color | None = None
    """The side to move first, if the record has it."""
    moves: list[Move] = field(default_factory=list)
    setup_changes: list[SetupChange] = field(default_factory=list)
    """Setup after the first move of the main line; most games have none."""
    root: Node = field(default_factory=Node)
    warnings: list[RecordWarning] = field(default_factory=list)
    source: str = ""
    """The file the game was read from; `archive/member` for a member of an archive."""
    number: int = 0
    """Index of the game in the file, from 0."""

    # Root properties

    def text(self, name: str) -> str:
        """Return a root property as plain text; empty if it is missing."""
        return self.root.text(name) or ""

    @property
    def properties(self) -> Mapping[str, str]:
        """All root properties as plain text, such as date (DT), event (EV) and place (PC)."""
        return {
            name: plain_text(values[0]) for name, values in self.root.properties.items() if values
        }

    @property
    def black(self) -> str:
        """Black's name."""
        return self.text("PB")

    @property
    def white(self) -> str:
        """White's name."""
        return self.text("PW")

    @property
    def black_rank(self) -> str:
        """Black's rank, as written."""
        return self.text("BR")

    @property
    def white_rank(self) -> str:
        """White's rank, as written."""
        return self.text("WR")

    @property
    def rules_text(self) -> str:
        """The rules, as written."""
        return self.text("RU")

    @property
    def result_text(self) -> str:
        """The result, as written."""
        return self.text("RE")

    @cached_property
    def result(self) -> GameResult:
        """The parsed result; unknown if it is missing or ambiguous."""
        return parse_result(self.result_text)

    @property
    def winner(self) -> Color | None:
        """The winner; None for draws and unknown results."""
        return self.result.winner

    @property
    def margin_points(self) -> float | None:
        """The winning margin in points; None unless the game was scored."""
        return self.result.margin_points

    @property
    def rules(self) -> Rules:
        """The rules of the record, with its komi.

        Unknown rules are taken as area scoring with superko. The default komi is that of the
        rules, or 0.5 in handicap games.
        """
        rules = _parse_rules(self.rules_text)
        if self.komi is not None:
            return rules.with_komi(self.komi)
        return rules.with_komi(HANDICAP_KOMI) if self.handicap >= 2 else rules

    @property
    def is_playable(self) -> bool:
        """Whether it is a game of Go on a supported board size."""
        return is_playable(self.rows, self.columns) and not is_other_game(self.root)

    # Positions

    @property
    def first_to_play(self) -> Color:
        """The side to move first: as recorded, as played, or White after handicap stones."""
        if self.to_play is not None:
            return self.to_play
        if self.moves:
            return self.moves[0].color
        return WHITE if self.handicap >= 2 and self.setup else BLACK

    def position(self, number: int | None = None, rules: Rules | None = None) -> Position:
        """Return the position after the first `number` moves, by default after all of them.

        Without `rules`, the record's own rules apply with simple ko and suicide allowed, since
        records often omit the rules that were used. Given `rules` are applied strictly. Setup in
        the middle of the game clears the history of the position. Raise TengenError if there is
        no such move, if the board size is not supported, or if a move is illegal under `rules`.
        """
        count = len(self.moves) if number is None else number
        if not 0 <= count <= len(self.moves):
            raise TengenError(f"there is no move {count}: the game has {len(self.moves)}")
        position = self.initial_position(rules or lenient_rules(self.rules))
        played, reason = self.replay(position, count)
        if reason:
            raise TengenError(f"move {played + 1} of {self.source or 'the game'}: {reason}")
        return position

    def initial_position(self, rules: Rules) -> Position:
        """Return the position before the first move; raise TengenError if it is not playable."""
        if not self.is_playable:
            raise TengenError(unplayable_reason(self))
        position = Position(self.rows, self.columns, rules)
        position.handicap = self.handicap
        if self.setup:
            position.setup(self.setup, self.first_to_play)
        else:
            position.to_play = self.first_to_play
        return position

    def replay(self, position: Position, count: int) -> tuple[int, str | None]:
        """Play the first `count` moves; return how many were played, and the error if not all.

        Setup right after the last of these moves is included.
        """
        played = 0
        due = [change for change in self.setup_changes if change.before_move <= count]
        for change in [*due, SetupChange(count, [], None)]:
            end = change.before_move
            played += position.play_sequence(self.moves[played:end])
            if played < end:
                return played, _illegal_move_error(self.moves[played], position)
            try:
                _apply_setup(change, position)
            except TengenError as error:
                return played, str(error)
        return played, None


def _apply_setup(change: SetupChange, position: Position) -> None:
    if change.stones:
        position.setup(change.stones, change.to_play or position.to_play)
    elif change.to_play is not None:
        position.to_play = change.to_play


def _illegal_move_error(move: Move, position: Position) -> str:
    reason = "the point is occupied" if position.color(move.move) else "ko or suicide"
    return f"{move.color.letter} {position.vertex(move.move)} is illegal, {reason}"


def lenient_rules(rules: Rules) -> Rules:
    """Return the rules with simple ko and with suicide allowed."""
    return replace(rules, ko=Ko.SIMPLE, suicide=True)


def is_other_game(root: Node) -> bool:
    """Return whether GM names another game than Go; an invalid GM counts as Go."""
    number = (root.text("GM") or "1").strip()
    return number.isascii() and number.isdigit() and len(number) <= 3 and int(number) > 1


def unplayable_reason(record: GameRecord) -> str:
    """Return why a record that is not playable cannot be used."""
    if is_other_game(record.root):
        number = (record.root.text("GM") or "").strip()
        name = OTHER_GAMES.get(int(number))
        return f"not a game of Go: GM[{number}]" + (f" is {name}" if name else "")
    return f"board size {record.columns}x{record.rows} is not supported: use 1x1 to 19x19"


def _parse_rules(text: str) -> Rules:
    """Return the rules of an RU text, or the default rules."""
    try:
        return rules_named(text)
    except TengenError:
        pass
    for pattern, name in _RULES_PATTERNS:
        if pattern.search(text.lower()):
            return rules_named(name)
    return Rules()
