"""The two clocks of a game on the page: main time, byo-yomi, Fischer.

A clock does not tick: whoever holds it tells how long a move took.
"""

from dataclasses import dataclass, field

from tengen.board.colour import BLACK, Colour
from tengen.core.errors import TengenError
from tengen.engine.clock import Clock, ClockKind

KINDS = {
    "none": ClockKind.NONE,
    "absolute": ClockKind.ABSOLUTE,
    "byoyomi": ClockKind.BYOYOMI,
    "fischer": ClockKind.FISCHER,
}
MOST_S = 86_400.0
MOST_PERIODS = 100


@dataclass(frozen=True)
class TimeSetting:
    """How much time each side has."""

    kind: ClockKind = ClockKind.NONE
    main_s: float = 0.0
    period_s: float = 0.0
    """Byo-yomi: for one move. Fischer: gained at every move."""
    periods: int = 0

    @classmethod
    def of(cls, kind: str, main_s: float, period_s: float, periods: int) -> "TimeSetting":
        """Return the setting that the page asks for; raise TengenError if it makes no sense."""
        if kind not in KINDS:
            raise TengenError(f"unknown clock {kind[:40]!r}: use one of {', '.join(KINDS)}")
        if kind == "none":
            return cls()
        if not (0 <= main_s <= MOST_S and 0 <= period_s <= MOST_S and 0 <= periods <= MOST_PERIODS):
            raise TengenError("no clock runs longer than a day, or more than 100 periods")
        if kind == "byoyomi" and periods < 1:
            raise TengenError("byo-yomi needs at least one period")
        setting = cls(KINDS[kind], main_s, period_s, periods)
        if setting.fresh().allowed_s <= 0:
            raise TengenError("a clock needs some time")
        return setting

    def fresh(self) -> "SideClock":
        """Return a clock before the first move."""
        in_overtime = self.kind is ClockKind.BYOYOMI and self.main_s <= 0
        left_s = self.period_s if in_overtime else self.main_s
        periods = self.periods if self.kind is ClockKind.BYOYOMI else 0
        return SideClock(self, left_s, periods, in_overtime)


@dataclass
class SideClock:
    """One side's clock."""

    setting: TimeSetting
    left_s: float
    """Of the main time, or of the present period."""
    periods_left: int
    """Byo-yomi: periods that are left, the present one among them."""
    in_overtime: bool = False

    @property
    def allowed_s(self) -> float:
        """How long the next move may take before the flag falls."""
        unused = self.periods_left - 1 if self.in_overtime else self.periods_left
        return self.left_s + max(unused, 0) * self.setting.period_s

    def spend(self, elapsed_s: float) -> bool:
        """Take the time of one move off; return whether the flag is still up."""
        in_time = elapsed_s <= self.allowed_s
        self._run(elapsed_s)
        if self.in_overtime:
            self.left_s = self.setting.period_s
        elif self.setting.kind is ClockKind.FISCHER:
            self.left_s += self.setting.period_s
        return in_time

    def pause(self, elapsed_s: float) -> None:
        """Take time off within a move, such as when the page is left."""
        self._run(elapsed_s)

    def _run(self, elapsed_s: float) -> None:
        self.left_s -= elapsed_s
        if self.left_s < 0 and not self.in_overtime and self.periods_left:
            self.in_overtime = True
            self.left_s += self.setting.period_s
        while self.left_s < 0 and self.in_overtime and self.periods_left > 1:
            self.periods_left -= 1
            self.left_s += self.setting.period_s
        self.left_s = max(self.left_s, 0.0)

    def for_engine(self) -> Clock:
        """Return what the engine plans its time by."""
        setting = self.setting
        clock = Clock.start(setting.kind, setting.main_s, setting.period_s, setting.periods)
        if setting.kind is ClockKind.NONE:
            return clock
        return clock.with_left(self.left_s, self.periods_left if self.in_overtime else 0)


@dataclass
class Clocks:
    """Both clocks, and since when that of the side to move runs."""

    setting: TimeSetting
    now_s: float
    sides: dict[Colour, SideClock] = field(init=False)
    running: Colour | None = BLACK
    """None while the clocks stand still."""

    def __post_init__(self) -> None:
        self.sides = {colour: self.setting.fresh() for colour in Colour}

    @property
    def is_on(self) -> bool:
        """Whether there are clocks at all."""
        return self.setting.kind is not ClockKind.NONE

    def press(self, mover: Colour, now_s: float) -> bool:
        """End a move of a side and start the other's clock; return whether it was in time."""
        in_time = True
        if self.is_on and self.running is mover:
            in_time = self.sides[mover].spend(now_s - self.now_s)
        self.running, self.now_s = mover.opponent, now_s
        return in_time

    def stop(self, now_s: float) -> None:
        """Let both stand still."""
        if self.is_on and self.running is not None:
            self.sides[self.running].pause(now_s - self.now_s)
        self.running, self.now_s = None, now_s

    def start(self, side: Colour, now_s: float) -> None:
        """Let the clock of a side run from now on, if none does."""
        if self.running is None:
            self.running, self.now_s = side, now_s

    def falls_in_s(self, now_s: float) -> float | None:
        """Return when the flag of the side to move falls; None if no clock runs."""
        if not self.is_on or self.running is None:
            return None
        return self.sides[self.running].allowed_s - (now_s - self.now_s)

    def as_dict(self, now_s: float) -> dict[str, object] | None:
        """Return what the page shows; None without clocks."""
        if not self.is_on:
            return None
        running = None if self.running is None else self.running.name.lower()
        shown: dict[str, object] = {"running": running, "elapsed_s": now_s - self.now_s}
        for colour, side in self.sides.items():
            shown[colour.name.lower()] = {
                "left_s": side.left_s,
                "periods_left": side.periods_left,
                "in_overtime": side.in_overtime,
                "period_s": side.setting.period_s,
            }
        return shown
