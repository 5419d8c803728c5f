"""Time control: what the clock says, and how long to think.

All kinds of clocks that servers use come down to three numbers: main time, time of a period, and
moves (or periods, or an increment) that go with it.
"""

from dataclasses import dataclass, replace
from enum import IntEnum

NO_CAP = float("inf")
SECONDS_TO_ACT = 0.02
"""No search is given less: it must at least look at the board."""
MOVES_IN_RESERVE = 40
"""Without overtime, time is kept for so many moves made at once: a game may last very long."""


class ClockKind(IntEnum):
    """How a clock runs."""

    NONE = 0
    ABSOLUTE = 1
    CANADIAN = 2
    BYOYOMI = 3
    FISCHER = 4


@dataclass(frozen=True)
class Clock:
    """One player's clock. It does not tick: whoever holds it tells what is left."""

    kind: ClockKind = ClockKind.NONE
    main_s: float = 0.0
    period_s: float = 0.0
    """Canadian: for `stones` moves. Byo-yomi: for one move. Fischer: gained at every move."""
    stones: int = 0
    """Canadian: moves in a period. Byo-yomi: periods."""
    left_s: float = 0.0
    stones_left: int = 0
    """0 while in main time."""
    most_left_s: float = NO_CAP
    """Fischer: what is on the clock never grows above this."""
    most_a_move_s: float = NO_CAP
    """The most that one move may take."""

    @classmethod
    def start(
        cls, kind: ClockKind, main_s: float, period_s: float = 0.0, stones: int = 0
    ) -> "Clock":
        """Return a fresh clock; one without main time begins in its first period."""
        in_period = main_s <= 0 and kind in (ClockKind.CANADIAN, ClockKind.BYOYOMI)
        left_s, stones_left = (period_s, stones) if in_period else (main_s, 0)
        return cls(kind, main_s, period_s, stones, left_s, stones_left)

    def restarted(self) -> "Clock":
        """Return the clock as it was at the start of the game."""
        fresh = Clock.start(self.kind, self.main_s, self.period_s, self.stones)
        return replace(fresh, most_left_s=self.most_left_s, most_a_move_s=self.most_a_move_s)

    @classmethod
    def from_gtp(cls, main_s: float, period_s: float, stones: int) -> "Clock":
        """Return the clock of GTP's `time_settings`."""
        if period_s > 0 and stones == 0:
            return cls()
        if period_s <= 0:
            return cls.start(ClockKind.ABSOLUTE, main_s)
        return cls.start(ClockKind.CANADIAN, main_s, period_s, stones)

    def with_left(self, left_s: float, stones_left: int) -> "Clock":
        """Return the clock after GTP's `time_left`: seconds, and stones once in overtime."""
        if self.kind is ClockKind.NONE:
            return Clock.start(ClockKind.ABSOLUTE, max(left_s, 0.0))
        return replace(self, left_s=max(left_s, 0.0), stones_left=max(stones_left, 0))

    def after_move(self, spent_s: float) -> "Clock":
        """Return the clock after a move, for who is told nothing by `time_left`."""
        if self.kind is ClockKind.NONE:
            return self
        left_s = self.left_s - spent_s
        if self.kind is ClockKind.FISCHER:
            return replace(self, left_s=min(left_s + self.period_s, self.most_left_s))
        if self.kind is ClockKind.CANADIAN:
            return self._after_canadian(left_s)
        if self.kind is ClockKind.BYOYOMI and (self.stones_left or left_s < 0):
            return replace(self, left_s=self.period_s, stones_left=max(self.stones_left, 1))
        return replace(self, left_s=left_s)

    def _after_canadian(self, left_s: float) -> "Clock":
        if self.stones_left == 0 and left_s >= 0:
            return replace(self, left_s=left_s)
        stones_left = self.stones_left
        if stones_left == 0:  # the move with which main time ends is the first of a period
            left_s, stones_left = left_s + self.period_s, self.stones
        if stones_left == 1:
            return replace(self, left_s=self.period_s, stones_left=self.stones)
        return replace(self, left_s=left_s, stones_left=stones_left - 1)


def thinking_time(clock: Clock, moves_left: int, lag_s: float) -> float:
    """Return the seconds to spend on this move, `lag_s` kept for the way to the other side.

    `moves_left` is how many moves this player may still have to make; each has its way to go.
    """
    usable_s = clock.left_s - lag_s
    if clock.kind is ClockKind.FISCHER:
        planned_s = usable_s / max(moves_left, 1) + clock.period_s - lag_s
        if clock.left_s + clock.period_s > clock.most_left_s:
            # What does not fit on the clock any more would be lost.
            planned_s = max(planned_s, clock.left_s + clock.period_s - clock.most_left_s)
        return _bounded(planned_s, min(usable_s * 0.5, clock.most_a_move_s - lag_s))
    if clock.kind is ClockKind.CANADIAN and clock.stones > 0:
        if clock.stones_left:
            return _bounded(clock.left_s / clock.stones_left - lag_s, usable_s)
        overtime_s = clock.period_s / clock.stones - lag_s
        return _bounded(_with_overtime(usable_s, moves_left, overtime_s), usable_s)
    if clock.kind is ClockKind.BYOYOMI:
        if clock.stones_left:
            return _bounded(clock.period_s - lag_s, usable_s)
        return _bounded(_with_overtime(usable_s, moves_left, clock.period_s - lag_s), usable_s)
    kept_s = min(MOVES_IN_RESERVE * (lag_s + SECONDS_TO_ACT), clock.left_s / 2)
    planned_s = (clock.left_s - kept_s) / max(moves_left, 1) - lag_s
    return _bounded(planned_s, usable_s * 0.25)


def _with_overtime(usable_s: float, moves_left: int, overtime_s: float) -> float:
    """Spend main time evenly, but never less than overtime would give."""
    return max(usable_s / max(moves_left, 1), min(overtime_s, usable_s))


def _bounded(planned_s: float, most_s: float) -> float:
    return max(SECONDS_TO_ACT, min(planned_s, most_s))


def moves_left(points: int, moves_played: int) -> int:
    """Return how many moves one player may still have to make in a game on so many points."""
    usual = int(0.38 * points) - moves_played // 2
    return max(usual, int(0.12 * points), 4)
