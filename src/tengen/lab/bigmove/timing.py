"""Boards and CPU times for comparing eigenvector methods, factorization and iteration separately.

The three boards are empty (A), opening (B) and endgame (C). The boards of paper 000, chapter 4,
were figures and are lost. B is constructed, as in the thesis; C is move 230 of a self-play game.

Run as a program with a method's name, this module measures a first call in its own process,
including start and imports, and prints the seconds for each board.
"""

import json
import os
import subprocess
import sys
import time
from typing import NamedTuple

from tengen.board import BLACK, Position
from tengen.lab.bigmove.eigen_methods import METHODS, Dirichlet
from tengen.sources import BigMove
from tengen.util import SINGLE_THREAD_ENV, TengenError

FUSEKI = """
...................
...................
...O.........X.....
...............X...
..O................
...................
...................
...................
...................
...X............O..
...................
...................
...................
..O................
...................
...X...........O...
.......X.....O.....
..........X........
...................
"""

ENDGAME = """
......OXXXX........
.....OOOOX.X.......
...X.OXXXXX.XX.X...
....XOXX.X.XX.X....
..X.XOOXXOXX.X..X..
....XOOX.OOOXXX....
..OX.XXOOOO.OX.....
..O.XXXXO..OO..OO..
OO.OOOOXOOO.OOO.O..
..OO.OOOXXXO.O.O...
OO..O.XXXXXOOO.....
O.O...XOX.XXO...X..
XO.....O.XXOO.O....
.XX.X.OOOXXOOO.OO..
XO....XXX.XO.OOO.O.
O.O.XX.X.XXXOOO.O..
...OOOX.X..XXO.OO..
.....OOX.XXXXOO....
....XOXXX.XXOO.O...
"""


def thesis_boards() -> dict[str, Position]:
    """Return the boards by name."""
    return {
        "empty": Position(19),
        "fuseki": Position.from_diagram(FUSEKI, BLACK),
        "endgame": Position.from_diagram(ENDGAME, BLACK),
    }


class Times(NamedTuple):
    """CPU seconds of a number of solutions."""

    factor_s: float
    iterate_s: float

    @property
    def all_s(self) -> float:
        """Total seconds."""
        return self.factor_s + self.iterate_s


def board_matrix(board: str) -> Dirichlet:
    """Return the matrix of one of the three boards without potential."""
    return Dirichlet(BigMove(variants="p1").diagonal(thesis_boards()[board]))


def time_method(name: str, matrix: Dirichlet, iterations: int, tolerance: float) -> Times:
    """Time `iterations` solutions; converting the matrix is not timed."""
    method = METHODS[name]
    form = method.form(matrix)
    factored, iterated = 0.0, 0.0
    for _ in range(iterations):
        start = time.process_time()
        prepared = form if method.factor is None else method.factor(form)
        between = time.process_time()
        method.find(prepared, tolerance)
        end = time.process_time()
        factored, iterated = factored + between - start, iterated + end - between
    return Times(factored, iterated)


def time_on_board(name: str, board: str, iterations: int, tolerance: float) -> Times:
    """Time solutions on one of the three boards after a warm-up call."""
    matrix = board_matrix(board)
    time_method(name, matrix, 1, tolerance)
    return time_method(name, matrix, iterations, tolerance)


def first_calls(name: str, tolerance: float) -> dict[str, float]:
    """Return the CPU seconds of a process with a single call, by board; raise TengenError."""
    command = [sys.executable, "-m", "tengen.lab.bigmove.timing", name, str(tolerance)]
    environment = {**os.environ, **SINGLE_THREAD_ENV}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise TengenError(f"{name} failed in a separate process: {done.stderr.strip()[-200:]}")
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
