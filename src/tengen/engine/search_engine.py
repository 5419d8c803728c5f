"""Engines that search: `TreeEngine` (Monte Carlo tree search) and `FlatEngine` (no tree)."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, Position
from tengen.engine.book.player import BookPlayer
from tengen.engine.clock import Clock, TimeSystem, estimate_moves_left, thinking_time_s
from tengen.engine.endgame import (
    EndgameStatus,
    assess_endgame,
    cleanup_moves,
    may_be_over,
    should_pass,
)
from tengen.engine.engine import (
    NO_RESTRICTIONS,
    MoveDecision,
    MoveReason,
    MoveRestrictions,
    Progress,
)
from tengen.engine.nets import NONE, open_nets
from tengen.engine.settings import EngineSettings
from tengen.nets import MIN_BOARD_SIZE
from tengen.playout import PlayoutRule, score_by_playouts
from tengen.search import (
    NEVER,
    Candidate,
    EvaluatorSet,
    FlatSearch,
    Searcher,
    SearchLimit,
    SearchReport,
)
from tengen.sources import deferred_source_table, source_table

MIN_VISITS_TO_RESIGN = 200
MIN_VISITS_TO_RESIGN_WITH_NET = 20
SCORING_TIME_S = 0.33
"""Upper bound of the time that `assess_endgame` takes on 19x19."""

FAIR_KOMI = 7.0
DYNAMIC_KOMI_MIN_POINTS = 10.0
"""Dynamic komi is used if fair and real komi differ by at least this much."""
DYNAMIC_KOMI_END = 0.6
"""Dynamic komi ends when this many moves per point of the board are played."""


class SearchEngine(ABC):
    """Base class of the tree and flat engines: book, time, passing, resigning, temperature."""

    def __init__(self, settings: EngineSettings | None = None):
        self.settings = settings or EngineSettings()
        self.seed = self.settings.play.seed or time.time_ns() % 2**31
        self._rng = np.random.default_rng(self.seed)
        self._sources = deferred_source_table(self.settings.compiled_sources())
        self._odds = self.settings.answer_odds()
        opening = self.settings.opening
        self._book = BookPlayer(opening, self.seed) if opening.book else None

    def __reduce__(self) -> tuple[type, tuple[EngineSettings]]:
        """Pickle the settings: workers create the engine anew."""
        return type(self), (self.settings,)

    @abstractmethod
    def _search(
        self,
        position: Position,
        limit: SearchLimit,
        progress: Progress | None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = True,
    ) -> SearchReport:
        """Search a position."""

    @abstractmethod
    def stop(self) -> None:
        """End a running search soon; callable from any thread."""

    def restart(self, seed: int) -> None:
        """Discard everything learned from earlier searches and reseed the random generators."""
        self.stop_pondering()
        self.seed = seed
        self._rng = np.random.default_rng(seed)
        if self._book is not None:
            self._book.restart(seed)

    def new_game(self) -> None:
        """Prepare for a new game."""
        self.stop_pondering()

    def think(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
        restrictions: MoveRestrictions = NO_RESTRICTIONS,
    ) -> MoveDecision:
        """Choose a move for the side to move."""
        start_s = time.monotonic()
        self.stop_pondering()
        book_move = None if self._book is None else self._book.choose(position)
        if book_move is not None and restrictions.permit(book_move):
            return MoveDecision(book_move, MoveReason.BOOK)
        is_assessed = self._has_time_to_score(position, clock) and may_be_over(position)
        endgame = assess_endgame(position) if is_assessed else None
        if endgame is not None and restrictions.permit(PASS) and should_pass(position, endgame):
            return MoveDecision(PASS, MoveReason.GAME_OVER)
        allowed = restrictions.moves(position)
        if endgame is not None:
            captures = [move for move in endgame.cleanup if restrictions.permit(move)]
            allowed = captures or allowed
        report = self._search(position, self._limit(position, clock, start_s), progress, allowed)
        report = replace(report, candidates=restrictions.filter(report.candidates))
        return self._decide(position, report, endgame)

    def clean_up(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> MoveDecision:
        """Choose a move; pass only when all dead stones of the opponent are captured."""
        self.stop_pondering()
        moves = cleanup_moves(position, score_by_playouts(position))
        if not moves:
            return MoveDecision(PASS, MoveReason.GAME_OVER)
        limit = self._limit(position, clock, time.monotonic())
        report = self._search(position, limit, progress, moves)
        move = next((c.move for c in report.candidates if c.move != PASS), PASS)
        return MoveDecision(move, MoveReason.SEARCHED, report)

    def analyze(
        self,
        position: Position,
        limit: SearchLimit,
        progress: Progress | None = None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = False,
    ) -> SearchReport:
        """Search a position until the limit or `stop`, by default with the komi of the rules."""
        self.stop_pondering()
        return self._search(position, limit, progress, allowed, is_dynamic)

    def ponder(self, position: Position) -> None:  # noqa: B027
        """Do nothing by default."""

    def stop_pondering(self) -> None:  # noqa: B027
        """Do nothing by default."""

    @property
    def problems(self) -> list[str]:
        """Error messages of evaluators that failed."""
        return []

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """Number of playout moves per `PlayoutRule` in tree searches so far."""
        return np.zeros(len(PlayoutRule), dtype=np.int64)

    # Time

    def _limit(self, position: Position, clock: Clock | None, start_s: float) -> SearchLimit:
        """Return the limit of the next search: playouts if set, and the clock."""
        play = self.settings.play
        seconds = self._thinking_time_s(position, clock)
        if play.playouts or self.settings.search.algorithm == "flat":
            return SearchLimit(play.playouts, NEVER if seconds is None else start_s + seconds)
        seconds = play.seconds if seconds is None else seconds
        return SearchLimit(until_s=start_s + seconds, stop_when_decided=play.stop_early)

    def _thinking_time_s(self, position: Position, clock: Clock | None) -> float | None:
        """Return how long the clock allows to think; None without a time limit."""
        if clock is None or clock.control.is_unlimited:
            return None
        moves_left = estimate_moves_left(position.area, len(position.moves))
        return thinking_time_s(clock, moves_left, self.settings.play.lag)

    def _has_time_to_score(self, position: Position, clock: Clock | None) -> bool:
        """Return whether the clock leaves time to assess the endgame before searching."""
        if clock is None or clock.control.is_unlimited:
            return True
        scoring_s = SCORING_TIME_S * position.area / 361
        if clock.system is TimeSystem.BYOYOMI and clock.in_overtime:
            return clock.remaining_s > 2 * scoring_s
        return clock.remaining_s / max(clock.overtime_left, 1) > 3 * scoring_s

    # Choice of the move

    def _decide(
        self, position: Position, report: SearchReport, endgame: EndgameStatus | None
    ) -> MoveDecision:
        """Choose a candidate, or resign."""
        if not report.candidates:
            return MoveDecision(PASS, MoveReason.NO_MOVE, report)
        best = self._best(position, report, endgame)
        if self._should_resign(position, report, best):
            return MoveDecision(PASS, MoveReason.RESIGNED, report)
        if self.settings.play.temperature > 0 and best.move != PASS and best.visits > 0:
            best = self._sample(report)
        return MoveDecision(best.move, MoveReason.SEARCHED, report)

    def _sample(self, report: SearchReport) -> Candidate:
        """Sample a candidate in proportion to visits to the power 1/temperature."""
        moves = [c for c in report.candidates if c.move != PASS and c.visits > 0]
        share = np.array([c.visits for c in moves]) / max(c.visits for c in moves)
        weights = share ** (1 / self.settings.play.temperature)
        return moves[self._rng.choice(len(moves), p=weights / weights.sum())]

    def _best(
        self, position: Position, report: SearchReport, endgame: EndgameStatus | None
    ) -> Candidate:
        """Return the best candidate; a pass only if the endgame was assessed and is not lost."""
        best = report.candidates[0]
        if best.move != PASS or len(report.candidates) == 1:
            return best
        if endgame is not None and endgame.lead_of(position.to_play) >= 0:
            return best
        others = [c for c in report.candidates[1:] if c.visits > 0]
        return others[0] if others else best

    def _should_resign(self, position: Position, report: SearchReport, best: Candidate) -> bool:
        play = self.settings.play
        min_moves = play.resign_after * position.area * (2 if position.handicap else 1)
        if len(position.moves) < min_moves or report.visits < self._min_visits_to_resign:
            return False
        if report.extra_komi * position.to_play.sign > 0:
            return False  # dynamic komi demands more points than are needed to win
        # In lost positions no move gets many visits: the value of the root must agree.
        return max(best.value, report.value) < play.resign

    @property
    def _min_visits_to_resign(self) -> int:
        return MIN_VISITS_TO_RESIGN


class TreeEngine(SearchEngine):
    """Plays by Monte Carlo tree search."""

    def __init__(self, settings: EngineSettings | None = None):
        super().__init__(settings)
        play, search = self.settings.play, self.settings.search
        evaluators = EvaluatorSet(
            self._sources,
            self.settings.python_sources(),
            open_nets(play.net, play.net_below, play.net_depth, play.net_symmetry),
            self.settings.net,
            source_table(self.settings.named_sources()),
            self._odds,
        )
        self._searcher = Searcher(search, self.settings.policy, evaluators, self.seed)
        self._pondering: threading.Thread | None = None
        self._warm_up()

    def _warm_up(self) -> None:
        """Load or compile all kernels, so that it does not cost thinking time later."""
        smallest = Position(2)
        search = replace(self.settings.search, threads=1, memory_mib=1)
        # The policy of a network replaces the priors: their sources are compiled if needed.
        is_needed = self.settings.play.net == NONE or not self.settings.net.ignores_priors
        sources = self._sources.table if is_needed else source_table([])
        evaluators = EvaluatorSet(sources, odds=self._odds)
        searcher = Searcher(search, self.settings.policy, evaluators)
        searcher.set_position(smallest)
        searcher.run(SearchLimit(simulations=20))
        searcher.set_position(smallest.after("A1"))
        if self.settings.play.net != NONE:
            self.analyze(Position(MIN_BOARD_SIZE), SearchLimit(simulations=2))
        assess_endgame(smallest)

    def restart(self, seed: int) -> None:
        """Discard the tree and reseed the random generators."""
        super().restart(seed)
        self._searcher.restart(seed)

    def new_game(self) -> None:
        """Reactivate evaluators that failed in an earlier game."""
        super().new_game()
        self._searcher.reactivate_evaluators()

    def stop(self) -> None:
        """End a running search soon; callable from any thread."""
        self._searcher.stop()

    def ponder(self, position: Position) -> None:
        """Search in the background until the next call, if pondering is enabled."""
        if self.settings.play.ponder and self._pondering is None and not position.is_over:
            self._set_position(position)
            run = self._searcher.run
            self._pondering = threading.Thread(target=run, args=(SearchLimit(),), daemon=True)
            self._pondering.start()

    def stop_pondering(self) -> None:
        """End the background search and keep its tree."""
        if self._pondering is not None:
            while self._pondering.is_alive():
                # A starting search clears the stop flag, so one call may come too early.
                self._searcher.stop()
                self._pondering.join(0.05)
            self._pondering = None

    @property
    def problems(self) -> list[str]:
        """Error messages of evaluators that failed, and warnings about unused ones."""
        return self._searcher.problems

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """Number of playout moves per `PlayoutRule` so far."""
        return self._searcher.rule_counts

    def _search(
        self,
        position: Position,
        limit: SearchLimit,
        progress: Progress | None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = True,
    ) -> SearchReport:
        self._set_position(position, allowed, is_dynamic)
        self._searcher.run(limit, (lambda s: progress(s.report)) if progress else None)
        return self._searcher.report()

    def _set_position(
        self, position: Position, allowed: Sequence[int] | None = None, is_dynamic: bool = True
    ) -> None:
        """Set the position and komi of the search; without dynamic komi it is an analysis."""
        komi = search_komi(position, is_dynamic and self.settings.play.dynamic_komi)
        self._searcher.set_position(position, allowed, komi, is_analysis=not is_dynamic)

    @property
    def _min_visits_to_resign(self) -> int:
        has_net = self._searcher.uses_net
        return MIN_VISITS_TO_RESIGN_WITH_NET if has_net else MIN_VISITS_TO_RESIGN


class FlatEngine(SearchEngine):
    """Plays by flat Monte Carlo: the same number of playouts for every move."""

    def __init__(self, settings: EngineSettings | None = None):
        super().__init__(settings)
        self._is_stopped = False
        self._search(Position(2), SearchLimit.after(0), None)  # loads or compiles the kernels
        assess_endgame(Position(2))

    def stop(self) -> None:
        """End a running search soon; callable from any thread."""
        self._is_stopped = True

    def _search(
        self,
        position: Position,
        limit: SearchLimit,
        progress: Progress | None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = True,
    ) -> SearchReport:
        settings, policy = self.settings.search, self.settings.policy
        search = FlatSearch(
            position, settings, policy, self.seed, self._sources.table, allowed, self._odds
        )
        self._is_stopped = False

        def is_over() -> bool:
            if progress is not None:
                progress(search.report)
            return self._is_stopped or limit.seconds_left <= 0

        return search.run(is_over)


def search_komi(position: Position, is_dynamic: bool) -> float:
    """Return the komi to search with.

    In very uneven games every move wins, or none does, and a search that counts wins plays at
    random. Dynamic komi starts at the value that makes the game even and moves linearly to the
    real komi.
    """
    komi = position.area_komi
    if not is_dynamic:
        return komi
    return dynamic_komi(komi, position.handicap, len(position.moves), position.area)


def dynamic_komi(komi: float, handicap: int, moves: int, points: int) -> float:
    """Return the dynamic komi after a number of moves, given the real komi."""
    fair_komi = FAIR_KOMI + handicap_stone_value(points) * handicap
    if abs(fair_komi - komi) < DYNAMIC_KOMI_MIN_POINTS:
        return komi
    progress = min(1.0, moves / (DYNAMIC_KOMI_END * points))
    return float(round(2 * (fair_komi + (komi - fair_komi) * progress))) / 2


def handicap_stone_value(points: int) -> float:
    """Return the value of a handicap stone in points: 12 on 19x19, 7 on 9x9."""
    return 7.0 + 5.0 * max(points - 81, 0) / (361 - 81)
