"""A game as a record tells it: who played, where, what was set up, and every move."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.handicap import KOMI as HANDICAP_KOMI
from tengen.board.position import Move, Position
from tengen.board.rules import Ko, Rules, rules_named
from tengen.core.errors import TengenError
from tengen.records.result import Result, parse_result
from tengen.records.tree import Node, plain_text
from tengen.records.values import is_playable
from tengen.records.warning import RecordWarning

Stone = tuple[int, int]
"""A point and what is put there: a colour, or 0 to clear it."""

_RULE_WORDS = (
    (re.compile(r"chin|中国|中國|cn|^zh"), "chinese"),
    (re.compile(r"japan|日本|jpn|jp"), "japanese"),
    (re.compile(r"korea|韩国|韓國|한국|kor"), "korean"),
    (re.compile(r"aga"), "aga"),
    (re.compile(r"zealand|\bnz"), "new-zealand"),
    (re.compile(r"tromp|taylor|\btt\b"), "tromp-taylor"),
    (re.compile(r"\bing\b|goe|应氏|應氏"), "ing"),
)
"""What to look for in rules that are not named as we name them."""


class SetupChange(NamedTuple):
    """Stones put or removed in the middle of a game, before its move number `before_move`."""

    before_move: int
    stones: list[Stone]
    to_play: Colour | None


@dataclass
class GameRecord:
    """One game. `root` holds everything that was read; the other fields say what it means.

    The main line is the first variation throughout. `moves` are its legal moves: where a record
    goes wrong, they end, `warnings` says why, and the rest is still in the tree. On a board that
    we cannot play on, and for other games than Go, there are no moves at all.
    """

    rows: int = 19
    columns: int = 19
    komi: float | None = None
    """In points; None if the record does not say."""
    handicap: int = 0
    setup: list[Stone] = field(default_factory=list)
    """What stands on the board before the first move."""
    to_play: Colour | None = None
    """The side to move first, if the record says so."""
    moves: list[Move] = field(default_factory=list)
    changes: list[SetupChange] = field(default_factory=list)
    """Setup in the middle of the main line; most games have none."""
    root: Node = field(default_factory=Node)
    warnings: list[RecordWarning] = field(default_factory=list)
    source: str = ""
    """The file it was read from; `archive/member` for a member of an archive."""
    number: int = 0
    """Its place in that file, from 0."""

    # What the root says

    def text(self, name: str) -> str:
        """Return a root property as plain text; empty if there is none."""
        return self.root.text(name) or ""

    @property
    def properties(self) -> Mapping[str, str]:
        """All root properties as plain text: date (DT), event (EV), place (PC) and so on."""
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
    def result(self) -> Result:
        """The result, as far as it is clear."""
        return parse_result(self.result_text)

    @property
    def winner(self) -> Colour | None:
        """Who won; None for draws and where it is not known."""
        return self.result.winner

    @property
    def margin_points(self) -> float | None:
        """By how many points it was won, if it was counted."""
        return self.result.margin_points

    @property
    def rules(self) -> Rules:
        """The rules that the record names, with its komi.

        Unknown rules count as area scoring with superko. Without a komi it is that of the
        rules, or one half in a handicap game.
        """
        rules = _rules_in(self.rules_text)
        if self.komi is not None:
            return rules.with_komi(self.komi)
        return rules.with_komi(HANDICAP_KOMI) if self.handicap >= 2 else rules

    @property
    def is_playable(self) -> bool:
        """Whether it is a game of Go on a board that we can play on."""
        return is_playable(self.rows, self.columns) and not is_other_game(self.root)

    # Positions

    @property
    def first_to_play(self) -> Colour:
        """Who moves first: as said, as played, or White after handicap stones."""
        if self.to_play is not None:
            return self.to_play
        if self.moves:
            return self.moves[0].colour
        return WHITE if self.handicap >= 2 and self.setup else BLACK

    def position(self, number: int | None = None, rules: Rules | None = None) -> Position:
        """Return the position after the first `number` moves, by default after all of them.

        Without `rules`, the record's own rules count the score, but simple ko and suicide
        are the only limits on the moves: real games were played under rules the record does
        not tell. With `rules` they are kept strictly. A setup in the middle of the game makes
        the position forget the moves before it. Raise TengenError if there is no such move, if
        the board is not playable, or if a move is illegal under `rules`.
        """
        count = len(self.moves) if number is None else number
        if not 0 <= count <= len(self.moves):
            raise TengenError(f"there is no move {count}: the game has {len(self.moves)}")
        position = self.start(rules or lenient(self.rules))
        played, reason = self.replay(position, count)
        if reason:
            raise TengenError(f"move {played + 1} of {self.source or 'the game'}: {reason}")
        return position

    def start(self, rules: Rules) -> Position:
        """Return the position before the first move; raise TengenError if it cannot be."""
        if not self.is_playable:
            raise TengenError(f"cannot play on {self.columns}x{self.rows}, or not a game of Go")
        position = Position(self.rows, self.columns, rules)
        position.handicap = self.handicap
        if self.setup:
            position.setup(self.setup, self.first_to_play)
        else:
            position.to_play = self.first_to_play
        return position

    def replay(self, position: Position, count: int) -> tuple[int, str | None]:
        """Play the first `count` moves; return how many could be played, and why no more.

        A setup that stands right after the last of them is made too.
        """
        played = 0
        due = [change for change in self.changes if change.before_move <= count]
        for change in [*due, SetupChange(count, [], None)]:
            end = change.before_move
            played += position.play_sequence(self.moves[played:end])
            if played < end:
                return played, _why_illegal(self.moves[played], position)
            try:
                _apply(change, position)
            except TengenError as error:
                return played, str(error)
        return played, None


def _apply(change: SetupChange, position: Position) -> None:
    if change.stones:
        position.setup(change.stones, change.to_play or position.to_play)
    elif change.to_play is not None:
        position.to_play = change.to_play


def _why_illegal(move: Move, position: Position) -> str:
    what = f"{move.colour.letter} {position.vertex(move.move)} is illegal"
    return f"{what}, the point is taken" if position.colour(move.move) else f"{what}, ko or suicide"


def lenient(rules: Rules) -> Rules:
    """Return the same rules with simple ko and suicide allowed."""
    return replace(rules, ko=Ko.SIMPLE, suicide=True)


def is_other_game(root: Node) -> bool:
    """Tell whether a root says that this is not Go; GM[1] is Go, and so is what makes no sense."""
    number = (root.text("GM") or "1").strip()
    return number.isascii() and number.isdigit() and len(number) <= 3 and int(number) > 1


def _rules_in(text: str) -> Rules:
    """Return the rules that a text names, or the default ones."""
    try:
        return rules_named(text)
    except TengenError:
        pass
    for pattern, name in _RULE_WORDS:
        if pattern.search(text.lower()):
            return rules_named(name)
    return Rules()
