"""Clocks on a fake time: whole games in which the flag must never fall."""

import random

import pytest

from tengen.board.position import Position
from tengen.engine.clock import (
    SECONDS_TO_ACT,
    Clock,
    ClockKind,
    moves_left,
    thinking_time,
)
from tengen.engine.engine import Engine
from tengen.engine.settings import EngineSettings
from tengen.search.limit import NEVER

LAG_S = 0.15
LONGEST_GAME = 400


class Referee:
    """Keeps a player's time as a server does, in seconds that nobody waits for."""

    def __init__(self, clock: Clock):
        self.clock = clock
        self.left_s = clock.main_s
        self.stones = clock.stones if clock.main_s <= 0 else 0
        """Canadian: moves to make in this period; byo-yomi: periods left. 0 in main time."""
        if self.stones:
            self.left_s = clock.period_s

    def tell(self) -> Clock:
        """Return the player's clock after `time_left`."""
        return self.clock.with_left(self.left_s, self.stones)

    def spend(self, spent_s: float) -> None:
        """Take a move's time off; the flag must not fall."""
        kind = self.clock.kind
        self.left_s -= spent_s
        if kind is ClockKind.FISCHER:
            self._check()
            self.left_s += self.clock.period_s
        elif kind is ClockKind.CANADIAN:
            self._enter_overtime()
            self._check()
            if self.stones:
                self.stones -= 1
                if self.stones == 0:
                    self.left_s, self.stones = self.clock.period_s, self.clock.stones
        elif kind is ClockKind.BYOYOMI:
            self._enter_overtime()
            while self.left_s < 0 and self.stones > 1:
                self.left_s += self.clock.period_s
                self.stones -= 1
            self._check()
            if self.stones:
                self.left_s = self.clock.period_s
        else:
            self._check()

    def _enter_overtime(self) -> None:
        if self.left_s < 0 and self.stones == 0:
            self.left_s += self.clock.period_s
            self.stones = self.clock.stones

    def _check(self) -> None:
        assert self.left_s >= 0, "the flag fell"


CLOCKS = [
    Clock.start(ClockKind.ABSOLUTE, 60),
    Clock.start(ClockKind.ABSOLUTE, 300),
    Clock.start(ClockKind.ABSOLUTE, 1800),
    Clock.from_gtp(0, 10, 25),
    Clock.from_gtp(60, 30, 5),
    Clock.from_gtp(600, 300, 25),
    Clock.from_gtp(0, 1, 1),
    Clock.from_gtp(60, 10, 1),
    Clock.start(ClockKind.BYOYOMI, 60, 10, 5),
    Clock.start(ClockKind.BYOYOMI, 0, 1, 1),
    Clock.start(ClockKind.BYOYOMI, 5, 30, 1),
    Clock.start(ClockKind.FISCHER, 60, 5),
    Clock.start(ClockKind.FISCHER, 5, 1),
    Clock.start(ClockKind.FISCHER, 300, 0.5),
]


def jitters(kind, rng):
    """Yield what the way to the server takes, always below the lag the engine keeps for it."""
    while True:
        yield {"none": 0.0, "random": rng.uniform(0, LAG_S), "worst": LAG_S * 0.999}[kind]


@pytest.mark.parametrize("jitter", ["none", "random", "worst"])
@pytest.mark.parametrize(
    "clock", CLOCKS, ids=lambda c: f"{c.kind.name}-{c.main_s:g}-{c.period_s:g}"
)
@pytest.mark.parametrize("points", [81, 361])
def test_the_flag_never_falls(clock, points, jitter):
    """The server tells what is left before each move."""
    referee = Referee(clock)
    ways = jitters(jitter, random.Random(1))
    for played in range(0, LONGEST_GAME if points == 361 else 120, 2):
        left = moves_left(points, played)
        seconds = thinking_time(referee.tell(), left, LAG_S)
        assert seconds >= SECONDS_TO_ACT
        referee.spend(seconds + next(ways))


@pytest.mark.parametrize(
    "clock", CLOCKS, ids=lambda c: f"{c.kind.name}-{c.main_s:g}-{c.period_s:g}"
)
def test_the_flag_never_falls_when_nobody_tells_the_time(clock):
    """The engine keeps its own clock from what it spent; the way is not known to it."""
    referee, own = Referee(clock), clock
    for played in range(0, 200, 2):
        seconds = thinking_time(own, moves_left(361, played), LAG_S)
        own = own.after_move(seconds)
        referee.spend(seconds)


@pytest.mark.parametrize(
    "clock", CLOCKS, ids=lambda c: f"{c.kind.name}-{c.main_s:g}-{c.period_s:g}"
)
@pytest.mark.parametrize("is_told", [True, False])
def test_time_is_used(clock, is_told):
    """Not to lose on time by not thinking at all is no merit."""
    referee, own, moves = Referee(clock), clock, 120
    spent_s = 0.0
    for number in range(moves):
        known = referee.tell() if is_told else own
        seconds = thinking_time(known, moves_left(361, 2 * number), LAG_S)
        referee.spend(seconds)
        own = own.after_move(seconds)
        spent_s += seconds
    if clock.kind is ClockKind.ABSOLUTE:
        assert spent_s > 0.5 * clock.main_s
    elif clock.kind is ClockKind.FISCHER:
        assert spent_s > 0.5 * (clock.main_s + moves * max(clock.period_s - LAG_S, 0))
    else:
        share = clock.stones if clock.kind is ClockKind.CANADIAN else 1
        assert spent_s > 0.8 * max(clock.main_s, moves * (clock.period_s / share - LAG_S))


def test_little_time_left():
    for kind in ClockKind:
        for left_s in (0.0, 0.01, LAG_S, 0.2):
            clock = Clock.start(kind, 60, 10, 5).with_left(left_s, 0)
            seconds = thinking_time(clock, 40, LAG_S)
            assert SECONDS_TO_ACT <= seconds <= max(left_s, SECONDS_TO_ACT)


def test_gtp_settings():
    assert Clock.from_gtp(60, 10, 0).kind is ClockKind.NONE, "overtime without stones: no limit"
    assert Clock.from_gtp(60, 0, 0).kind is ClockKind.ABSOLUTE
    assert Clock.from_gtp(60, 0, 5).kind is ClockKind.ABSOLUTE
    assert Clock.from_gtp(60, 10, 5).kind is ClockKind.CANADIAN
    assert Clock.from_gtp(0, 10, 5).stones_left == 5


def test_canadian_periods_follow_one_another():
    clock = Clock.from_gtp(1, 10, 2)
    clock = clock.after_move(3)
    assert (clock.left_s, clock.stones_left) == (8, 1), "into overtime with the first move"
    clock = clock.after_move(7)
    assert (clock.left_s, clock.stones_left) == (10, 2)


def test_a_byoyomi_period_starts_over_at_each_move():
    clock = Clock.start(ClockKind.BYOYOMI, 1, 10, 3).after_move(5)
    assert clock.left_s == 10
    assert clock.stones_left >= 1
    assert clock.after_move(9).left_s == 10


def test_fischer_gains_at_each_move():
    assert Clock.start(ClockKind.FISCHER, 10, 2).after_move(3).left_s == 9


def test_no_clock_stays_no_clock():
    assert Clock().after_move(5) == Clock()
    told = Clock().with_left(30, 0)
    assert (told.kind, told.left_s) == (ClockKind.ABSOLUTE, 30)
    assert Clock.start(ClockKind.ABSOLUTE, 5).with_left(-3, 0).left_s == 0


def test_moves_left_edges():
    assert moves_left(361, 0) == 137
    assert moves_left(361, 10**6) == 43, "a long game still has moves to come"
    assert moves_left(1, 0) == 4
    assert moves_left(1, 1000) == 4
    values = [moves_left(361, played) for played in range(0, 500)]
    assert values == sorted(values, reverse=True)


@pytest.mark.kernels
def test_playouts_are_cut_off_by_a_running_clock():
    player = Engine(EngineSettings().with_words(["playouts=1000000", "threads=1"]))
    clock = Clock(ClockKind.ABSOLUTE, main_s=60.0).with_left(10.0, 0)
    timed = player._limit(Position(9), clock, begun_s=100.0)
    assert timed.simulations == 1_000_000
    assert 100.0 < timed.until_s < 110.0
    assert player._limit(Position(9), None, begun_s=100.0).until_s == NEVER
