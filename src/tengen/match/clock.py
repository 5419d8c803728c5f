"""Time controls: how they are written, how a player's clock runs, how GTP is told.

| text         | meaning                                                           |
|--------------|-------------------------------------------------------------------|
| `none`       | no limit (but every command has a time-out)                       |
| `1s/move`    | that much for each move, nothing is saved up                      |
| `10m`        | that much for the whole game                                      |
| `10m+3x30s`  | then 3 periods; one is lost with every 30 seconds that a move     |
|              | takes, so a move within 30 seconds costs nothing (byo-yomi)       |
| `10m+30s/5`  | then 30 seconds for every 5 moves (Canadian overtime)             |
| `5m+10s`     | 10 seconds more after every move (Fischer)                        |

Durations are numbers with `ms`, `s`, `m` or `h`. Without main time: `3x30s`, `30s/5`.
"""

import re
from dataclasses import dataclass

from tengen.core.errors import TengenError

UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")


@dataclass(frozen=True)
class TimeControl:
    """How much time a side has: main time first, then one kind of overtime, if any."""

    main_s: float = 0.0
    period_s: float = 0.0
    """The length of an overtime period; 0 if the main time is all there is."""
    stones: int = 0
    """Canadian overtime: moves to make in a period."""
    increment_s: float = 0.0
    """Fischer: added to the main time after every move."""
    periods: int = 0
    """Byo-yomi: how many periods there are. Each is for one move, and lost only if overstepped."""

    @property
    def gtp_commands(self) -> list[str]:
        """The commands that tell a program of it, the most exact first.

        Standard GTP knows no increment and no byo-yomi. There, byo-yomi is one period for one
        move, again and again: so much a player may count on.
        """
        main = _number(self.main_s)
        absolute = [f"time_settings {main} 0 0", f"kgs-time_settings absolute {main}"]
        if self.increment_s:
            return [f"kata-time_settings fischer {main} {_number(self.increment_s)}", *absolute]
        if not self.period_s:
            return absolute
        overtime = f"{main} {_number(self.period_s)}"
        canadian = f"{overtime} {self.stones or 1}"
        commands = [f"time_settings {canadian}", f"kgs-time_settings canadian {canadian}"]
        if not self.periods:
            return commands
        exactly = f"{BYOYOMI} {overtime} {self.periods}"
        return [f"kgs-time_settings {exactly}", f"kata-time_settings {exactly}", *commands]

    @property
    def text(self) -> str:
        """The text that `parse_time` reads."""
        overtime = self._overtime_text
        if not self.main_s:
            return overtime
        return "+".join(filter(None, (_duration(self.main_s), overtime)))

    @property
    def _overtime_text(self) -> str:
        if self.increment_s:
            return _duration(self.increment_s)
        if self.periods:
            return f"{self.periods}x{_duration(self.period_s)}"
        moves = "move" if self.stones == 1 else str(self.stones)
        return f"{_duration(self.period_s)}/{moves}" if self.period_s else ""

    @property
    def sgf(self) -> dict[str, str]:
        """The properties TM and OT of a game record, spelled as most servers do."""
        overtime = ""
        if self.increment_s:
            overtime = f"{_number(self.increment_s)} fischer"
        elif self.periods:
            overtime = f"{self.periods}x{_number(self.period_s)} byo-yomi"
        elif self.period_s:
            overtime = f"{self.stones}/{_number(self.period_s)} Canadian"
        return {"TM": _number(self.main_s), "OT": overtime}


BYOYOMI = "byoyomi"
"""What KGS and KataGo call such a clock."""


def parse_duration(text: str) -> float:
    """Return the seconds that a text such as `1.5s` or `10m` names; raise TengenError."""
    found = DURATION.fullmatch(text.strip().lower())
    if not found:
        raise TengenError(f"invalid duration {text!r}: write it like 500ms, 1.5s, 10m or 1h")
    return float(found[1]) * UNITS_S[found[2]]


def parse_time(text: str) -> TimeControl | None:
    """Read a time control (see the table above), None for `none`; raise TengenError."""
    text = text.strip().lower()
    if text in ("", "none"):
        return None
    main, plus, overtime = text.partition("+")
    if not plus and ("/" in main or "x" in main):
        main, plus, overtime = "0s", "+", main
    control = _with_overtime(parse_duration(main), overtime if plus else None)
    if not (control.main_s or control.period_s):
        raise TengenError(f"invalid time {text!r}: no time at all")
    return control


def _with_overtime(main_s: float, overtime: str | None) -> TimeControl:
    if overtime is None:
        return TimeControl(main_s)
    if "x" in overtime:
        count, _, length = overtime.partition("x")
        return TimeControl(main_s, _period(length, overtime), periods=_count(count, overtime))
    length, slash, count = overtime.partition("/")
    if not slash:
        return TimeControl(main_s, increment_s=parse_duration(length))
    stones = 1 if count == "move" else _count(count, overtime)
    return TimeControl(main_s, _period(length, overtime), stones)


def _count(text: str, overtime: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise TengenError(f"invalid overtime {overtime!r}: write it like 1s/move, 30s/5 or 3x30s")
    return int(text)


def _period(text: str, overtime: str) -> float:
    period_s = parse_duration(text)
    if not period_s:
        raise TengenError(f"invalid overtime {overtime!r}: no time at all")
    return period_s


def _number(value: float) -> str:
    """Write seconds for GTP: whole where they are whole, as old engines read no fractions."""
    return str(int(value)) if value == int(value) else f"{value:.2f}"


def _duration(value_s: float) -> str:
    """Write seconds as `parse_duration` reads them, in the largest unit that goes into them."""
    for unit in ("h", "m", "s"):
        if value_s % UNITS_S[unit] == 0:
            return f"{value_s / UNITS_S[unit]:.0f}{unit}"
    return f"{1000 * value_s:g}ms"


class Clock:
    """One side's clock in one game. The remaining time may sink to `-lag_s` before it falls."""

    def __init__(self, control: TimeControl, lag_s: float):
        """Set the clock; it runs only by `spend`."""
        self.control = control
        self.lag_s = lag_s
        self.count = 0
        """In overtime the moves left in a Canadian period, or the periods of byo-yomi that are
        left, the present one among them; 0 in main time."""
        self.remaining_s = control.main_s
        if not control.main_s:
            self._begin_overtime()

    @property
    def allowed_s(self) -> float:
        """How long the next move may take before the flag falls."""
        return self.remaining_s + self._further_periods * self.control.period_s + self.lag_s

    @property
    def gtp(self) -> str:
        """The seconds and stones of `time_left`, rounded down to what is surely there.

        In byo-yomi periods stand in the place of stones, as on KGS.
        """
        return f"{self._seconds_text} {self.count}"

    @property
    def gtp_by_moves(self) -> str:
        """The same for a program to which byo-yomi is overtime of one move a period."""
        moves = min(self.count, 1) if self.control.periods else self.count
        return f"{self._seconds_text} {moves}"

    def spend(self, elapsed_s: float) -> bool:
        """Take the time of one move off the clock; return whether the flag is still up."""
        self.remaining_s -= elapsed_s
        if not self.count and self.remaining_s <= 0 and self.control.period_s:
            overdrawn_s = self.remaining_s
            self._begin_overtime()
            self.remaining_s += overdrawn_s
        while self.count and self._further_periods and self.remaining_s < -self.lag_s:
            self.count -= 1
            self.remaining_s += self.control.period_s
        in_time = self.remaining_s >= -self.lag_s
        self._end_move()
        return in_time

    @property
    def _further_periods(self) -> int:
        """How many periods come after the time that runs now."""
        control = self.control
        if not self.count:
            return control.periods or int(control.period_s > 0)
        return self.count - 1 if control.periods else 0

    def _begin_overtime(self) -> None:
        self.remaining_s = self.control.period_s
        self.count = self.control.periods or self.control.stones

    def _end_move(self) -> None:
        """Give what a side gets for having moved."""
        if not self.count:
            self.remaining_s += self.control.increment_s
        elif self.control.periods:
            self.remaining_s = self.control.period_s
        elif self.count > 1:
            self.count -= 1
        else:
            self._begin_overtime()

    @property
    def _seconds_text(self) -> str:
        control = self.control
        told = (control.main_s, control.period_s, control.increment_s)
        whole = all(seconds == int(seconds) for seconds in told)
        left_s = max(self.remaining_s, 0.0)
        return _number(int(left_s) if whole else int(100 * left_s) / 100)
