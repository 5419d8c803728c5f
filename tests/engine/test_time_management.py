"""Time management in simulated games: the flag must never fall, and the time must be used."""

import random

import pytest

from tengen.board import Position
from tengen.engine import Clock, EngineSettings, TimeControl, TimeSystem, create_engine
from tengen.engine.clock import MIN_THINKING_S, estimate_moves_left, thinking_time_s
from tengen.search import NEVER

LAG_S = 0.15
LONGEST_GAME = 400


class Referee:
    """Keeps a player's time as a server does, independently of `Clock`."""

    def __init__(self, control: TimeControl):
        self.control = control
        self.count = control.stones or control.periods
        self.left_s = control.main_s
        self.overtime_left = self.count if control.main_s <= 0 else 0
        """Canadian: moves left in the period. Byo-yomi: periods left. 0 in main time."""
        if self.overtime_left:
            self.left_s = control.period_s

    def clock(self) -> Clock:
        """Return the player's clock after `time_left`."""
        clock = Clock(self.control)
        clock.set_time_left(self.left_s, self.overtime_left)
        return clock

    def spend(self, spent_s: float) -> None:
        """Charge a move; the flag must not fall."""
        system = self.control.system
        self.left_s -= spent_s
        if system is TimeSystem.FISCHER:
            self._check()
            self.left_s += self.control.increment_s
        elif system is TimeSystem.CANADIAN:
            self._enter_overtime()
            self._check()
            if self.overtime_left:
                self.overtime_left -= 1
                if self.overtime_left == 0:
                    self.left_s, self.overtime_left = self.control.period_s, self.count
        elif system is TimeSystem.BYOYOMI:
            self._enter_overtime()
            while self.left_s < 0 and self.overtime_left > 1:
                self.left_s += self.control.period_s
                self.overtime_left -= 1
            self._check()
            if self.overtime_left:
                self.left_s = self.control.period_s
        else:
            self._check()

    def _enter_overtime(self) -> None:
        if self.left_s < 0 and self.overtime_left == 0:
            self.left_s += self.control.period_s
            self.overtime_left = self.count

    def _check(self) -> None:
        assert self.left_s >= 0, "the flag fell"


CONTROLS = [
    TimeControl(60),
    TimeControl(300),
    TimeControl(1800),
    TimeControl.from_gtp(0, 10, 25),
    TimeControl.from_gtp(60, 30, 5),
    TimeControl.from_gtp(600, 300, 25),
    TimeControl.from_gtp(0, 1, 1),
    TimeControl.from_gtp(60, 10, 1),
    TimeControl(60, 10, periods=5),
    TimeControl(0, 1, periods=1),
    TimeControl(5, 30, periods=1),
    TimeControl(60, increment_s=5),
    TimeControl(5, increment_s=1),
    TimeControl(300, increment_s=0.5),
]


def lags(kind, rng):
    """Yield network lags, always below the allowance of the engine."""
    while True:
        yield {"none": 0.0, "random": rng.uniform(0, LAG_S), "worst": LAG_S * 0.999}[kind]


@pytest.mark.parametrize("lag", ["none", "random", "worst"])
@pytest.mark.parametrize("control", CONTROLS, ids=str)
@pytest.mark.parametrize("points", [81, 361])
def test_flag_never_falls_with_time_left(control, points, lag):
    """The server reports the time left before each move."""
    referee = Referee(control)
    lag_s = lags(lag, random.Random(1))
    for played in range(0, LONGEST_GAME if points == 361 else 120, 2):
        left = estimate_moves_left(points, played)
        seconds = thinking_time_s(referee.clock(), left, LAG_S)
        assert seconds >= MIN_THINKING_S
        referee.spend(seconds + next(lag_s))


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_flag_never_falls_without_time_left(control):
    """The engine keeps its own clock; there is no lag."""
    referee, own = Referee(control), Clock(control)
    for played in range(0, 200, 2):
        seconds = thinking_time_s(own, estimate_moves_left(361, played), LAG_S)
        own.spend(seconds)
        referee.spend(seconds)


@pytest.mark.parametrize("control", CONTROLS, ids=str)
@pytest.mark.parametrize("has_time_left", [True, False])
def test_most_of_the_time_is_used(control, has_time_left):
    referee, own, moves = Referee(control), Clock(control), 120
    spent_s = 0.0
    for number in range(moves):
        clock = referee.clock() if has_time_left else own
        seconds = thinking_time_s(clock, estimate_moves_left(361, 2 * number), LAG_S)
        referee.spend(seconds)
        own.spend(seconds)
        spent_s += seconds
    if control.system is TimeSystem.ABSOLUTE:
        assert spent_s > 0.5 * control.main_s
    elif control.system is TimeSystem.FISCHER:
        assert spent_s > 0.5 * (control.main_s + moves * max(control.increment_s - LAG_S, 0))
    else:
        share = control.stones or 1
        assert spent_s > 0.8 * max(control.main_s, moves * (control.period_s / share - LAG_S))


@pytest.mark.parametrize("text", ["none", "1m", "1m+10s/5", "1m+5x10s", "1m+10s"])
@pytest.mark.parametrize("left_s", [0.0, 0.01, LAG_S, 0.2])
def test_little_time_left(text, left_s):
    clock = Clock(TimeControl.parse(text))
    clock.set_time_left(left_s, 0)
    seconds = thinking_time_s(clock, 40, LAG_S)
    assert MIN_THINKING_S <= seconds <= max(left_s, MIN_THINKING_S)


def test_canadian_periods_follow_one_another():
    clock = Clock(TimeControl.from_gtp(1, 10, 2))
    clock.spend(3)
    assert (clock.remaining_s, clock.overtime_left) == (8, 1), "into overtime with the first move"
    clock.spend(7)
    assert (clock.remaining_s, clock.overtime_left) == (10, 2)


def test_byoyomi_period_restarts_at_each_move():
    clock = Clock(TimeControl(1, 10, periods=3))
    clock.spend(5)
    assert clock.remaining_s == 10
    assert clock.overtime_left >= 1
    clock.spend(9)
    assert clock.remaining_s == 10


def test_fischer_increment():
    clock = Clock(TimeControl(10, increment_s=2))
    clock.spend(3)
    assert clock.remaining_s == 9


def test_estimate_moves_left_limits():
    assert estimate_moves_left(361, 0) == 137
    assert estimate_moves_left(361, 10**6) == 43, "a long game still has moves left"
    assert estimate_moves_left(1, 0) == 4
    assert estimate_moves_left(1, 1000) == 4
    values = [estimate_moves_left(361, played) for played in range(0, 500)]
    assert values == sorted(values, reverse=True)


@pytest.mark.kernels
def test_clock_limits_playouts():
    player = create_engine(EngineSettings().with_overrides(["playouts=1000000", "threads=1"]))
    clock = Clock(TimeControl(60.0))
    clock.set_time_left(10.0, 0)
    timed = player._limit(Position(9), clock, start_s=100.0)
    assert timed.simulations == 1_000_000
    assert 100.0 < timed.until_s < 110.0
    assert player._limit(Position(9), None, start_s=100.0).until_s == NEVER
