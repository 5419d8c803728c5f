"""The engine of a level."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen.board import PASS, Position
from tengen.engine.clock import Clock, estimate_moves_left, thinking_time_s
from tengen.engine.endgame import EndgameStatus, assess_endgame, is_late, is_open, should_pass
from tengen.engine.engine import (
    NO_RESTRICTIONS,
    MoveDecision,
    MoveReason,
    MoveRestrictions,
    Progress,
)
from tengen.engine.levels.adaptive import stored_estimate
from tengen.engine.levels.parameters import LevelParameters, level_parameters
from tengen.engine.levels.sampling import Choice, SampledMove, choose_move
from tengen.engine.levels.table import AUTO, STRONGEST, given_skill, rank_number, rank_skill
from tengen.engine.nets import DEFAULT, load_named_net
from tengen.engine.search_engine import TreeEngine
from tengen.engine.settings import EngineSettings
from tengen.nets import MIN_BOARD_SIZE, Evaluation
from tengen.playout import PlayoutRule
from tengen.search import Candidate, SearchLimit, SearchReport

SEARCH_SETTINGS = (
    f"net={DEFAULT}",
    "algorithm=puct",
    "playout_share=0",
    "disagreement_points=0",
    "threads=1",
    "ponder=no",
    "net_batch=4",
    "memory_mib=64",
)
"""Settings of a level's search."""
SMALL_BOARD_SETTINGS = ("net=none", "algorithm=rave", "dynamic_komi=no")
"""Settings on boards that are too small for networks."""
SMALL_BOARD_PLAYOUTS = (250.0, 3000.0)
SMALL_BOARD_TEMPERATURES = (5.0, 0.0)
"""Playouts and temperature on small boards at skills 0 and `SMALL_BOARD_SKILL`."""
SMALL_BOARD_SKILL = 24.0

SETTLED_OWNERSHIP = 0.7
MAX_UNSETTLED_SHARE = 0.005
"""The end of the game is assessed if the network leaves at most this share of points open."""
PASS_POLICY = 0.2
"""The end is also assessed if the policy of the pass is at least this."""
RESIGN_WIN = 0.02
"""A level resigns below this win rate, if it is also far behind."""
RESIGN_SHARES = (0.35, 0.1)
"""Points behind per point of the board before skills 0 and `RESIGN_SKILL` resign."""
RESIGN_SKILL = 20.0


class LevelEngine:
    """Plays at the level of the settings; analyzes at full strength."""

    def __init__(self, settings: EngineSettings):
        self.settings = settings
        self.seed = settings.play.seed or time.time_ns() % 2**31
        self._rng = np.random.default_rng(self.seed)
        self._net = load_named_net(DEFAULT)
        # Load or compile the kernels, so that it does not delay the first move.
        self._net.evaluate([Position(MIN_BOARD_SIZE)])
        assess_endgame(Position(2))
        self._searches: dict[tuple[str, ...], TreeEngine] = {}
        """The engine that searches, by its settings; created when it is used."""
        self._analyst: TreeEngine | None = None

    def __reduce__(self) -> tuple[type, tuple[EngineSettings]]:
        """Pickle the settings: workers create the engine anew."""
        return type(self), (self.settings,)

    def think(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
        restrictions: MoveRestrictions = NO_RESTRICTIONS,
    ) -> MoveDecision:
        """Choose a move for the side to move."""
        skill = playing_skill(self.settings.play.level, position.rows, position.columns)
        if min(position.rows, position.columns) < MIN_BOARD_SIZE:
            return self._think_on_small_board(skill, position, progress, restrictions)
        evaluation = self._net.evaluate([position])[0]
        endgame = assess_endgame(position) if _may_be_over(position, evaluation) else None
        if endgame is not None and restrictions.permit(PASS) and should_pass(position, endgame):
            return MoveDecision(PASS, MoveReason.GAME_OVER)
        if self._should_resign(position, evaluation, skill):
            return MoveDecision(PASS, MoveReason.RESIGNED, _report(position, evaluation, None))
        limit = self._limit(position, clock)
        chosen = self._choose(position, evaluation, skill, limit, progress, restrictions, endgame)
        if chosen is None:
            return MoveDecision(PASS, MoveReason.NO_MOVE)
        return MoveDecision(chosen.move, MoveReason.SEARCHED, _report(position, evaluation, chosen))

    def _choose(
        self,
        position: Position,
        evaluation: Evaluation,
        skill: float,
        limit: SearchLimit,
        progress: Progress | None,
        restrictions: MoveRestrictions,
        endgame: EndgameStatus | None,
    ) -> Choice | None:
        """Choose a move other than a pass, by a search or from the policy."""
        allowed = restrictions.moves(position)
        if endgame is not None:
            allowed = [move for move in endgame.cleanup if restrictions.permit(move)] or allowed
        parameters = level_parameters(skill, position.area)
        if parameters.visits:
            choice = self._search(position, parameters, limit, progress, allowed)
            if choice is not None:
                return choice
            if should_pass(position, endgame or assess_endgame(position)):
                return None
        return choose_move(position, evaluation, parameters, self._net.evaluate, self._rng, allowed)

    def _search(
        self,
        position: Position,
        parameters: LevelParameters,
        limit: SearchLimit,
        progress: Progress | None,
        allowed: Sequence[int] | None,
    ) -> Choice | None:
        """Sample a move by the visits of a search; None if it would pass."""
        engine = self._search_engine(SEARCH_SETTINGS)
        limit = replace(limit, simulations=parameters.visits)
        report = engine.analyze(position, limit, progress, allowed)
        visited = [one for one in report.candidates if one.visits > 0]
        if not visited or visited[0].move == PASS:
            return None
        moves = [
            SampledMove(one.move, one.value, one.policy, one.visits)
            for one in visited
            if one.move != PASS
        ]
        chosen = _sample_by_visits(moves, parameters.visits_temperature, self._rng)
        return Choice([chosen, *(one for one in moves if one is not chosen)])

    def _think_on_small_board(
        self,
        skill: float,
        position: Position,
        progress: Progress | None,
        restrictions: MoveRestrictions,
    ) -> MoveDecision:
        """Choose a move by playouts: networks do not support the board."""
        share = min(skill / SMALL_BOARD_SKILL, 1.0)
        playouts = np.exp(np.interp(share, (0, 1), np.log(SMALL_BOARD_PLAYOUTS)))
        temperature = float(np.interp(share, (0, 1), SMALL_BOARD_TEMPERATURES))
        engine = self._search_engine(
            (
                *SMALL_BOARD_SETTINGS,
                f"resign={self.settings.play.resign}",
                f"playouts={round(playouts)}",
                f"temperature={temperature:.2f}",
            )
        )
        return engine.think(position, None, progress, restrictions)

    def _limit(self, position: Position, clock: Clock | None) -> SearchLimit:
        """Return the time limit of a search that starts now."""
        if clock is None or clock.control.is_unlimited:
            return SearchLimit()
        moves_left = estimate_moves_left(position.area, len(position.moves))
        return SearchLimit.after(thinking_time_s(clock, moves_left, self.settings.play.lag))

    def _should_resign(self, position: Position, evaluation: Evaluation, skill: float) -> bool:
        """Return whether the game is lost by far; weak levels resign later."""
        play = self.settings.play
        if play.resign == 0 or len(position.moves) < play.resign_after * position.area:
            return False
        share = np.interp(skill, (0, RESIGN_SKILL), RESIGN_SHARES)
        is_lost = evaluation.win_to_play < RESIGN_WIN
        return bool(is_lost and -evaluation.lead_to_play > share * position.area)

    def _search_engine(self, overrides: tuple[str, ...]) -> TreeEngine:
        """Return the engine with settings that differ from the defaults."""
        if overrides not in self._searches:
            settings = EngineSettings().with_overrides([*overrides, f"seed={self.seed}"])
            self._searches = {overrides: TreeEngine(settings)}
        return self._searches[overrides]

    # The rest of the interface: analysis at full strength

    @property
    def _strongest(self) -> TreeEngine:
        """The engine for analysis, created when it is used."""
        if self._analyst is None:
            overrides = [f"level={STRONGEST}", f"seed={self.seed}"]
            self._analyst = TreeEngine(self.settings.with_overrides(overrides))
        return self._analyst

    @property
    def _engines(self) -> list[TreeEngine]:
        """The engines created so far."""
        engines = list(self._searches.values())
        return engines if self._analyst is None else [self._analyst, *engines]

    def clean_up(
        self,
        position: Position,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> MoveDecision:
        """Choose a move; pass only when all dead stones of the opponent are captured."""
        return self._strongest.clean_up(position, clock, progress)

    def analyze(
        self,
        position: Position,
        limit: SearchLimit,
        progress: Progress | None = None,
        allowed: Sequence[int] | None = None,
        is_dynamic: bool = False,
    ) -> SearchReport:
        """Search a position at full strength."""
        return self._strongest.analyze(position, limit, progress, allowed, is_dynamic)

    def restart(self, seed: int) -> None:
        """Discard everything learned from earlier searches and reseed the random generators."""
        self.seed = seed
        self._rng = np.random.default_rng(seed)
        for engine in self._engines:
            engine.restart(seed)

    def new_game(self) -> None:
        """Prepare for a new game."""
        for engine in self._engines:
            engine.new_game()

    def ponder(self, position: Position) -> None:
        """Do nothing: levels do not ponder."""

    def stop_pondering(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """End a running search soon; callable from any thread."""
        for engine in self._engines:
            engine.stop()

    @property
    def problems(self) -> list[str]:
        """Error messages of evaluators that failed."""
        return [problem for engine in self._engines for problem in engine.problems]

    @property
    def rule_counts(self) -> npt.NDArray[np.int64]:
        """Number of playout moves per `PlayoutRule` so far."""
        counts = np.zeros(len(PlayoutRule), dtype=np.int64)
        return sum((engine.rule_counts for engine in self._engines), counts)


def playing_skill(level: str, rows: int, columns: int) -> float:
    """Return the skill of a level on a board; that of `auto` follows its stored estimate."""
    skill = given_skill(level)
    if skill is not None:
        return skill
    number = stored_estimate().playing_rank if level == AUTO else rank_number(level)
    return rank_skill(number, rows, columns)


def _may_be_over(position: Position, evaluation: Evaluation) -> bool:
    """Return whether the game may be over, by the network's ownership and policy."""
    if position.moves and position.moves[-1].move == PASS:
        return True
    if not is_late(position):
        return False
    unsettled = np.count_nonzero(np.abs(evaluation.ownership_to_play) < SETTLED_OWNERSHIP)
    is_settled = bool(unsettled <= MAX_UNSETTLED_SHARE * position.area)
    is_near = is_settled or evaluation.pass_probability >= PASS_POLICY
    return is_near and not is_open(position)


def _sample_by_visits(
    moves: Sequence[SampledMove], temperature: float, rng: np.random.Generator
) -> SampledMove:
    """Sample a move in proportion to visits to the power 1/temperature."""
    if temperature <= 0:
        return moves[0]
    visits = np.array([one.visits for one in moves], dtype=np.float64)
    weights = (visits / visits.max()) ** (1 / temperature)
    return moves[rng.choice(len(moves), p=weights / weights.sum())]


def _report(position: Position, evaluation: Evaluation, choice: Choice | None) -> SearchReport:
    """Return the evaluated candidates as a search report, the chosen move first."""
    candidates = [
        Candidate(
            move=one.move,
            visits=one.visits,
            value=one.win,
            prior_visits=0.0,
            prior_value=0.0,
            rave_visits=0,
            rave_value=0.0,
            policy=one.policy,
            line=[one.move],
        )
        for one in (choice.moves if choice is not None else ())
    ]
    visits = 1 + sum(one.visits for one in candidates)
    owned = position.to_play.sign * evaluation.ownership_to_play.astype(np.float64)
    return SearchReport(
        candidates, visits, visits, evaluation.win_to_play, owned, nodes=visits, depth=1.0
    )
