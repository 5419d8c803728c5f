"""Running a match: claim a game, have it played, store it, until enough is known.

All that counts is in the store. A runner keeps nothing that it could lose: it may be killed at
any moment and started again, and several may work on one file.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tengen.core.errors import TengenError
from tengen.match.crew import Crew
from tengen.match.decision import decision_of, keep_decision
from tengen.match.game import Reason
from tengen.match.plan import GameTask, MatchPlan
from tengen.match.stats import Decision, Sprt
from tengen.match.store import GameRow, Store
from tengen.match.work import play_task
from tengen.match.workers import Workers

MOST_STILLBORN = 8
"""So many games in a row a player may fail to start before the match is given up."""


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
_Crew = Crew[int, GameTask, GameRow]


def run_match(
    plan: MatchPlan, store: Store, limits: Limits, workers: Workers, watch: Watcher
) -> Status:
    """Play until the limits are reached or no game is left to claim; return where it stands.

    `watch` is called after every game and twice a second. On any exception, Ctrl-C among them,
    games under way are dropped and engines killed; what was finished is stored.
    """
    crew = _Crew(workers, play_task)
    try:
        with crew:
            store.adopt(plan)
            run = _Run(plan, store, limits, crew)
            run.play(watch)
    finally:
        for number in crew.running:
            store.release(number)
    return run.status


class _Run:
    def __init__(self, plan: MatchPlan, store: Store, limits: Limits, crew: _Crew):
        self._store = store
        self._crew = crew
        self.status = Status(plan, limits, store.results())
        self._decide()

    def play(self, watch: Watcher) -> None:
        """Keep the workers busy until the match is over."""
        watch(self.status)
        while self._submit():
            has_news = False
            for number, row in self._crew.results():
                self._take(number, row)
                has_news = True
            if has_news:
                self._look()
            self.status.running = len(self._crew.running)
            watch(self.status)

    def _submit(self) -> bool:
        """Fill the workers with games; return whether any is under way."""
        plan, games = self.status.plan, self.status.limits.games
        while self.status.decision is Decision.OPEN and self._crew.has_room:
            number = self._store.claim(games)
            if number is None:
                break
            self._crew.start(number, plan.task(number))
        return bool(self._crew.running)

    def _take(self, number: int, row: GameRow | None) -> None:
        """Store a finished game; free one that was lost."""
        if row is None:
            self._store.release(number)
            return
        self._store.finish(row)
        self.status.new_games += 1

    def _look(self) -> None:
        """Read what this and other runners have stored."""
        self.status.rows = self._store.results()
        self._decide()
        self._check_health()

    def _decide(self) -> None:
        """Ask the sequential test."""
        if (sprt := self.status.limits.sprt) is not None:
            self.status.decision = decision_of(self._store, self.status.rows, sprt)
            keep_decision(self._store, sprt, self.status.decision)

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
