"""When a search ends."""

import threading
import time
from dataclasses import dataclass, field

NEVER = float("inf")


@dataclass(frozen=True)
class Limit:
    """The end of a search: a number of simulations, a moment, or both, whichever is first."""

    simulations: float = NEVER
    until_s: float = NEVER
    """On the clock of `time.monotonic`."""
    stop_when_decided: bool = False
    """Stop early when no other move can overtake the best one any more."""
    begun_s: float = field(default_factory=time.monotonic)

    @classmethod
    def after(cls, seconds: float | None, simulations: float | None = None) -> "Limit":
        """Return a limit that many seconds from now, or after so many simulations."""
        until_s = NEVER if seconds is None else time.monotonic() + seconds
        return cls(NEVER if simulations is None else simulations, until_s)

    @property
    def seconds_left(self) -> float:
        """How long it is to the moment; not above 0 once it has come."""
        return self.until_s - time.monotonic()

    def simulations_left(self, done: int) -> float:
        """Return how many simulations can still come, at the pace so far."""
        left = self.simulations - done
        if self.until_s == NEVER:
            return left
        now_s = time.monotonic()
        pace = done / max(now_s - self.begun_s, 1e-6)
        return min(left, pace * max(self.until_s - now_s, 0.0))


class Budget:
    """The simulations of a search, handed out in batches: the threads together run no more."""

    def __init__(self, simulations: float):
        self._left = simulations if simulations == NEVER else max(int(simulations), 0)
        self._lock = threading.Lock()

    def take(self, most: int) -> int:
        """Return how many simulations may be run now, `most` at most."""
        with self._lock:
            count = int(min(most, self._left))
            self._left -= count
        return count

    def give_back(self, count: int) -> None:
        """Return simulations that were taken but not run."""
        with self._lock:
            self._left += count
