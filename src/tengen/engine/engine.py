"""The engine: a searcher, a clock and manners.

It holds no game of its own: every call is given the position, so that one engine can serve a
protocol, a page or a match. `Engine.think` decides; whoever asked plays the move.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.book.player import BookPlayer
from tengen.engine.clock import Clock, ClockKind, moves_left, thinking_time
from tengen.engine.ending import (
    Ending,
    cleanup_moves,
    is_worth_judging,
    look_at_ending,
    may_pass,
)
from tengen.engine.komi import komi_for
from tengen.engine.move_limits import EVERYTHING, MoveLimits
from tengen.engine.net import NONE, open_nets
from tengen.engine.settings import EngineSettings
from tengen.knowledge.compiled import source_table
from tengen.network.net import SMALLEST_BOARD
from tengen.playout.judge import judge_by_playouts
from tengen.search.flat import FlatSearch
from tengen.search.limit import NEVER, Limit
from tengen.search.report import Candidate, SearchReport
from tengen.search.searcher import Searcher
from tengen.search.voices import Knowledge

Progress = Callable[[Callable[[], SearchReport]], None]
"""Is called between batches of simulations with a function that reads the search's state."""

FEWEST_TO_RESIGN, FEWEST_WITH_NET = 200, 20
"""Visits below which a win rate says too little to resign on; a net knows without playouts."""

JUDGING_S = 0.33
"""What judging takes on 19x19 at the most."""


class Reason(IntEnum):
    """Why the engine chose what it chose."""

    SEARCHED = 0
    GAME_OVER = 1
    NO_MOVE = 2
    RESIGNED = 3
    BOOK = 4
    """The opening book knew the position; nothing was searched."""


@dataclass(frozen=True)
class Decision:
    """What the engine wants to do; `move` is PASS when it resigns."""

    move: int
    reason: Reason
    report: SearchReport | None = None

    @property
    def resigns(self) -> bool:
        """Whether the engine gives up."""
        return self.reason is Reason.RESIGNED


class Engine:
    """Plays Go with given settings. Not to be used by two threads at once, but for `stop`."""

    def __init__(self, settings: EngineSettings | None = None):
        self.settings = settings or EngineSettings()
        seed = self.settings.play.seed or time.time_ns() % 2**31
        self.seed = seed
        self._random = np.random.default_rng(seed)
        self._table = source_table(self.settings.compiled_sources())
        play = self.settings.play
        net = open_nets(play.net, play.net_below, play.net_depth, play.net_symmetry)
        sources = self.settings.python_sources()
        named = source_table(self.settings.named_sources())
        self._odds = self.settings.answer_odds()
        knowledge = Knowledge(self._table, sources, net, self.settings.net, named, self._odds)
        search = self.settings.search
        self._searcher = Searcher(search, self.settings.policy, knowledge, seed)
        opening = self.settings.opening
        self._book = BookPlayer(opening, seed) if opening.book else None
        self._pondering: threading.Thread | None = None
        self._is_stopped = False
        self._warm_up()

    def _warm_up(self) -> None:
        """Load or compile kernels now, so that it does not happen on the clock.

        A game is begun, gone on with and judged.
        """
        smallest = Position(2)
        search = replace(self.settings.search, threads=1, memory_mib=1)
        searcher = Searcher(search, self.settings.policy, Knowledge(self._table, odds=self._odds))
        searcher.set_position(smallest)
        searcher.run(Limit(simulations=20))
        searcher.set_position(smallest.after("A1"))
        if self.settings.play.net != NONE:
            self.analyse(Position(SMALLEST_BOARD), Limit(simulations=2))
        look_at_ending(smallest)

    def restart(self, seed: int) -> None:
        """Forget everything learned in games before and draw random numbers from `seed` on."""
        self.stop_pondering()
        self.seed = seed
        self._random = np.random.default_rng(seed)
        self._searcher.restart(seed)
        if self._book is not None:
            self._book.restart(seed)

    def begin_game(self) -> None:
        """Give sources and a net that failed in the game before another chance."""
        self.stop_pondering()
        self._searcher.hear_all()

    def think(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
        limits: MoveLimits = EVERYTHING,
    ) -> Decision:
        """Decide on a move for the side to move, of those left. The position is not changed."""
        begun_s = time.monotonic()
        self.stop_pondering()
        known = None if self._book is None else self._book.choose(position)
        if known is not None and limits.may(known):
            return Decision(known, Reason.BOOK)
        may_judge = self._has_time_to_judge(position, clock) and is_worth_judging(position)
        ending = look_at_ending(position) if may_judge else None
        if ending is not None and limits.may(PASS) and may_pass(position, ending):
            return Decision(PASS, Reason.GAME_OVER)
        limit = self._limit(position, clock, begun_s)
        allowed = limits.moves(position)
        if ending is not None and (captures := [m for m in ending.cleanup if limits.may(m)]):
            allowed = captures
        report = self._search(position, limit, progress, allowed)
        left = replace(report, candidates=limits.shown(report.candidates))
        return self._decide(position, left, ending)

    def clean_up(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> Decision:
        """Decide like `think`, but do not pass before all dead enemy stones are captured."""
        self.stop_pondering()
        moves = cleanup_moves(position, judge_by_playouts(position))
        if not moves:
            return Decision(PASS, Reason.GAME_OVER)
        limit = self._limit(position, clock, time.monotonic())
        report = self._search(position, limit, progress, moves)
        move = next((c.move for c in report.candidates if c.move != PASS), PASS)
        return Decision(move, Reason.SEARCHED, report)

    def analyse(
        self,
        position: Position,
        limit: Limit,
        progress: Progress | None = None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = False,
    ) -> SearchReport:
        """Search a position until the limit, or until `stop`, and return what was found.

        It tells who is really ahead, so its komi is that of the rules; for what the engine would
        play let it be dynamic, as in `think`.
        """
        self.stop_pondering()
        return self._search(position, limit, progress, allowed, is_dynamic)

    def stop(self) -> None:
        """End a running search soon; may be called from any thread."""
        self._is_stopped = True
        self._searcher.stop()

    # Thinking on the opponent's time

    def ponder(self, position: Position) -> None:
        """Search on in the background, until the next call of anything else."""
        can_ponder = self.settings.play.ponder and self.settings.search.kind != "flat"
        if can_ponder and self._pondering is None and not position.is_over:
            self._set_position(position)
            run = self._searcher.run
            self._pondering = threading.Thread(target=run, args=(Limit(),), daemon=True)
            self._pondering.start()

    def stop_pondering(self) -> None:
        """End the search in the background, if there is one, and keep its tree."""
        if self._pondering is not None:
            while self._pondering.is_alive():
                # The thread clears the flag when it begins, so one call may come too early.
                self._searcher.stop()
                self._pondering.join(0.05)
            self._pondering = None

    @property
    def problems(self) -> list[str]:
        """What sources raised so far."""
        return self._searcher.problems

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """How often each `playout.policy.Rule` chose a playout move of a tree search so far."""
        return self._searcher.rule_counts

    # Inside

    def _search(
        self,
        position: Position,
        limit: Limit,
        progress: Progress | None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = True,
    ) -> SearchReport:
        if self.settings.search.kind == "flat":
            return self._search_flat(position, limit, progress, allowed)
        self._set_position(position, allowed, is_dynamic)
        self._searcher.run(limit, (lambda s: progress(s.report)) if progress else None)
        return self._searcher.report()

    def _search_flat(
        self,
        position: Position,
        limit: Limit,
        progress: Progress | None,
        allowed: Sequence[int] | None,
    ) -> SearchReport:
        wanted, policy = self.settings.search, self.settings.policy
        search = FlatSearch(position, wanted, policy, self.seed, self._table, allowed, self._odds)
        self._is_stopped = False

        def is_over() -> bool:
            if progress is not None:
                progress(search.report)
            return self._is_stopped or limit.seconds_left <= 0

        return search.run(is_over)

    def _set_position(
        self,
        position: Position,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = True,
    ) -> None:
        """Give the searcher a position, with the komi to search it with.

        What is not dynamic is an analysis, not for a move, and may look at more of them.
        """
        komi = komi_for(position, is_dynamic and self.settings.play.dynamic_komi)
        self._searcher.set_position(position, allowed, komi, is_wide=not is_dynamic)

    def _limit(self, position: Position, clock: Clock | None, begun_s: float) -> Limit:
        """Return when to stop: after the playouts told, and never later than a clock allows.

        The flat search has playouts of its own for each move.
        """
        play = self.settings.play
        seconds = self._seconds(position, clock)
        if not play.playouts and self.settings.search.kind != "flat":
            seconds = play.seconds if seconds is None else seconds
            return Limit(until_s=begun_s + seconds, stop_when_decided=play.stop_early)
        return Limit(play.playouts, NEVER if seconds is None else begun_s + seconds)

    def _seconds(self, position: Position, clock: Clock | None) -> float | None:
        """Return how long a running clock lets the engine think; None without one."""
        if clock is None or clock.kind is ClockKind.NONE:
            return None
        left = moves_left(position.area, len(position.moves))
        return thinking_time(clock, left, self.settings.play.lag)

    def _has_time_to_judge(self, position: Position, clock: Clock | None) -> bool:
        """Tell whether judging leaves some of the time of a move, or of what is left for all."""
        if clock is None or clock.kind is ClockKind.NONE:
            return True
        judging_s = JUDGING_S * position.area / 361
        if clock.kind is ClockKind.BYOYOMI and clock.stones_left:
            return clock.left_s > 2 * judging_s
        return clock.left_s / max(clock.stones_left, 1) > 3 * judging_s

    def _decide(self, position: Position, report: SearchReport, ending: Ending | None) -> Decision:
        if not report.candidates:
            return Decision(PASS, Reason.NO_MOVE, report)
        best = self._best(position, report, ending)
        if self._should_resign(position, report, best):
            return Decision(PASS, Reason.RESIGNED, report)
        if self.settings.play.temperature > 0 and best.move != PASS and best.visits > 0:
            best = self._draw(report)
        return Decision(best.move, Reason.SEARCHED, report)

    def _draw(self, report: SearchReport) -> Candidate:
        """Return a candidate by chance: the more it was visited, the likelier."""
        moves = [c for c in report.candidates if c.move != PASS and c.visits > 0]
        share = np.array([c.visits for c in moves]) / max(c.visits for c in moves)
        chances = share ** (1 / self.settings.play.temperature)
        return moves[self._random.choice(len(moves), p=chances / chances.sum())]

    def _best(self, position: Position, report: SearchReport, ending: Ending | None) -> Candidate:
        """Return the best candidate; a pass only if the game is known to be won when both pass.

        It is not judged here: the search has used up the time of this move.
        """
        best = report.candidates[0]
        if best.move != PASS or len(report.candidates) == 1:
            return best
        if ending is not None and ending.lead_of(position.to_play) >= 0:
            return best
        others = [c for c in report.candidates[1:] if c.visits > 0]
        return others[0] if others else best

    def _should_resign(self, position: Position, report: SearchReport, best: Candidate) -> bool:
        play = self.settings.play
        earliest = play.resign_after * position.area * (2 if position.handicap else 1)
        fewest = FEWEST_WITH_NET if self._searcher.hears_net else FEWEST_TO_RESIGN
        if len(position.moves) < earliest or report.visits < fewest:
            return False
        if report.extra_komi * position.to_play.sign > 0:
            return False  # it plays for more than it needs, and may win without it
        # Where all is lost, no move gets many visits: what all of them say must agree with it.
        return max(best.value, report.value) < play.resign
