"""What a new game is asked for, checked: board, sides, rules, clock, level."""

from dataclasses import dataclass
from datetime import date

from tengen.board.colour import Colour
from tengen.board.handicap import KOMI as HANDICAP_KOMI
from tengen.board.handicap import fixed_handicap_points
from tengen.board.points import parse_size
from tengen.board.position import Position
from tengen.board.rules import rules_named
from tengen.core.errors import TengenError
from tengen.engine.levels import level_named
from tengen.records.game import GameRecord
from tengen.records.writer import record_from_position
from tengen.web.clocks import TimeSetting
from tengen.web.messages import New
from tengen.web.tree import GameTree

SMALLEST, LARGEST = 2, 19
SIDES: dict[str, frozenset[Colour]] = {
    "black": frozenset({Colour.BLACK}),
    "white": frozenset({Colour.WHITE}),
    "both": frozenset(Colour),
    "none": frozenset(),
}
"""Which sides the person plays."""
ENGINE_NAME, PERSON_NAME = "Tengen", "You"


@dataclass(frozen=True)
class Seats:
    """Who plays: the person's sides, and how strong the engine is."""

    person: frozenset[Colour]
    level: str = "strongest"
    time: TimeSetting = TimeSetting()

    def is_engine(self, colour: Colour) -> bool:
        """Tell whether the engine plays a side."""
        return colour not in self.person

    @property
    def name(self) -> str:
        """The person's sides as the page names them."""
        return next(name for name, sides in SIDES.items() if sides == self.person)


WATCHING = Seats(SIDES["both"])
"""Of a game that was opened: the engine plays when it is asked to."""


def start_game(asked: New) -> tuple[GameTree, Seats]:
    """Return the tree and the seats of a new game; raise TengenError for what makes no sense."""
    if asked.colour not in SIDES:
        raise TengenError(f"unknown side {asked.colour[:40]!r}: use one of {', '.join(SIDES)}")
    level_named(asked.level)
    time = TimeSetting.of(asked.clock, asked.main_s, asked.period_s, asked.periods)
    seats = Seats(SIDES[asked.colour], asked.level, time)
    return GameTree(_record(first_position(asked), seats)), seats


def first_position(asked: New) -> Position:
    """Return the position before the first move; raise TengenError."""
    rows, columns = parse_size(asked.size)
    if min(rows, columns) < SMALLEST:
        raise TengenError(f"a game wants a board from {SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST}")
    rules = rules_named(asked.rules)
    if asked.komi is not None:
        rules = rules.with_komi(asked.komi)
    elif asked.handicap:
        rules = rules.with_komi(HANDICAP_KOMI)
    position = Position(rows, columns, rules)
    if asked.handicap:
        position.place_handicap(fixed_handicap_points(rows, columns, asked.handicap))
    return position


def _record(position: Position, seats: Seats) -> GameRecord:
    engine = f"{ENGINE_NAME} {seats.level}".strip()
    names = {c: engine if seats.is_engine(c) else PERSON_NAME for c in Colour}
    today = {"DT": date.today().isoformat(), "AP": ENGINE_NAME}
    black, white = names[Colour.BLACK], names[Colour.WHITE]
    return record_from_position(position, black, white, properties=today)
