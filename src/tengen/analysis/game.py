"""From the fields of a question to the positions it asks about."""

import json
import re
from dataclasses import replace
from typing import Any

from tengen.analysis.fields import FieldError, Fields, whole
from tengen.board.colour import Colour
from tengen.board.katago_rules import BONUS_NAMES, rules_from_katago
from tengen.board.points import MAX_SIZE, PASS, parse_vertex, point_at
from tengen.board.position import Move, Position
from tengen.board.rules import Ko, Rules, check_komi, rules_named
from tengen.core.errors import TengenError

MOST_KOMI = 400
NEAREST = {"stone-scoring": rules_named("new-zealand"), "aga-button": rules_named("aga")}
"""As KataGo does where a net knows no such rules."""
PLACE = re.compile(r"\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)")
"""A point as KataGo also takes it: (column, row), from 0 at the top left."""


def read_rules(fields: Fields) -> Rules:
    """Return the rules with their komi; raise FieldError."""
    given = fields.need("rules")
    try:
        if isinstance(given, dict) or (isinstance(given, str) and given.strip().startswith("{")):
            rules = rules_from_katago(given if isinstance(given, str) else json.dumps(given))
        elif isinstance(given, str):
            rules = _nearest_rules(fields, given)
        else:
            raise FieldError("rules", "rules must be a name or an object")
    except (TengenError, RecursionError) as error:
        raise FieldError("rules", str(error)) from None
    return _with_komi(fields, _with_bonus(fields, rules))


def _nearest_rules(fields: Fields, name: str) -> Rules:
    """Return the rules of a name; for those of KataGo's that are not played here, the nearest."""
    near = NEAREST.get(name.strip().lower().replace("_", "-"))
    if near is None:
        return rules_named(name)
    fields.warnings.append(("rules", f"{name} is not played here: taken as {near.name}"))
    return near


def _with_bonus(fields: Fields, rules: Rules) -> Rules:
    bonus = fields.take("whiteHandicapBonus")
    if bonus is None:
        return rules
    key = str(bonus).upper()
    if key not in BONUS_NAMES:
        raise FieldError("whiteHandicapBonus", f"whiteHandicapBonus is {', '.join(BONUS_NAMES)}")
    return replace(rules, compensation=BONUS_NAMES[key])


def _with_komi(fields: Fields, rules: Rules) -> Rules:
    komi = fields.number("komi", -MOST_KOMI, MOST_KOMI)
    if komi is None:
        return rules
    try:
        check_komi(komi)
    except TengenError as error:
        raise FieldError("komi", str(error)) from None
    return rules.with_komi(komi)


class Reader:
    """Reads points, colours and moves on a board of one size."""

    def __init__(self, rows: int, columns: int):
        self._rows = rows
        self._columns = columns

    def colour(self, field: str, text: Any) -> Colour:
        """Read a colour; raise FieldError."""
        try:
            return Colour.parse(text if isinstance(text, str) else "")
        except TengenError:
            raise FieldError(field, f"invalid player {text!r}: B or W") from None

    def move(self, field: str, text: Any) -> int:
        """Read a point or a pass; raise FieldError."""
        if not isinstance(text, str):
            raise FieldError(field, f"{field}: a move must be a string such as D4")
        if place := PLACE.fullmatch(text.strip()):
            column, row = int(place[1]), int(place[2])
            if row < self._rows and column < self._columns:
                return point_at(row, column)
        try:
            return parse_vertex(text, self._rows, self._columns)
        except TengenError as error:
            raise FieldError(field, str(error)) from None

    def pairs(self, field: str, items: list[Any]) -> list[Move]:
        """Read `[["B", "D4"], ...]`; raise FieldError."""
        found = []
        for item in items:
            if not isinstance(item, list) or len(item) != 2:
                raise FieldError(field, f'{field} must be a list of pairs like ["B", "D4"]')
            found.append(Move(self.colour(field, item[0]), self.move(field, item[1])))
        return found


class Game:
    """The game of a question."""

    def __init__(self, fields: Fields):
        """Read it; raise FieldError."""
        fields.need("boardXSize")
        fields.need("boardYSize")
        self._columns = fields.whole("boardXSize", 1, MAX_SIZE) or 0
        self._rows = fields.whole("boardYSize", 1, MAX_SIZE) or 0
        self.reader = Reader(self._rows, self._columns)
        self._rules = read_rules(fields)
        self._stones = self.reader.pairs("initialStones", fields.items("initialStones"))
        if any(stone.move == PASS for stone in self._stones):
            raise FieldError("initialStones", "a stone cannot lie on a pass")
        fields.need("moves")
        self._moves = self.reader.pairs("moves", fields.items("moves"))
        first = fields.take("initialPlayer")
        self._first = None if first is None else self.reader.colour("initialPlayer", first)
        self.turns = self._read_turns(fields)

    def _read_turns(self, fields: Fields) -> list[int]:
        """Return the turns to look at, each once, in the order of the question."""
        last = len(self._moves)
        asked = fields.items("analyzeTurns")
        turns = [whole("analyzeTurns", turn, 0, last) for turn in asked]
        return list(dict.fromkeys(turns)) or [last]

    def positions(self) -> dict[int, Position]:
        """Return the position of each turn; raise FieldError for a move that cannot be played."""
        try:
            return self._replay(self._rules)
        except FieldError:
            # Played all the same: real games have suicides and repetitions that no rule allows.
            return self._replay(replace(self._rules, ko=Ko.SIMPLE, suicide=True))

    def _replay(self, rules: Rules) -> dict[int, Position]:
        position = self._start(rules)
        wanted = set(self.turns)
        found = {0: position.copy()} if 0 in wanted else {}
        for turn, move in enumerate(self._moves, 1):
            if position.play_sequence([move]) == 0:
                text = position.vertex(move.move)
                raise FieldError("moves", f"Illegal move {turn}: {move.colour.letter} {text}")
            if turn in wanted:
                found[turn] = position.copy()
        return found

    def _start(self, rules: Rules) -> Position:
        position = Position(self._rows, self._columns, rules)
        stones = [(stone.move, int(stone.colour)) for stone in self._stones]
        if len({point for point, _ in stones}) < len(set(stones)):
            raise FieldError("initialStones", "Two stones on one point")
        handicap = self._handicap()
        if self._first is not None:
            to_play = self._first
        elif self._moves:
            to_play = self._moves[0].colour
        else:
            to_play = Colour.WHITE if handicap else Colour.BLACK
        try:
            position.setup(stones, to_play)
        except TengenError as error:
            raise FieldError("initialStones", str(error)) from None
        position.handicap = handicap
        return position

    def _handicap(self) -> int:
        """Return the handicap: two or more black stones at the start, and no white ones."""
        points = {stone.move for stone in self._stones}
        is_black = all(stone.colour is Colour.BLACK for stone in self._stones)
        return len(points) if is_black and len(points) >= 2 else 0
