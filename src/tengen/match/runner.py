"""Running a match: claim a game, have it played, store it, until enough is known.

All that counts is in the store. A runner keeps nothing that it could lose: it may be killed at
any moment and started again, and several may work on one file.
"""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from tengen.core.errors import TengenError
from tengen.match.game import Reason
from tengen.match.plan import MatchPlan
from tengen.match.stats import Decision, Sprt
from tengen.match.store import GameRow, Store
from tengen.match.tally import pair_counts
from tengen.match.work import play_task
from tengen.match.workers import Workers

MOST_BREAKDOWNS = 5
"""So many times in a row the workers may die without finishing a game."""
MOST_STILLBORN = 8
"""So many games in a row a player may fail to start before the match is given up."""
TICK_S = 0.5


@dataclass(frozen=True)
class Limits:
    """When a match is over."""

    games: int
    """In all, over all pairings."""
    sprt: Sprt | None = None
    """Stops a match of two players as soon as it decides."""


@dataclass
class Status:
    """Where a match stands."""

    plan: MatchPlan
    limits: Limits
    rows: list[GameRow]
    decision: Decision = Decision.OPEN
    running: int = 0
    new_games: int = 0
    """Finished by this runner."""
    began_s: float = field(default_factory=time.monotonic)

    @property
    def elapsed_s(self) -> float:
        """How long this runner has been at work."""
        return time.monotonic() - self.began_s

    @property
    def games_per_hour(self) -> float:
        """The pace of this runner."""
        return 3600 * self.new_games / max(self.elapsed_s, 1e-9)

    @property
    def time_left_s(self) -> float | None:
        """How long the remaining games will take at this pace; None if not known yet."""
        left = max(self.limits.games - len(self.rows), 0)
        return 3600 * left / self.games_per_hour if self.new_games else None


Watcher = Callable[[Status], None]


def run_match(
    plan: MatchPlan, store: Store, limits: Limits, workers: Workers, watch: Watcher
) -> Status:
    """Play until the limits are reached or no game is left to claim; return where it stands.

    `watch` is called after every game and twice a second. On any exception, Ctrl-C among them,
    games under way are dropped and engines killed; what was finished is stored.
    """
    running: dict[Future[GameRow], int] = {}
    try:
        store.adopt(plan)
        run = _Run(plan, store, limits, workers, running)
        run.play(watch)
    except BaseException:
        workers.stop()
        for number in running.values():
            store.release(number)
        raise
    workers.finish()
    return run.status


class _Run:
    def __init__(
        self,
        plan: MatchPlan,
        store: Store,
        limits: Limits,
        workers: Workers,
        running: dict[Future[GameRow], int],
    ):
        """Take an empty `running`: it will hold the claimed games that are under way."""
        self._store = store
        self._workers = workers
        self._running = running
        self._breakdowns = 0
        self.status = Status(plan, limits, store.results())
        self._decide()

    def play(self, watch: Watcher) -> None:
        """Keep the workers busy until the match is over."""
        watch(self.status)
        while self._submit():
            done, _ = wait(self._running, TICK_S, FIRST_COMPLETED)
            if [future for future in done if not self._take(future)]:
                self._recover()
            if done:
                self._look()
            self.status.running = len(self._running)
            watch(self.status)

    def _submit(self) -> bool:
        """Fill the workers with games; return whether any is under way."""
        games = self.status.limits.games
        while self.status.decision is Decision.OPEN and len(self._running) < self._workers.count:
            number = self._store.claim(games)
            if number is None:
                break
            self._start(number)
        return bool(self._running)

    def _start(self, number: int) -> None:
        task = self.status.plan.task(number)
        try:
            future = self._workers.executor.submit(play_task, task)
        except self._workers.breakdowns:
            self._recover()
            future = self._workers.executor.submit(play_task, task)
        self._running[future] = number

    def _take(self, future: Future[GameRow]) -> bool:
        """Store a finished game and return True; free it if its worker died."""
        number = self._running.pop(future)
        try:
            row = future.result()
        except self._workers.breakdowns:
            self._store.release(number)
            return False
        self._store.finish(row)
        self._breakdowns = 0
        self.status.new_games += 1
        return True

    def _recover(self) -> None:
        """Take what broken workers still finished, free the rest and start new workers."""
        self._breakdowns += 1
        if self._breakdowns > MOST_BREAKDOWNS:
            raise TengenError(f"the workers died {self._breakdowns} times without a finished game")
        done, _ = wait(self._running)
        for future in done:
            self._take(future)
        self._workers.restart()

    def _look(self) -> None:
        """Read what this and other runners have stored."""
        self.status.rows = self._store.results()
        self._decide()
        self._check_health()

    def _decide(self) -> None:
        """Ask the sequential test; what it once decided stays decided."""
        sprt = self.status.limits.sprt
        if sprt is None:
            return
        key = f"decision {list(sprt)}"
        stored = self._store.about(key)
        if isinstance(stored, int):
            self.status.decision = Decision(stored)
            return
        self.status.decision = sprt.decide(pair_counts(self.status.rows, 0))
        if self.status.decision is not Decision.OPEN:
            self._store.set_about(key, int(self.status.decision))

    def _check_health(self) -> None:
        """Give up if a player does not even start: that is a mistake, not a result."""
        for number, entrant in enumerate(self.status.plan.entrants):
            mine = [row for row in self.status.rows if number in (row.black, row.white)]
            last = mine[-MOST_STILLBORN:]
            if len(last) == MOST_STILLBORN and all(_stillborn(row, number) for row in last):
                raise TengenError(f"{entrant.label} does not start any more: {last[-1].note}")


def _stillborn(row: GameRow, player: int) -> bool:
    lost = row.winner is not None and row.winner != player
    return lost and row.reason == Reason.CRASH and row.length <= row.opening_moves + 1
