"""CPU times of the eigenvector methods, measured as the thesis did, and apart where it could not.

Run as a program with a method's name, this measures a first call in a process of its own, start
and imports included, and prints seconds for each board.
"""

import json
import os
import subprocess
import sys
import time
from typing import NamedTuple

from tengen.core.errors import TengenError
from tengen.core.one_thread import ONE_THREAD
from tengen.knowledge.bigmove import BigMove
from tengen.knowledge.dirichlet import Dirichlet
from tengen.knowledge.eigen import METHODS
from tengen.knowledge.thesis_boards import thesis_boards


class Times(NamedTuple):
    """Seconds of CPU time of a number of solutions."""

    factor_s: float
    iterate_s: float

    @property
    def all_s(self) -> float:
        """Both together."""
        return self.factor_s + self.iterate_s


def board_matrix(board: str) -> Dirichlet:
    """Return the matrix of one of the three boards, without potential."""
    return Dirichlet(BigMove(variants="p1").diagonal(thesis_boards()[board]))


def time_method(name: str, matrix: Dirichlet, iterations: int, tolerance: float) -> Times:
    """Solve so many times; the matrix in the method's form is made before the clock runs."""
    method = METHODS[name]
    form = method.form(matrix)
    factored, iterated = 0.0, 0.0
    for _ in range(iterations):
        begun = time.process_time()
        prepared = form if method.factor is None else method.factor(form)
        between = time.process_time()
        method.find(prepared, tolerance)
        ended = time.process_time()
        factored, iterated = factored + between - begun, iterated + ended - between
    return Times(factored, iterated)


def time_on_board(name: str, board: str, iterations: int, tolerance: float) -> Times:
    """Solve one of the three boards so many times, after a first time that loads what is needed."""
    matrix = board_matrix(board)
    time_method(name, matrix, 1, tolerance)
    return time_method(name, matrix, iterations, tolerance)


def first_calls(name: str, tolerance: float) -> dict[str, float]:
    """Return the CPU seconds of a program that makes one call, by board; raise TengenError."""
    command = [sys.executable, "-m", "tengen.lab.bigmove.timing", name, str(tolerance)]
    environment = {**os.environ, **ONE_THREAD}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise TengenError(f"{name} in a program of its own: {done.stderr.strip()[-200:]}")
    return {board: float(seconds) for board, seconds in json.loads(done.stdout).items()}


def _main(name: str, tolerance: float) -> None:
    matrices = {board: board_matrix(board) for board in thesis_boards()}
    start_s = time.process_time()
    first = {
        board: start_s + time_method(name, matrix, 1, tolerance).all_s
        for board, matrix in matrices.items()
    }
    print(json.dumps(first))


if __name__ == "__main__":
    _main(sys.argv[1], float(sys.argv[2]))
