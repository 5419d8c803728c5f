"""The solver: it guesses the value by evaluations, then proves that it is no less and no more.

A search that evaluates at its horizon soon finds the value, but its lines hang on that horizon.
A proof counts everything at the horizon against the side that proves; it is found fast if the
right value is asked for and the right moves are tried first, and both come from the guess.
"""

import time
from collections.abc import Callable

from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.solver.kernels import memory
from tengen.solver.searcher import Horizon, Outcome, Searcher
from tengen.solver.settings import SolverSettings
from tengen.solver.solution import Goal, Iteration, Report, Solution

PROOF_START, PROOF_STEP = 12, 4
"""Depths of proofs, in units of `kernels.alphabeta._cost`; small steps cost more than they save."""
GUESS_NODES = 1_000_000
"""A guess is deepened at once until it took that many nodes; after that between proofs."""
LEAST_GUESS_DEPTH = 4


class Solver:
    """Solves positions of one board size, one after another; the table is kept."""

    def __init__(self, rows: int, columns: int, settings: SolverSettings | None = None):
        """Raise TengenError for a board that is too large."""
        self.settings = settings or SolverSettings()
        self.searcher = Searcher(rows, columns, self.settings)
        self.look_up: Callable[[], None] = lambda: None
        """Is called now and then during searches; may raise to end them."""
        self.solution = Solution(-self.searcher.limit, self.searcher.limit)
        self._report: Report = lambda iteration: None
        self._begun_s = self._processor_begun_s = 0.0
        self._nodes_before = 0

    def solve(self, position: Position, report: Report = lambda iteration: None) -> Solution:
        """Find the value of a position. If interrupted, `self.solution` holds the bounds so far."""
        searcher = self.searcher
        searcher.set_position(position)
        self.solution = Solution(-searcher.limit, searcher.limit)
        self._report = report
        self._begun_s, self._processor_begun_s = time.monotonic(), time.process_time()
        self._nodes_before = searcher.nodes
        if position.is_over:
            self._take_bounds(Outcome(searcher.evaluate(), PASS, True, True))
        elif not self.settings.deepening:
            self._guess(memory.DEEPEST, 0)
        else:
            self._deepen()
        self._take_time()
        return self.solution

    def _deepen(self) -> None:
        """Guess and prove in turns until the bounds meet."""
        solution, depth, guess = self.solution, 0, 0
        proof_depth = PROOF_START
        while not solution.is_solved and depth < memory.DEEPEST:
            depth += 1
            guess = self._guess(depth, guess)
            early = self._nodes() < GUESS_NODES and depth < self.searcher.geometry.points
            if not self.settings.proof or depth < LEAST_GUESS_DEPTH or (early and depth < 14):
                continue
            self._prove(guess, proof_depth)
            proof_depth += PROOF_STEP

    def _guess(self, depth: int, guess: int) -> int:
        """Search with evaluations; return the value within what is proved."""
        outcome = self._mtdf(depth, guess) if self.settings.mtdf else self._open_window(depth)
        self._take_bounds(outcome)
        is_proved = outcome.is_low_proved and outcome.is_up_proved
        self._tell(Goal.VALUE, depth, guess, outcome.value, is_proved)
        return min(max(outcome.value, self.solution.low), self.solution.high)

    def _open_window(self, depth: int) -> Outcome:
        limit = self.searcher.limit
        return self._run((-limit, limit), depth, Horizon.EVALUATE)

    def _mtdf(self, depth: int, guess: int) -> Outcome:
        """Find the value by null windows around the last value (Plaat and others, 1996)."""
        low, high = -self.searcher.limit - 1, self.searcher.limit + 1
        low_is_proved = high_is_proved = False
        value, move = guess, PASS
        while low < high:
            edge = max(value, low + 1)
            outcome = self._run((edge - 1, edge), depth, Horizon.EVALUATE)
            value = outcome.value
            if value < edge:
                high, high_is_proved = value, outcome.is_up_proved
            else:
                low, low_is_proved, move = value, outcome.is_low_proved, outcome.move
        return Outcome(value, move, low_is_proved, high_is_proved)

    def _prove(self, guess: int, depth: int) -> None:
        """Try to prove that the value is no less and no more than the guess."""
        for goal in (Goal.AT_LEAST, Goal.AT_MOST):
            if not self._is_open(goal, guess):
                continue
            outcome = self.try_to_prove(goal, guess, depth)
            is_met = outcome.value >= guess if goal is Goal.AT_LEAST else outcome.value <= guess
            self._take_bounds(outcome)
            self._tell(goal, depth, guess, outcome.value, is_met)

    def _is_open(self, goal: Goal, guess: int) -> bool:
        if goal is Goal.AT_LEAST:
            return self.solution.low < guess
        return self.solution.high > guess

    def try_to_prove(self, goal: Goal, value: int, depth: int) -> Outcome:
        """Search for a proof that Black gets at least, or at most, a value."""
        if goal is Goal.AT_LEAST:
            return self._run((value - 1, value), depth, Horizon.BLACK_PROVES)
        return self._run((value, value + 1), depth, Horizon.WHITE_PROVES)

    def _run(self, window: tuple[int, int], depth: int, horizon: Horizon) -> Outcome:
        return self.searcher.run(window, depth, horizon, self._look_up)

    def _look_up(self) -> None:
        self._take_time()
        self.look_up()

    def _nodes(self) -> int:
        return self.searcher.nodes - self._nodes_before

    def _take_time(self) -> None:
        self.solution.nodes = self._nodes()
        self.solution.seconds = time.monotonic() - self._begun_s
        self.solution.processor_s = time.process_time() - self._processor_begun_s

    def _take_bounds(self, outcome: Outcome) -> None:
        """Narrow what is known by what an outcome proves."""
        if outcome.is_low_proved:
            self.solution.low = max(self.solution.low, outcome.value)
        if outcome.is_up_proved:
            self.solution.high = min(self.solution.high, outcome.value)

    def _tell(self, goal: Goal, depth: int, asked: int, found: int, is_proved: bool) -> None:
        self._take_time()
        solution = self.solution
        counts = (solution.nodes, solution.seconds, solution.processor_s)
        iteration = Iteration(goal, depth, asked, found, is_proved, *counts)
        solution.iterations.append(iteration)
        self._report(iteration)
