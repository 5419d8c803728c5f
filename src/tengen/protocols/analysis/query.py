"""Analysis queries: the JSON message and the positions to analyze."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from tengen.board import (
    BONUS_NAMES,
    MAX_SIZE,
    PASS,
    Color,
    Ko,
    Move,
    Position,
    Rules,
    check_komi,
    parse_vertex,
    point_at,
    rules_from_katago,
    rules_named,
)
from tengen.engine import (
    MAX_VISITS,
    EngineSettings,
    MoveRestrictions,
    Perspective,
    TranslatedSettings,
    profile_overrides,
    translate,
)
from tengen.util import SchemaError, TengenError, convert, field_names

MAX_INTEGER = 2**31 - 1
MAX_KOMI = 400
NEAREST_RULES = {"stone-scoring": rules_named("new-zealand"), "aga-button": rules_named("aga")}
"""Substitutes for unsupported rules, as KataGo chooses them for nets without support."""
COORDINATES = re.compile(r"\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)")
"""KataGo's alternative notation of a point: (column, row), from 0 at the top left."""
IGNORED_FIELDS = (
    "rootPolicyTemperature",
    "rootFpuReductionMax",
    "includeOwnershipStdev",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
)
"""KataGo fields that have no effect."""
GLOBAL_SETTINGS = (
    "numAnalysisThreads",
    "numSearchThreads",
    "numSearchThreadsPerAnalysisThread",
    "rules",
)
"""Settings that cannot be overridden by a query."""
LIMIT_SETTINGS = {"play.playouts": "maxVisits", "play.seconds": "maxTime"}
"""Settings that limit the search, and KataGo's names for them."""

BoardSize = Annotated[int, Meta(ge=1, le=MAX_SIZE)]
Priority = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
PositiveInt = Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
Interval = Annotated[float, Meta(ge=0.001, le=86400.0)]
ColoredMove = tuple[str, str]


class MoveFilter(Struct, rename="camel", frozen=True):
    """An item of `avoidMoves` or `allowMoves`; it applies at the root, whatever its depth."""

    player: str
    moves: list[str] | None = None
    until_depth: PositiveInt | None = None


class QueryMessage(Struct, rename="camel", frozen=True, kw_only=True):
    """The JSON fields of a query."""

    id: str
    moves: list[ColoredMove]
    rules: str | dict[str, Any]
    board_x_size: BoardSize
    board_y_size: BoardSize
    komi: Annotated[float, Meta(ge=-MAX_KOMI, le=MAX_KOMI)] | None = None
    white_handicap_bonus: str | int | None = None
    initial_stones: list[ColoredMove] = []
    initial_player: str | None = None
    analyze_turns: list[Annotated[int, Meta(ge=0)]] = []
    priority: Priority = 0
    priorities: list[Priority] = []
    max_visits: Annotated[int, Meta(ge=1, le=MAX_VISITS)] | None = None
    override_settings: dict[str, Any] = {}
    avoid_moves: list[MoveFilter] = []
    allow_moves: list[MoveFilter] = []
    include_ownership: bool = False
    include_moves_ownership: bool = False
    include_policy: bool = False
    include_pv_visits: bool = field(default=False, name="includePVVisits")
    analysis_pv_len: PositiveInt | None = field(default=None, name="analysisPVLen")
    report_during_search_every: Interval | None = None
    first_report_during_search_after: Interval | None = None


@dataclass(frozen=True)
class Query:
    """A validated query; each of its turns gets one final response."""

    message: QueryMessage
    positions: dict[int, Position]
    """By turn."""
    priorities: dict[int, int]
    """By turn."""
    restrictions: dict[Color, MoveRestrictions]
    overrides: TranslatedSettings
    warnings: tuple[tuple[str, str], ...]
    """(field, message) for everything that has no effect."""

    @property
    def id(self) -> str:
        """The id chosen by the client."""
        return self.message.id

    @property
    def visits(self) -> int | None:
        """The visit limit, if the query sets one."""
        return self.message.max_visits or self.overrides.visits

    @property
    def seconds(self) -> float | None:
        """The time limit, if the query sets one."""
        return self.overrides.seconds

    @property
    def perspective(self) -> Perspective | None:
        """The side whose win rates and scores are reported, if the query sets it."""
        return self.overrides.perspective


def read_query(fields: Mapping[str, Any], settings: EngineSettings) -> Query:
    """Read a query; raise SchemaError.

    `settings` are the engine's, to check that those of the query can be applied to them.
    """
    message = convert({k: v for k, v in fields.items() if v is not None}, QueryMessage)
    rules, warnings = _read_rules(message)
    parser = _MoveParser(message)
    turns = _read_turns(message)
    overrides = _read_overrides(message, settings)
    warnings += [("overrideSettings", f"unknown setting {name}") for name in overrides.unknown]
    for name in GLOBAL_SETTINGS:
        if name in message.override_settings:
            warnings.append(("overrideSettings", f"{name} has no effect in a query"))
    for name in fields:
        if name not in field_names(QueryMessage):
            is_known = name in IGNORED_FIELDS
            warnings.append((name, "has no effect" if is_known else "unexpected or unused field"))
    return Query(
        message=message,
        positions=_positions(message, parser, rules, set(turns)),
        priorities=_priorities(message, turns),
        restrictions=_restrictions(message, parser),
        overrides=overrides,
        warnings=tuple(warnings),
    )


def _read_rules(message: QueryMessage) -> tuple[Rules, list[tuple[str, str]]]:
    """Return the rules with komi, and a warning if they are substitutes."""
    given = message.rules
    warnings = []
    try:
        if isinstance(given, dict):
            rules = rules_from_katago(json.dumps(given))
        elif given.strip().startswith("{"):
            rules = rules_from_katago(given)
        elif nearest := NEAREST_RULES.get(given.strip().lower().replace("_", "-")):
            warnings.append(("rules", f"{given} is not supported: using {nearest.name}"))
            rules = nearest
        else:
            rules = rules_named(given)
    except (TengenError, RecursionError) as error:
        raise SchemaError(str(error), "rules") from None
    if message.white_handicap_bonus is not None:
        key = str(message.white_handicap_bonus).upper()
        if key not in BONUS_NAMES:
            name = "whiteHandicapBonus"
            raise SchemaError(f"{name} must be one of {', '.join(BONUS_NAMES)}", name)
        rules = replace(rules, compensation=BONUS_NAMES[key])
    if message.komi is None:
        return rules, warnings
    try:
        check_komi(message.komi)
    except TengenError as error:
        raise SchemaError(str(error), "komi") from None
    return rules.with_komi(message.komi), warnings


def _read_turns(message: QueryMessage) -> list[int]:
    """Return the turns to analyze, each once, in the order of the query."""
    last = len(message.moves)
    for turn in message.analyze_turns:
        if turn > last:
            raise SchemaError(f"analyzeTurns must be from 0 to {last}, got {turn}", "analyzeTurns")
    return list(dict.fromkeys(message.analyze_turns)) or [last]


def _read_overrides(message: QueryMessage, settings: EngineSettings) -> TranslatedSettings:
    """Translate `overrideSettings`: KataGo's names, or Tengen's such as `search.threads`."""
    given = {LIMIT_SETTINGS.get(k, k): value for k, value in message.override_settings.items()}
    try:
        found = translate(given)
        if found.human_profile is not None:
            found.overrides += profile_overrides(settings.play, found.human_profile)
        own = [name for name in found.unknown if "." in name]
        found.unknown = [name for name in found.unknown if name not in own]
        found.overrides += [f"{name}={given[name]}" for name in own]
        settings.with_overrides(found.overrides)
    except TengenError as error:
        raise SchemaError(str(error), "overrideSettings") from None
    return found


def _priorities(message: QueryMessage, turns: list[int]) -> dict[int, int]:
    """Return the priority of each turn: the same for all, or one for each."""
    each, requested = message.priorities, message.analyze_turns
    if not each:
        return dict.fromkeys(turns, message.priority)
    if len(each) != len(requested):
        raise SchemaError("priorities must have one item for each of analyzeTurns", "priorities")
    return {turn: max(each[i] for i, t in enumerate(requested) if t == turn) for turn in turns}


class _MoveParser:
    """Parses colors and moves on the board of a query."""

    def __init__(self, message: QueryMessage):
        self._rows = message.board_y_size
        self._columns = message.board_x_size

    def color(self, name: str, text: str) -> Color:
        """Parse a color; raise SchemaError for the field `name`."""
        try:
            return Color.parse(text)
        except TengenError:
            raise SchemaError(f"invalid player {text!r}: use B or W", name) from None

    def move(self, name: str, text: str) -> int:
        """Parse a point or a pass; raise SchemaError for the field `name`."""
        if found := COORDINATES.fullmatch(text.strip()):
            column, row = int(found[1]), int(found[2])
            if row < self._rows and column < self._columns:
                return point_at(row, column)
        try:
            return parse_vertex(text, self._rows, self._columns)
        except TengenError as error:
            raise SchemaError(str(error), name) from None

    def moves(self, name: str, items: list[ColoredMove]) -> list[Move]:
        """Parse `[["B", "D4"], ...]`; raise SchemaError for the field `name`."""
        return [Move(self.color(name, color), self.move(name, move)) for color, move in items]


def _restrictions(message: QueryMessage, parser: _MoveParser) -> dict[Color, MoveRestrictions]:
    """Return the root moves that each side may search."""
    found = {color: MoveRestrictions() for color in Color}
    for name, filters in (("avoidMoves", message.avoid_moves), ("allowMoves", message.allow_moves)):
        for item in filters:
            color = parser.color(name, item.player)
            moves = [parser.move(name, text) for text in item.moves or []]
            current = found[color]
            restrict = current.avoiding if name == "avoidMoves" else current.allowing
            found[color] = restrict(moves)
    return found


# Positions


def _positions(
    message: QueryMessage, parser: _MoveParser, rules: Rules, turns: set[int]
) -> dict[int, Position]:
    """Return the position of each turn; raise SchemaError for an illegal move."""
    stones = parser.moves("initialStones", message.initial_stones)
    moves = parser.moves("moves", message.moves)
    first = message.initial_player
    to_play = None if first is None else parser.color("initialPlayer", first)
    if to_play is None and moves:
        to_play = moves[0].color
    start = _initial_position(message, rules, stones, to_play)
    try:
        return _replay(start, moves, turns)
    except SchemaError:
        # Real games contain suicides and repetitions that the rules forbid.
        lenient = replace(rules, ko=Ko.SIMPLE, suicide=True)
        return _replay(_initial_position(message, lenient, stones, to_play), moves, turns)


def _replay(position: Position, moves: list[Move], turns: set[int]) -> dict[int, Position]:
    found = {0: position.copy()} if 0 in turns else {}
    for turn, move in enumerate(moves, 1):
        if position.play_sequence([move]) == 0:
            text = f"{move.color.letter} {position.vertex(move.move)}"
            raise SchemaError(f"Illegal move {turn}: {text}", "moves")
        if turn in turns:
            found[turn] = position.copy()
    return found


def _initial_position(
    message: QueryMessage, rules: Rules, stones: list[Move], to_play: Color | None
) -> Position:
    points = {stone.move for stone in stones}
    if PASS in points:
        raise SchemaError("initialStones must not contain a pass", "initialStones")
    if len(points) < len(set(stones)):
        raise SchemaError("initialStones has two stones on one point", "initialStones")
    # Two or more black stones and no white ones are a handicap.
    is_black = all(stone.color is Color.BLACK for stone in stones)
    handicap = len(points) if is_black and len(points) >= 2 else 0
    if to_play is None:
        to_play = Color.WHITE if handicap else Color.BLACK
    position = Position(message.board_y_size, message.board_x_size, rules)
    try:
        position.setup([(stone.move, int(stone.color)) for stone in stones], to_play)
    except TengenError as error:
        raise SchemaError(str(error), "initialStones") from None
    position.handicap = handicap
    return position
