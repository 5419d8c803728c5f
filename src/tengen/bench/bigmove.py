"""CPU time of methods that compute the fundamental mode of a board (paper 000, chapter 4).

Methods and boards alternate over several rounds, and results are medians of the rounds. Times are
single-threaded CPU times without construction of the matrix, comparable to the user times of the
thesis.
"""

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from tengen.board import Position
from tengen.lab.bigmove.eigen_methods import (
    METHODS,
    OWN,
    OWN_COLD,
    OWN_IN_TREE,
    OWN_WARM,
    Dirichlet,
    Method,
    OwnMatrix,
    method_named,
    own_matrix,
    solve_own,
    upright,
)
from tengen.lab.bigmove.timing import thesis_boards
from tengen.sources import BigMove, biggest_points
from tengen.sources.kernels.mode import find_mode
from tengen.util import single_thread_process

ROUNDS = 5

Task = Callable[[], object]
Row = dict[str, object]
"""A method with its times, times relative to Tengen's solver, residuals and biggest moves."""


def measure(seconds: float, methods: Sequence[str], tolerance: float) -> list[Row]:
    """Measure in a subprocess whose numerical libraries use one thread; return a row per method."""
    for name in methods:
        method_named(name)
    with single_thread_process() as process:
        return process.submit(measure_here, seconds, methods, tolerance).result()


def measure_here(seconds: float, methods: Sequence[str], tolerance: float) -> list[Row]:
    """Measure all methods on all boards for about `seconds` in total."""
    boards = thesis_boards()
    tasks = {
        (name, board): _task(METHODS[name], _matrix(position), tolerance)
        for name in methods
        for board, position in boards.items()
    }
    for board, position in boards.items():
        for name, task in child_tasks(position, tolerance).items():
            tasks[name, board] = task
    times_s = alternate(tasks, seconds)
    rows: dict[str, Row] = {}
    for (name, board), time_s in times_s.items():
        row = rows.setdefault(name, {"method": name})
        row[f"{board}_us"] = round(1e6 * time_s, 2)
        if (own_s := times_s.get((OWN, board))) is not None:
            row[f"{board}_ratio"] = round(time_s / own_s, 2)
    for name in methods:
        rows[name] |= _checks(name, boards, tolerance)
    return list(rows.values())


def alternate(tasks: dict[tuple[str, str], Task], seconds: float) -> dict[tuple[str, str], float]:
    """Return the CPU time of one call of each task: the median over rounds of mean times."""
    for task in tasks.values():
        task()
    share_s = seconds / ROUNDS / len(tasks)
    means: dict[tuple[str, str], list[float]] = {key: [] for key in tasks}
    for _ in range(ROUNDS):
        for key, task in tasks.items():
            means[key].append(mean_time(task, share_s))
    return {key: statistics.median(found) for key, found in means.items()}


def mean_time(task: Task, seconds: float) -> float:
    """Return the mean CPU time of calls repeated for `seconds`, at least one."""
    calls = 0
    end_s = time.perf_counter() + seconds
    start_s = time.process_time()
    while calls == 0 or time.perf_counter() < end_s:
        task()
        calls += 1
    return (time.process_time() - start_s) / calls


def _matrix(position: Position) -> Dirichlet:
    return Dirichlet(BigMove(variants="p1").diagonal(position))


def _task(method: Method, matrix: Dirichlet, tolerance: float) -> Task:
    """Return a task that computes one solution, including factorization."""
    form = method.form(matrix)
    if isinstance(form, OwnMatrix):
        return lambda: solve_own(form, tolerance)
    factor = method.factor
    if factor is None:
        return lambda: method.find(form, tolerance)
    return lambda: method.find(factor(form), tolerance)


def child_tasks(position: Position, tolerance: float) -> dict[str, Task]:
    """Return tasks that solve the position after the biggest move.

    They start from the mode of the empty board or from that of the parent position.
    """
    parent = own_matrix(_matrix(position))
    solve_own(parent, tolerance)
    child = position.copy()
    child.play(BigMove(variants="p1").biggest(position)[0])
    matrix = own_matrix(_matrix(child))
    known, rows, in_tree = parent.mode.copy(), np.uintp(matrix.rows), BigMove().tree_tolerance

    def from_parent(residual: float) -> object:
        matrix.mode[:] = known
        return find_mode(matrix.work, matrix.mode, rows, residual)

    return {
        OWN_COLD: lambda: solve_own(matrix, tolerance),
        OWN_WARM: lambda: from_parent(tolerance),
        OWN_IN_TREE: lambda: from_parent(in_tree),
    }


def _checks(name: str, boards: dict[str, Position], tolerance: float) -> Row:
    """Return the residual and the biggest move found by a method on each board."""
    method, checks = METHODS[name], Row()
    for board, position in boards.items():
        matrix = _matrix(position)
        form = method.form(matrix)
        vector = upright(
            method.find(form if method.factor is None else method.factor(form), tolerance)
        )
        biggest = biggest_points(position, vector.reshape(matrix.diagonal.shape))[0]
        checks[f"{board}_residual"] = float(f"{matrix.residual(vector):.1e}")
        checks[f"{board}_move"] = position.vertex(biggest)
    return checks
