"""Time controls, the clock of one player, and time management.

| text         | time control                                                        |
|--------------|---------------------------------------------------------------------|
| `none`       | unlimited                                                           |
| `10m`        | absolute: 10 minutes for the whole game                             |
| `10m+3x30s`  | byo-yomi: then 3 periods of 30 s; a move within 30 s costs nothing, |
|              | every further 30 s cost one period                                  |
| `10m+30s/5`  | Canadian overtime: then 30 s for every 5 moves                      |
| `1s/move`    | 1 s for each move; unused time is lost                              |
| `5m+10s`     | Fischer: 10 s are added after every move                            |

Durations are numbers with `ms`, `s`, `m` or `h`. Main time may be omitted: `3x30s`, `30s/5`.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from tengen.util import TengenError

UNLIMITED_S = float("inf")
MIN_THINKING_S = 0.02
"""The shortest search."""
MAX_CLOCK_S = 7 * 24 * 3600.0
"""Longer times from a GTP controller mean no time limit."""
RESERVED_MOVES = 40
"""Without overtime, network lag and `MIN_THINKING_S` are reserved for this many moves."""

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")


class TimeSystem(Enum):
    """Kinds of time control, by the names that KGS and KataGo use in GTP."""

    NONE = "none"
    ABSOLUTE = "absolute"
    CANADIAN = "canadian"
    BYOYOMI = "byoyomi"
    FISCHER = "fischer"


@dataclass(frozen=True)
class TimeControl:
    """The time of one side: main time, then at most one kind of overtime."""

    main_s: float = 0.0
    """Infinite without a time limit."""
    period_s: float = 0.0
    """Length of an overtime period; 0 without overtime."""
    stones: int = 0
    """Canadian: moves per period."""
    increment_s: float = 0.0
    """Fischer: added after every move."""
    periods: int = 0
    """Byo-yomi: number of periods."""
    max_remaining_s: float = UNLIMITED_S
    """Fischer: cap on the remaining time."""
    max_move_s: float = UNLIMITED_S
    """Maximum time for one move."""

    def __post_init__(self) -> None:
        if self.period_s and not (self.stones or self.periods):
            raise TengenError("overtime needs a number of moves or periods")

    # Construction

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Parse a time control (see the table above); raise TengenError if it is invalid."""
        text = text.strip().lower()
        if text in ("", "none"):
            return UNLIMITED
        main, plus, overtime = text.partition("+")
        if not plus and ("/" in main or "x" in main):
            main, plus, overtime = "0s", "+", main
        main_s = parse_duration(main)
        control = _parse_overtime(main_s, overtime) if plus else cls(main_s)
        if not (control.main_s or control.period_s):
            raise TengenError(f"invalid time control {text!r}: no time at all")
        return control

    @classmethod
    def from_gtp(cls, main_s: float, period_s: float, stones: int) -> "TimeControl":
        """Return the time control of GTP's `time_settings`."""
        if (period_s > 0 and stones == 0) or max(main_s, period_s) > MAX_CLOCK_S:
            return UNLIMITED
        return cls(main_s, period_s, stones) if period_s > 0 else cls(main_s)

    @classmethod
    def from_kgs(cls, system: str, values: Sequence[float]) -> "TimeControl":
        """Return the time control of `kgs-time_settings` and `kata-time_settings`.

        Raise TengenError for an unknown system, a negative value or a wrong number of values.
        Negative caps of `fischer-capped` mean no cap.
        """
        counts = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}
        counts |= {"fischer": 2, "fischer-capped": 4}
        if system not in counts:
            raise TengenError(f"unknown time system {system[:40]!r}: use {', '.join(counts)}")
        amounts = values[:2] if system == "fischer-capped" else values
        if len(values) != counts[system] or any(value < 0 for value in amounts):
            raise TengenError(f"time system {system} takes {counts[system]} non-negative numbers")
        if system == "none" or max(values[:2]) > MAX_CLOCK_S:
            return UNLIMITED
        main_s = values[0]
        if system == "absolute":
            return cls(main_s)
        if system.startswith("fischer"):
            caps = [cap if cap >= 0 else UNLIMITED_S for cap in values[2:]]
            return cls(main_s, 0.0, 0, values[1], 0, *caps)
        period_s, count = values[1], int(values[2])
        if not (period_s and count):
            return cls(main_s)
        if system == "canadian":
            return cls(main_s, period_s, stones=count)
        return cls(main_s, period_s, periods=count)

    # Properties

    @property
    def system(self) -> TimeSystem:
        """The kind of time control."""
        if self.main_s == UNLIMITED_S:
            return TimeSystem.NONE
        if self.increment_s:
            return TimeSystem.FISCHER
        if self.periods:
            return TimeSystem.BYOYOMI
        return TimeSystem.CANADIAN if self.period_s else TimeSystem.ABSOLUTE

    @property
    def is_unlimited(self) -> bool:
        """Whether there is no time limit."""
        return self.main_s == UNLIMITED_S

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        if self.is_unlimited:
            return "none"
        overtime = self._overtime_text()
        main = _format_duration(self.main_s) if self.main_s or not overtime else ""
        return "+".join(filter(None, (main, overtime)))

    def _overtime_text(self) -> str:
        if self.increment_s:
            return _format_duration(self.increment_s)
        if self.periods:
            return f"{self.periods}x{_format_duration(self.period_s)}"
        moves = "move" if self.stones == 1 else str(self.stones)
        return f"{_format_duration(self.period_s)}/{moves}" if self.period_s else ""

    @property
    def gtp_commands(self) -> list[str]:
        """GTP commands that announce the time control, the most precise first.

        Standard GTP has neither increments nor byo-yomi. Byo-yomi is announced as Canadian
        overtime of one move per period, which never promises too much.
        """
        if self.is_unlimited:
            return ["kgs-time_settings none", "time_settings 0 1 0"]
        main = _format_seconds(self.main_s)
        absolute = [f"time_settings {main} 0 0", f"kgs-time_settings absolute {main}"]
        if self.increment_s:
            fischer = f"kata-time_settings fischer {main} {_format_seconds(self.increment_s)}"
            return [fischer, *absolute]
        if not self.period_s:
            return absolute
        overtime = f"{main} {_format_seconds(self.period_s)}"
        canadian = f"{overtime} {self.stones or 1}"
        commands = [f"time_settings {canadian}", f"kgs-time_settings canadian {canadian}"]
        if not self.periods:
            return commands
        byoyomi = f"byoyomi {overtime} {self.periods}"
        return [f"kgs-time_settings {byoyomi}", f"kata-time_settings {byoyomi}", *commands]

    @property
    def sgf_properties(self) -> dict[str, str]:
        """SGF properties TM and OT, spelled as most servers do; empty without a time limit."""
        if self.is_unlimited:
            return {}
        overtime = ""
        if self.increment_s:
            overtime = f"{_format_seconds(self.increment_s)} fischer"
        elif self.periods:
            overtime = f"{self.periods}x{_format_seconds(self.period_s)} byo-yomi"
        elif self.period_s:
            overtime = f"{self.stones}/{_format_seconds(self.period_s)} Canadian"
        return {"TM": _format_seconds(self.main_s), "OT": overtime}


UNLIMITED = TimeControl(UNLIMITED_S)


def parse_duration(text: str) -> float:
    """Return the seconds of a duration such as `1.5s` or `10m`; raise TengenError."""
    match = _DURATION.fullmatch(text.strip().lower())
    if not match:
        raise TengenError(f"invalid duration {text!r}: write it like 500ms, 1.5s, 10m or 1h")
    return float(match[1]) * _UNITS_S[match[2]]


def _parse_overtime(main_s: float, text: str) -> TimeControl:
    if "x" in text:
        count, _, length = text.partition("x")
        return TimeControl(main_s, _parse_period(length, text), periods=_parse_count(count, text))
    length, slash, count = text.partition("/")
    if not slash:
        return TimeControl(main_s, increment_s=parse_duration(length))
    stones = 1 if count == "move" else _parse_count(count, text)
    return TimeControl(main_s, _parse_period(length, text), stones)


def _parse_count(text: str, overtime: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise TengenError(f"invalid overtime {overtime!r}: write it like 1s/move, 30s/5 or 3x30s")
    return int(text)


def _parse_period(text: str, overtime: str) -> float:
    period_s = parse_duration(text)
    if not period_s:
        raise TengenError(f"invalid overtime {overtime!r}: the period is 0 s")
    return period_s


def _format_seconds(value_s: float) -> str:
    """Format seconds for GTP; as an integer where possible, since old engines read no fractions."""
    return str(int(value_s)) if value_s == int(value_s) else f"{value_s:.2f}"


def _format_duration(value_s: float) -> str:
    """Format seconds for `parse_duration`, in the largest unit without a remainder."""
    for unit in ("h", "m", "s"):
        if value_s % _UNITS_S[unit] == 0:
            return f"{value_s / _UNITS_S[unit]:.0f}{unit}"
    return f"{1000 * value_s:g}ms"


@dataclass
class Clock:
    """The clock of one player.

    Either run it with `start` and `press`, or charge measured times with `spend`. Times `now_s`
    are readings of `time.monotonic`, by default the current one.
    """

    control: TimeControl = UNLIMITED
    lag_s: float = 0.0
    """The flag falls only when the time is exceeded by more than this."""
    remaining_s: float = field(init=False)
    """Main time or time of the current period, as of the last `stop`, `press` or `spend`."""
    overtime_left: int = field(init=False)
    """Canadian: moves left in the period. Byo-yomi: periods left. 0 in main time."""
    _started_s: float | None = field(init=False)

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Set the clock to the start of the game, stopped."""
        self._started_s = None
        self.remaining_s, self.overtime_left = self.control.main_s, 0
        if self.control.main_s <= 0:
            self._start_overtime()

    # State

    @property
    def system(self) -> TimeSystem:
        """The kind of time control."""
        return self.control.system

    @property
    def in_overtime(self) -> bool:
        """Whether main time is used up."""
        return self.overtime_left > 0

    @property
    def periods_left(self) -> int:
        """Byo-yomi periods left, including the current one; 0 for other time controls."""
        return (self.overtime_left or self.control.periods) if self.control.periods else 0

    @property
    def allowed_s(self) -> float:
        """Maximum duration of the next move, or of the rest of it after `stop`."""
        return self.remaining_s + self._periods_to_come * self.control.period_s + self.lag_s

    @property
    def _periods_to_come(self) -> int:
        """Number of periods after the current one, or after main time."""
        control = self.control
        if not self.overtime_left:
            return control.periods or int(control.period_s > 0)
        return self.overtime_left - 1 if control.periods else 0

    # Running

    @property
    def is_running(self) -> bool:
        """Whether the clock is running."""
        return self._started_s is not None

    def start(self, now_s: float | None = None) -> None:
        """Start the clock; no effect if it is running."""
        if self._started_s is None:
            self._started_s = _now_s(now_s)

    def elapsed_s(self, now_s: float | None = None) -> float:
        """Return the time since the start; 0 if the clock is stopped."""
        return 0.0 if self._started_s is None else _now_s(now_s) - self._started_s

    def stop(self, now_s: float | None = None) -> None:
        """Stop the clock within a move and charge the elapsed time."""
        self._charge(self.elapsed_s(now_s))
        self._started_s = None

    def cancel(self) -> None:
        """Stop the clock without charging the elapsed time."""
        self._started_s = None

    def press(self, now_s: float | None = None) -> bool:
        """End the move and stop the clock; return whether the move was made in time."""
        elapsed_s, self._started_s = self.elapsed_s(now_s), None
        return self.spend(elapsed_s)

    def time_to_flag_s(self, now_s: float | None = None) -> float:
        """Return the time until the flag falls, negative after it fell."""
        return self.allowed_s - self.elapsed_s(now_s)

    def spend(self, elapsed_s: float) -> bool:
        """Charge a move of this duration; return whether it was made in time."""
        in_time = elapsed_s <= self.allowed_s
        self._charge(elapsed_s)
        self._finish_move()
        return in_time

    def set_time_left(self, remaining_s: float, overtime_left: int = 0) -> None:
        """Set the clock to the arguments of GTP's `time_left`.

        Without a time control, the remaining time becomes the main time.
        """
        self.remaining_s = max(remaining_s, 0.0)
        if self.control.is_unlimited:
            self.control = TimeControl(self.remaining_s)
        self.overtime_left = max(overtime_left, 0) if self.control.period_s else 0

    def gtp_time_left(self, counts_periods: bool = True) -> str:
        """Return the seconds and stones of GTP's `time_left`, rounded down.

        In byo-yomi, the periods left take the place of the stones, as on KGS; for programs that do
        not count periods, a period is overtime for one move.
        """
        control = self.control
        values = (control.main_s, control.period_s, control.increment_s)
        left_s = max(self.remaining_s, 0.0)
        are_whole = all(seconds == int(seconds) for seconds in values)
        seconds = _format_seconds(int(left_s) if are_whole else int(100 * left_s) / 100)
        is_one_move = control.periods and not counts_periods
        return f"{seconds} {min(self.overtime_left, 1) if is_one_move else self.overtime_left}"

    def _charge(self, elapsed_s: float) -> None:
        """Subtract time, entering overtime and using up byo-yomi periods as needed."""
        self.remaining_s -= elapsed_s
        if self.remaining_s < 0 and not self.overtime_left and self.control.period_s:
            exceeded_s = self.remaining_s
            self._start_overtime()
            self.remaining_s += exceeded_s
        while self.remaining_s < -self.lag_s and self.overtime_left and self._periods_to_come:
            self.overtime_left -= 1
            self.remaining_s += self.control.period_s
        self.remaining_s = max(self.remaining_s, -self.lag_s)

    def _start_overtime(self) -> None:
        self.remaining_s = self.control.period_s
        self.overtime_left = self.control.periods or self.control.stones

    def _finish_move(self) -> None:
        """Apply the increment of a completed move, or start a new period."""
        control = self.control
        if not self.overtime_left:
            if control.increment_s:
                gained_s = self.remaining_s + control.increment_s
                self.remaining_s = min(gained_s, control.max_remaining_s)
        elif control.periods:
            self.remaining_s = control.period_s
        elif self.overtime_left > 1:
            self.overtime_left -= 1
        else:
            self._start_overtime()


def _now_s(now_s: float | None) -> float:
    return time.monotonic() if now_s is None else now_s


# Time management


def thinking_time_s(clock: Clock, moves_left: int, lag_s: float) -> float:
    """Return how long to think about the next move of a limited clock, in seconds.

    `moves_left` estimates this player's remaining moves; `lag_s` is the network lag allowance.
    """
    control, remaining_s = clock.control, clock.remaining_s
    usable_s = remaining_s - lag_s
    if clock.system is TimeSystem.FISCHER:
        planned_s = usable_s / max(moves_left, 1) + control.increment_s - lag_s
        excess_s = remaining_s + control.increment_s - control.max_remaining_s
        if excess_s > 0:  # time above the cap would be lost
            planned_s = max(planned_s, excess_s)
        return _clamp(planned_s, min(usable_s * 0.5, control.max_move_s - lag_s))
    if clock.system is TimeSystem.CANADIAN:
        if clock.in_overtime:
            return _clamp(remaining_s / clock.overtime_left - lag_s, usable_s)
        overtime_s = control.period_s / control.stones - lag_s
        return _clamp(_spread_main_time(usable_s, moves_left, overtime_s), usable_s)
    if clock.system is TimeSystem.BYOYOMI:
        if clock.in_overtime:
            return _clamp(control.period_s - lag_s, usable_s)
        overtime_s = control.period_s - lag_s
        return _clamp(_spread_main_time(usable_s, moves_left, overtime_s), usable_s)
    reserved_s = min(RESERVED_MOVES * (lag_s + MIN_THINKING_S), remaining_s / 2)
    planned_s = (remaining_s - reserved_s) / max(moves_left, 1) - lag_s
    return _clamp(planned_s, usable_s * 0.25)


def _spread_main_time(usable_s: float, moves_left: int, overtime_s: float) -> float:
    """Spread main time evenly over the game, but use at least the time of a move in overtime."""
    return max(usable_s / max(moves_left, 1), min(overtime_s, usable_s))


def _clamp(planned_s: float, max_s: float) -> float:
    return max(MIN_THINKING_S, min(planned_s, max_s))


def estimate_moves_left(points: int, moves_played: int) -> int:
    """Estimate how many more moves each player makes in a game on a board of `points` points."""
    usual = int(0.38 * points) - moves_played // 2
    return max(usual, int(0.12 * points), 4)
