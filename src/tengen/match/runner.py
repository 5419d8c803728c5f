"""Runs a match: claim a game, play it, store it, until the limits are reached.

All state is in the store. A runner may be killed at any time and started again, and several
runners may work on one file.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from tengen.match.plan import GameTask, MatchConfig, MatchLimits, MatchPlan
from tengen.match.pool import WorkerPool, Workers, open_workers
from tengen.match.results import code_revision, pair_counts
from tengen.match.stats import Sprt, SprtDecision
from tengen.match.store import GameRow, Store
from tengen.match.worker import play_task
from tengen.records import EndReason
from tengen.util import TengenError

MAX_START_FAILURES = 8
"""Consecutive games a player may fail to start before the match is aborted."""


@dataclass
class MatchStatus:
    """Progress of a match."""

    plan: MatchPlan
    limits: MatchLimits
    rows: list[GameRow]
    decision: SprtDecision = SprtDecision.OPEN
    running: int = 0
    new_games: int = 0
    """Games finished by this runner."""
    start_s: float = field(default_factory=time.monotonic)

    @property
    def elapsed_s(self) -> float:
        """Running time of this runner."""
        return time.monotonic() - self.start_s

    @property
    def games_per_hour(self) -> float:
        """Throughput of this runner."""
        return 3600 * self.new_games / max(self.elapsed_s, 1e-9)

    @property
    def time_left_s(self) -> float | None:
        """Estimated time for the remaining games; None before the first result."""
        left = max(self.limits.games - len(self.rows), 0)
        return 3600 * left / self.games_per_hour if self.new_games else None


Observer = Callable[[MatchStatus], None]
"""Called after every game and twice a second."""
_Pool = WorkerPool[int, GameTask, GameRow]


def play_match(
    config: MatchConfig,
    path: Path,
    workers: int,
    cluster: str | None,
    display: AbstractContextManager[Observer],
) -> MatchStatus:
    """Play the games missing in the match file at `path`; return the final status.

    Raise TengenError, without creating a file, if the configuration is invalid or no workers are
    available.
    """
    limits, plan = config.limits(), config.plan()
    backend = open_workers(workers, cluster)
    store = Store(path)
    try:
        with display as observe:
            status = run_match(plan, store, limits, backend, observe)
        store.set_metadata("revision", code_revision())
        return status
    finally:
        store.close()


def run_match(
    plan: MatchPlan, store: Store, limits: MatchLimits, workers: Workers, observe: Observer
) -> MatchStatus:
    """Play until the limits are reached or no game is left to claim; return the final status.

    On any exception, including Ctrl-C, running games are dropped and engines killed; finished
    games are stored.
    """
    pool = _Pool(workers, play_task)
    try:
        with pool:
            store.adopt(plan)
            run = _Run(plan, store, limits, pool)
            run.play(observe)
    finally:
        for number in pool.running:
            store.release(number)
    return run.status


class _Run:
    def __init__(self, plan: MatchPlan, store: Store, limits: MatchLimits, pool: _Pool):
        self._store = store
        self._pool = pool
        self.status = MatchStatus(plan, limits, store.results())
        self._update_decision()

    def play(self, observe: Observer) -> None:
        """Keep the workers busy until the match is over."""
        observe(self.status)
        while self._submit():
            has_results = False
            for number, row in self._pool.results():
                self._take(number, row)
                has_results = True
            if has_results:
                self._refresh()
            self.status.running = len(self._pool.running)
            observe(self.status)

    def _submit(self) -> bool:
        """Claim games for idle workers; return whether any game is running."""
        plan, games = self.status.plan, self.status.limits.games
        while self.status.decision is SprtDecision.OPEN and self._pool.has_room:
            number = self._store.claim(games)
            if number is None:
                break
            self._pool.start(number, plan.task(number))
        return bool(self._pool.running)

    def _take(self, number: int, row: GameRow | None) -> None:
        """Store a finished game, or release one whose worker died."""
        if row is None:
            self._store.release(number)
            return
        self._store.finish(row)
        self.status.new_games += 1

    def _refresh(self) -> None:
        """Read the results of all runners."""
        self.status.rows = self._store.results()
        self._update_decision()
        self._check_starts()

    def _update_decision(self) -> None:
        if (sprt := self.status.limits.sprt) is not None:
            self.status.decision = sprt_decision(self._store, self.status.rows, sprt)
            if self.status.decision is not SprtDecision.OPEN:
                self._store.set_metadata(_decision_key(sprt), int(self.status.decision))

    def _check_starts(self) -> None:
        """Raise TengenError if a player no longer starts."""
        for number, entrant in enumerate(self.status.plan.entrants):
            played = [row for row in self.status.rows if number in (row.black, row.white)]
            last = played[-MAX_START_FAILURES:]
            if len(last) == MAX_START_FAILURES and all(_start_failed(row, number) for row in last):
                raise TengenError(f"{entrant.label} does not start: {last[-1].note}")


def sprt_decision(store: Store, rows: Sequence[GameRow], sprt: Sprt) -> SprtDecision:
    """Return the stored decision, or else that of the games for the first player.

    A decision is final: games that were running when it was made do not revoke it.
    """
    stored = store.metadata(_decision_key(sprt))
    if isinstance(stored, int):
        return SprtDecision(stored)
    return sprt.decide(pair_counts(rows, 0))


def _decision_key(sprt: Sprt) -> str:
    return f"decision {list(sprt)}"


def _start_failed(row: GameRow, player: int) -> bool:
    has_lost = row.winner is not None and row.winner != player
    return has_lost and row.reason == EndReason.CRASH and row.length <= row.opening_moves + 1
