"""Time controls: how they are written, how a player's clock runs, how GTP is told.

| text         | meaning                                                    |
|--------------|------------------------------------------------------------|
| `none`       | no limit (but every command has a time-out)                |
| `1s/move`    | that much for each move, nothing is saved up               |
| `10m`        | that much for the whole game                               |
| `10m+30s/5`  | then 30 seconds for every 5 moves (Canadian overtime)      |
| `5m+10s`     | 10 seconds more after every move (Fischer)                 |

Durations are numbers with `ms`, `s`, `m` or `h`.
"""

import re
from dataclasses import dataclass

from tengen.core.errors import TengenError

UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")


@dataclass(frozen=True)
class TimeControl:
    """How much time a side has. Main time first, then periods of `stones` moves, if any."""

    main_s: float = 0.0
    period_s: float = 0.0
    """The length of an overtime period; 0 if the main time is all there is."""
    stones: int = 0
    """Moves to make in a period."""
    increment_s: float = 0.0
    """Added to the main time after every move."""

    @property
    def gtp(self) -> str:
        """The arguments of `time_settings`; an increment cannot be told there."""
        return f"{_number(self.main_s)} {_number(self.period_s)} {self.stones}"


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
    if not plus and "/" in main:
        main, overtime = "0s", main
    control = _with_overtime(parse_duration(main), overtime if plus or overtime else None)
    if not (control.main_s or control.period_s):
        raise TengenError(f"invalid time {text!r}: no time at all")
    return control


def _with_overtime(main_s: float, overtime: str | None) -> TimeControl:
    if overtime is None:
        return TimeControl(main_s)
    length, slash, count = overtime.partition("/")
    if not slash:
        return TimeControl(main_s, increment_s=parse_duration(length))
    stones = "1" if count == "move" else count
    if not (stones.isascii() and stones.isdigit() and int(stones)):
        raise TengenError(f"invalid overtime {overtime!r}: write it like 1s/move or 30s/5")
    return TimeControl(main_s, parse_duration(length), int(stones))


def _number(value: float) -> str:
    """Write seconds for GTP: whole where they are whole, as old engines read no fractions."""
    return str(int(value)) if value == int(value) else f"{value:.2f}"


class Clock:
    """One side's clock in one game. The remaining time may sink to `-lag_s` before it falls."""

    def __init__(self, control: TimeControl, lag_s: float):
        """Set the clock; it runs only by `spend`."""
        self.control = control
        self.lag_s = lag_s
        self.stones = 0
        """Moves left in the overtime period; 0 in main time."""
        self.remaining_s = control.main_s
        if not control.main_s:
            self._next_period()

    @property
    def allowed_s(self) -> float:
        """How long the next move may take before the flag falls."""
        overtime_s = 0.0 if self.stones else self.control.period_s
        return self.remaining_s + overtime_s + self.lag_s

    @property
    def gtp(self) -> str:
        """The seconds and stones of `time_left`, rounded down to what is surely there."""
        control = self.control
        told = (control.main_s, control.period_s, control.increment_s)
        whole = all(seconds == int(seconds) for seconds in told)
        left_s = max(self.remaining_s, 0.0)
        return f"{int(left_s) if whole else int(100 * left_s) / 100:g} {self.stones}"

    def spend(self, elapsed_s: float) -> bool:
        """Take the time of one move off the clock; return whether the flag is still up."""
        self.remaining_s -= elapsed_s
        if not self.stones and self.remaining_s <= 0 and self.control.period_s:
            overdrawn_s = self.remaining_s
            self._next_period()
            self.remaining_s += overdrawn_s
        in_time = self.remaining_s >= -self.lag_s
        if self.stones:
            self.stones -= 1
            if not self.stones:
                self._next_period()
        else:
            self.remaining_s += self.control.increment_s
        return in_time

    def _next_period(self) -> None:
        self.remaining_s = self.control.period_s
        self.stones = self.control.stones
