"""A player of small boards that never errs."""

from pathlib import Path

from tengen.board.position import Position
from tengen.solver.boards import check_rules
from tengen.solver.line import best_move
from tengen.solver.settings import SolverSettings
from tengen.solver.solver import Solver
from tengen.solver.store import load_table


class SolverPlayer:
    """Solves the position it is given and plays a move that keeps its value.

    Komi changes nothing: the player takes all the points it can get. One solver serves for all
    positions of a size, so a game gets faster as it goes on.
    """

    def __init__(self, table: Path | None = None, settings: SolverSettings | None = None):
        self._table = table
        self._settings = settings or SolverSettings()
        self._solver: Solver | None = None

    def move(self, position: Position) -> int:
        """Return a best move; raise TengenError for boards and rules the solver does not take."""
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
