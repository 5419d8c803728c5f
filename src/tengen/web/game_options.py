"""Options of a game: validation of `NewGame` and the game tree it starts with."""

from dataclasses import dataclass
from datetime import date

from tengen.board import (
    HANDICAP_KOMI,
    Color,
    Position,
    fixed_handicap_points,
    parse_size,
    rules_named,
)
from tengen.engine import STRONGEST, UNLIMITED, Clock, TimeControl, level_named
from tengen.records import GameRecord, record_from_position
from tengen.util import TengenError
from tengen.web.messages import NewGame
from tengen.web.tree import GameTree

MIN_SIZE, MAX_SIZE = 2, 19
SIDES: dict[str, frozenset[Color]] = {
    "black": frozenset({Color.BLACK}),
    "white": frozenset({Color.WHITE}),
    "both": frozenset(Color),
    "none": frozenset(),
}
"""Colors played by the user, by the name of the choice."""
ENGINE_NAME, PERSON_NAME = "Tengen", "You"
MAX_TIME_S = 86_400.0
MIN_SECONDS, MAX_SECONDS = 0.1, 600.0
"""Limits of the thinking time per move."""
MAX_PERIODS = 100


@dataclass(frozen=True)
class GameOptions:
    """Who plays, at which level and with which clock."""

    person: frozenset[Color]
    """Colors played by the user."""
    level: str = STRONGEST
    time_control: TimeControl = UNLIMITED
    seconds: float | None = None
    """Thinking time per move of the strongest level; None for that of the settings."""

    @property
    def overrides(self) -> tuple[str, ...]:
        """Settings of the level as `name=value`."""
        level = level_named(self.level)
        if level.name != STRONGEST or self.seconds is None:
            return level.overrides
        return *level.overrides, "playouts=0", f"seconds={self.seconds:g}"

    def is_engine(self, color: Color) -> bool:
        """Return whether the engine plays a color."""
        return color not in self.person

    @property
    def side_name(self) -> str:
        """The user's colors, as in `NewGame`."""
        return next(name for name, colors in SIDES.items() if colors == self.person)


LOADED_GAME = GameOptions(SIDES["both"])
"""Options of a game loaded from a file: the engine plays only on request."""


def start_game(request: NewGame) -> tuple[GameTree, GameOptions]:
    """Return tree and options of a new game; raise TengenError for invalid options."""
    if request.color not in SIDES:
        raise TengenError(f"color must be one of {', '.join(SIDES)}, got {request.color[:40]!r}")
    level_named(request.level)
    if request.seconds is not None and not MIN_SECONDS <= request.seconds <= MAX_SECONDS:
        raise TengenError(
            f"the time per move must be from {MIN_SECONDS:g} to {MAX_SECONDS:g} seconds, "
            f"got {request.seconds:g}"
        )
    control = time_control(request)
    options = GameOptions(SIDES[request.color], request.level, control, request.seconds)
    return GameTree(_record(first_position(request), options)), options


def time_control(request: NewGame) -> TimeControl:
    """Return the time control of a new game; raise TengenError if it is invalid."""
    values: dict[str, list[float]] = {
        "none": [],
        "absolute": [request.main_s],
        "byoyomi": [request.main_s, request.period_s, request.periods],
        "fischer": [request.main_s, request.period_s],
    }
    if request.clock not in values:
        raise TengenError(f"clock must be one of {', '.join(values)}, got {request.clock[:40]!r}")
    if max(request.main_s, request.period_s) > MAX_TIME_S or request.periods > MAX_PERIODS:
        raise TengenError(f"the clock is limited to 24 hours and {MAX_PERIODS} periods")
    if request.clock == "byoyomi" and request.periods < 1:
        raise TengenError("byo-yomi needs at least one period")
    control = TimeControl.from_kgs(request.clock, values[request.clock])
    if Clock(control).allowed_s <= 0:
        raise TengenError("the clock has no time")
    return control


def first_position(request: NewGame) -> Position:
    """Return the position before the first move; raise TengenError for invalid options."""
    rows, columns = parse_size(request.size)
    if min(rows, columns) < MIN_SIZE:
        raise TengenError(
            f"the board must be from {MIN_SIZE}x{MIN_SIZE} to {MAX_SIZE}x{MAX_SIZE}, "
            f"got {columns}x{rows}"
        )
    rules = rules_named(request.rules)
    if request.komi is not None:
        rules = rules.with_komi(request.komi)
    elif request.handicap:
        rules = rules.with_komi(HANDICAP_KOMI)
    position = Position(rows, columns, rules)
    if request.handicap:
        position.place_handicap(fixed_handicap_points(rows, columns, request.handicap))
    return position


def _record(position: Position, options: GameOptions) -> GameRecord:
    engine = f"{ENGINE_NAME} {options.level}"
    black, white = (engine if options.is_engine(color) else PERSON_NAME for color in Color)
    properties = {"DT": date.today().isoformat(), "AP": ENGINE_NAME}
    return record_from_position(position, black, white, properties=properties)
