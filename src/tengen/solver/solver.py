"""Solver for small boards.

The solver guesses the value with evaluations at the horizon, then proves it as a lower and as an
upper bound. In a proof every position at the horizon counts against the proving side. A proof is
found quickly if the target is the right value and good moves come first; the guess provides both.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from tengen.board import BLACK, PASS, Position
from tengen.solver.boards import check_rules
from tengen.solver.kernels import memory
from tengen.solver.searcher import AlphaBetaSearcher, Horizon, SearchOutcome
from tengen.solver.settings import SolverSettings
from tengen.solver.store import load_table
from tengen.util import TengenError

PROOF_START, PROOF_STEP = 12, 4
"""Depths of proofs, in units of `kernels.alphabeta._cost`."""
GUESS_NODES = 1_000_000
"""Below this number of nodes the guess is deepened without proofs in between."""
LEAST_GUESS_DEPTH = 4
PASS_DEPTH = 24
"""Depth of the proof that a pass keeps the value."""


class Goal(IntEnum):
    """Purpose of an iteration."""

    VALUE = 0
    AT_LEAST = 1
    AT_MOST = 2

    def is_met(self, value: int, target: int) -> bool:
        """Return whether a value reaches the target of a proof."""
        return value >= target if self is Goal.AT_LEAST else value <= target


@dataclass(frozen=True)
class Iteration:
    """One search to one depth, from Black's point of view."""

    goal: Goal
    depth: int
    target: int
    """The value to prove; for VALUE, the value of the previous iteration."""
    value: int
    is_proved: bool
    nodes: int
    """Nodes of all iterations so far."""
    seconds: float
    cpu_s: float

    def __str__(self) -> str:
        rate = self.nodes / max(self.cpu_s, 1e-9) / 1e6
        result = f"{self.value:+d}" if self.goal is Goal.VALUE else self._proof_text()
        return (
            f"depth {self.depth:3d}  {result:24s} {self.nodes:13,d} nodes "
            f"{self.seconds:8.1f} s  {rate:.2f} M/s"
        )

    def _proof_text(self) -> str:
        sign = ">=" if self.goal is Goal.AT_LEAST else "<="
        return f"{sign} {self.target:+d} {'proved' if self.is_proved else 'open'}"


@dataclass
class Solution:
    """Known bounds of a position: Black's value lies between `low` and `high`."""

    low: int
    high: int
    line: list[int] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0
    cpu_s: float = 0.0

    @property
    def is_solved(self) -> bool:
        """Whether the bounds are equal."""
        return self.low == self.high


Report = Callable[[Iteration], None]
"""Called after every iteration."""


class Solver:
    """Solves positions of one board size; the transposition table is kept between them."""

    def __init__(self, rows: int, columns: int, settings: SolverSettings | None = None):
        """Raise TengenError for a board that is too large."""
        self.settings = settings or SolverSettings()
        self.searcher = AlphaBetaSearcher(rows, columns, self.settings)
        self.poll: Callable[[], None] = lambda: None
        """Called regularly during searches; may raise to stop them."""
        self.solution = Solution(-self.searcher.limit, self.searcher.limit)
        self._report: Report = lambda iteration: None
        self._start_s = self._start_cpu_s = 0.0
        self._nodes_before = 0

    def solve(self, position: Position, report: Report = lambda iteration: None) -> Solution:
        """Find the value of a position; after an interruption `solution` has the bounds so far."""
        searcher = self.searcher
        searcher.set_position(position)
        self.solution = Solution(-searcher.limit, searcher.limit)
        self._report = report
        self._start_s, self._start_cpu_s = time.monotonic(), time.process_time()
        self._nodes_before = searcher.nodes
        if position.is_over:
            self._narrow(SearchOutcome(searcher.evaluate(), PASS, True, True))
        elif not self.settings.deepening:
            self._guess(memory.DEEPEST, 0)
        else:
            self._deepen()
        self._update_counts()
        return self.solution

    def _deepen(self) -> None:
        """Alternate guesses and proofs until the bounds meet."""
        solution, depth, guess = self.solution, 0, 0
        proof_depth = PROOF_START
        while not solution.is_solved and depth < memory.DEEPEST:
            depth += 1
            guess = self._guess(depth, guess)
            is_early = self._nodes() < GUESS_NODES and depth < self.searcher.geometry.points
            if not self.settings.proof or depth < LEAST_GUESS_DEPTH or (is_early and depth < 14):
                continue
            self._prove(guess, proof_depth)
            proof_depth += PROOF_STEP

    def _guess(self, depth: int, guess: int) -> int:
        """Search with evaluations; return the value clipped to the proved bounds."""
        outcome = self._mtdf(depth, guess) if self.settings.mtdf else self._full_window(depth)
        self._narrow(outcome)
        is_proved = outcome.is_low_proved and outcome.is_up_proved
        self._record(Goal.VALUE, depth, guess, outcome.value, is_proved)
        return min(max(outcome.value, self.solution.low), self.solution.high)

    def _full_window(self, depth: int) -> SearchOutcome:
        limit = self.searcher.limit
        return self._run((-limit, limit), depth, Horizon.EVALUATE)

    def _mtdf(self, depth: int, guess: int) -> SearchOutcome:
        """Find the value by null windows around the previous value (Plaat et al., 1996)."""
        low, high = -self.searcher.limit - 1, self.searcher.limit + 1
        is_low_proved = is_high_proved = False
        value, move = guess, PASS
        while low < high:
            edge = max(value, low + 1)
            outcome = self._run((edge - 1, edge), depth, Horizon.EVALUATE)
            value = outcome.value
            if value < edge:
                high, is_high_proved = value, outcome.is_up_proved
            else:
                low, is_low_proved, move = value, outcome.is_low_proved, outcome.move
        return SearchOutcome(value, move, is_low_proved, is_high_proved)

    def _prove(self, guess: int, depth: int) -> None:
        """Try to prove the guess as lower and as upper bound."""
        for goal in (Goal.AT_LEAST, Goal.AT_MOST):
            if not self._is_open(goal, guess):
                continue
            outcome = self.try_to_prove(goal, guess, depth)
            self._narrow(outcome)
            self._record(goal, depth, guess, outcome.value, goal.is_met(outcome.value, guess))

    def _is_open(self, goal: Goal, guess: int) -> bool:
        if goal is Goal.AT_LEAST:
            return self.solution.low < guess
        return self.solution.high > guess

    def try_to_prove(self, goal: Goal, value: int, depth: int) -> SearchOutcome:
        """Search for a proof that Black gets at least, or at most, a value."""
        if goal is Goal.AT_LEAST:
            return self._run((value - 1, value), depth, Horizon.BLACK_PROVES)
        return self._run((value, value + 1), depth, Horizon.WHITE_PROVES)

    def _run(self, window: tuple[int, int], depth: int, horizon: Horizon) -> SearchOutcome:
        return self.searcher.run(window, depth, horizon, self._poll)

    def _poll(self) -> None:
        self._update_counts()
        self.poll()

    def _nodes(self) -> int:
        return self.searcher.nodes - self._nodes_before

    def _update_counts(self) -> None:
        self.solution.nodes = self._nodes()
        self.solution.seconds = time.monotonic() - self._start_s
        self.solution.cpu_s = time.process_time() - self._start_cpu_s

    def _narrow(self, outcome: SearchOutcome) -> None:
        """Narrow the bounds by an outcome's proofs."""
        if outcome.is_low_proved:
            self.solution.low = max(self.solution.low, outcome.value)
        if outcome.is_up_proved:
            self.solution.high = min(self.solution.high, outcome.value)

    def _record(self, goal: Goal, depth: int, target: int, value: int, is_proved: bool) -> None:
        self._update_counts()
        solution = self.solution
        counts = (solution.nodes, solution.seconds, solution.cpu_s)
        iteration = Iteration(goal, depth, target, value, is_proved, *counts)
        solution.iterations.append(iteration)
        self._report(iteration)


def best_move(solver: Solver, position: Position, value: int) -> int:
    """Return a move that keeps the position's value; raise TengenError if no proof is found.

    If the score on the board already equals the value, a pass is tried first, so that games end
    and dead stones are captured only where necessary.
    """
    if position.is_over:
        return PASS
    goal = Goal.AT_LEAST if position.to_play == BLACK else Goal.AT_MOST
    if position.board().any() and _pass_keeps(solver, position, value, goal):
        return PASS
    solver.searcher.set_position(position)
    for depth in range(PROOF_STEP, memory.DEEPEST, PROOF_STEP):
        outcome = solver.try_to_prove(goal, value, depth)
        if goal.is_met(outcome.value, value):
            return outcome.move
    raise TengenError(f"no proof of {value:+d} found")


def _pass_keeps(solver: Solver, position: Position, value: int, goal: Goal) -> bool:
    """Return whether a short search proves that a pass keeps the value."""
    passed = position.copy()
    passed.play(PASS)
    solver.searcher.set_position(passed)
    if not goal.is_met(solver.searcher.evaluate(), value):
        return False
    if passed.is_over:
        return True
    return goal.is_met(solver.try_to_prove(goal, value, PASS_DEPTH).value, value)


def best_line(solver: Solver, position: Position, value: int) -> list[int]:
    """Return optimal moves from a position of known value to the end of the game."""
    position = position.copy()
    line: list[int] = []
    while not position.is_over:
        move = best_move(solver, position, value)
        position.play(move)
        line.append(move)
    return line


class SolverPlayer:
    """Plays a move that keeps the value of the position.

    Komi has no effect: the player maximizes its score. One solver serves all positions of a board
    size, so moves get faster during a game.
    """

    def __init__(self, table: Path | None = None, settings: SolverSettings | None = None):
        self._table = table
        self._settings = settings or SolverSettings()
        self._solver: Solver | None = None

    def move(self, position: Position) -> int:
        """Return a best move; raise TengenError for unsupported boards and rules."""
        check_rules(position)
        solver = self._solver_for(position.rows, position.columns)
        value = solver.solve(position).low
        return best_move(solver, position, value)

    def _solver_for(self, rows: int, columns: int) -> Solver:
        solver = self._solver
        if solver is None or solver.searcher.shape != (rows, columns):
            solver = Solver(rows, columns, self._settings)
            if self._table is not None:
                load_table(solver.searcher, self._table)
            self._solver = solver
        return solver
