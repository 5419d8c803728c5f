"""Limits of a search: simulations and time."""

import threading
import time
from dataclasses import dataclass, field

NEVER = float("inf")


@dataclass(frozen=True)
class SearchLimit:
    """The end of a search: simulations, visits or a point in time, whichever comes first."""

    simulations: float = NEVER
    """Simulations of this search."""
    until_s: float = NEVER
    """A reading of `time.monotonic`."""
    stop_when_decided: bool = False
    """Stop early when no other move can overtake the best one."""
    start_s: float = field(default_factory=time.monotonic)
    visits: float = NEVER
    """Visits of the root, including those of a reused subtree."""

    @classmethod
    def after(cls, seconds: float | None, simulations: float | None = None) -> "SearchLimit":
        """Return a limit of `seconds` from now and of `simulations`; None means unlimited."""
        until_s = NEVER if seconds is None else time.monotonic() + seconds
        return cls(NEVER if simulations is None else simulations, until_s)

    @property
    def seconds_left(self) -> float:
        """Time left, in seconds; negative after the end."""
        return self.until_s - time.monotonic()

    def simulations_left(self, done: int) -> float:
        """Estimate the remaining simulations from the rate so far."""
        left = self.simulations - done
        if self.until_s == NEVER:
            return left
        now_s = time.monotonic()
        rate = done / max(now_s - self.start_s, 1e-6)
        return min(left, rate * max(self.until_s - now_s, 0.0))


class SimulationBudget:
    """A number of simulations that threads share, taken in batches."""

    def __init__(self, simulations: float):
        self._left = simulations if simulations == NEVER else max(int(simulations), 0)
        self._lock = threading.Lock()

    def take(self, max_count: int) -> int:
        """Take up to `max_count` simulations; return how many were left to take."""
        with self._lock:
            count = int(min(max_count, self._left))
            self._left -= count
        return count

    def give_back(self, count: int) -> None:
        """Return simulations that were taken but not run."""
        with self._lock:
            self._left += count
