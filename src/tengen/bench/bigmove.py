"""How long each method takes to find the fundamental mode (paper 000, chapter 4).

All methods and boards take turns, several rounds long, so that a change of load meets all of them;
a figure is the median of the rounds. It is CPU time of one thread, as the thesis's user time was,
which other programs on the machine hardly change. Making the matrix is not counted.
"""

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from tengen.board.position import Position
from tengen.core.one_thread import one_thread
from tengen.knowledge.bigmove import BigMove, biggest_points
from tengen.knowledge.dirichlet import Dirichlet, upright
from tengen.knowledge.eigen import (
    METHODS,
    OWN,
    OWN_COLD,
    OWN_IN_TREE,
    OWN_WARM,
    Method,
    OwnMatrix,
    method_named,
    own_matrix,
    solve_own,
)
from tengen.knowledge.kernels.mode import find_mode
from tengen.knowledge.thesis_boards import thesis_boards

ROUNDS = 5
THESIS_WINNERS = ("scipy.sparse.linalg.eigs", "scipy.sparse.linalg.eigsh")
SHIFT_INVERT = "scipy.sparse.linalg.eigsh(sigma=0)"

Task = Callable[[], object]


def measure(seconds: float, methods: Sequence[str], tolerance: float) -> dict[str, object]:
    """Measure in a process of its own, whose libraries have one thread."""
    for name in methods:
        method_named(name)
    with one_thread() as process:
        return process.submit(measure_here, seconds, methods, tolerance).result()


def measure_here(seconds: float, methods: Sequence[str], tolerance: float) -> dict[str, object]:
    """Measure all methods on all boards, for about so many seconds in all."""
    boards = thesis_boards()
    tasks = {
        (name, board): _task(METHODS[name], _matrix(position), tolerance)
        for name in methods
        for board, position in boards.items()
    }
    for board, position in boards.items():
        for name, task in one_stone_more(position, tolerance).items():
            tasks[name, board] = task
    taken = in_turns(tasks, seconds)
    microseconds: dict[str, dict[str, float]] = {}
    for (name, board), took_s in taken.items():
        microseconds.setdefault(name, {})[board] = round(1e6 * took_s, 2)
    return {
        "size": 19,
        "threads": 1,
        "tolerance": tolerance,
        "microseconds": microseconds,
        **_ratios(microseconds),
        "checks": {name: _checks(name, boards, tolerance) for name in methods},
    }


def in_turns(tasks: dict[tuple[str, str], Task], seconds: float) -> dict[tuple[str, str], float]:
    """Return the seconds of one call of each task: the median of the rounds' means."""
    for task in tasks.values():
        task()
    share_s = seconds / ROUNDS / len(tasks)
    means: dict[tuple[str, str], list[float]] = {key: [] for key in tasks}
    for _ in range(ROUNDS):
        for key, task in tasks.items():
            means[key].append(mean_time(task, share_s))
    return {key: statistics.median(found) for key, found in means.items()}


def mean_time(task: Task, seconds: float) -> float:
    """Return the mean CPU time of a call over so many seconds, one call at least."""
    calls = 0
    until = time.perf_counter() + seconds
    begun = time.process_time()
    while calls == 0 or time.perf_counter() < until:
        task()
        calls += 1
    return (time.process_time() - begun) / calls


def _matrix(position: Position) -> Dirichlet:
    return Dirichlet(BigMove(variants="p1").diagonal(position))


def _task(method: Method, matrix: Dirichlet, tolerance: float) -> Task:
    """Return one whole solution: factorisation and iteration."""
    form = method.form(matrix)
    if isinstance(form, OwnMatrix):
        return lambda: solve_own(form, tolerance)
    factor = method.factor
    if factor is None:
        return lambda: method.find(form, tolerance)
    return lambda: method.find(factor(form), tolerance)


def one_stone_more(position: Position, tolerance: float) -> dict[str, Task]:
    """Return ways to solve a child of a position: from the empty board's mode, and its parent's.

    The child has a stone on the biggest move.
    """
    parent = own_matrix(_matrix(position))
    solve_own(parent, tolerance)
    child = position.copy()
    child.play(BigMove(variants="p1").biggest(position)[0])
    matrix = own_matrix(_matrix(child))
    known, rows, in_tree = parent.mode.copy(), np.uintp(matrix.rows), BigMove().in_tree

    def from_parent(residual: float) -> object:
        matrix.mode[:] = known
        return find_mode(matrix.work, matrix.mode, rows, residual)

    return {
        OWN_COLD: lambda: solve_own(matrix, tolerance),
        OWN_WARM: lambda: from_parent(tolerance),
        OWN_IN_TREE: lambda: from_parent(in_tree),
    }


def _ratios(microseconds: dict[str, dict[str, float]]) -> dict[str, object]:
    """Return how many times as fast Tengen's own solver is, by board."""
    own = microseconds.get(OWN)
    if own is None:
        return {}
    ratios: dict[str, object] = {}
    winners = [microseconds[name] for name in THESIS_WINNERS if name in microseconds]
    if winners:
        ratios["times as fast as the thesis's fastest"] = {
            board: round(min(found[board] for found in winners) / own[board], 1) for board in own
        }
    if SHIFT_INVERT in microseconds:
        found = microseconds[SHIFT_INVERT]
        ratios[f"times as fast as {SHIFT_INVERT}"] = {
            board: round(found[board] / own[board], 1) for board in own
        }
    for name in (OWN_WARM, OWN_IN_TREE):
        ratios[f"times as fast: {name}"] = {
            board: round(microseconds[OWN_COLD][board] / microseconds[name][board], 2)
            for board in own
        }
    return ratios


def _checks(name: str, boards: dict[str, Position], tolerance: float) -> dict[str, object]:
    """Return the residual and the biggest move that a method finds on each board."""
    method, checks = METHODS[name], {}
    for board, position in boards.items():
        matrix = _matrix(position)
        form = method.form(matrix)
        vector = upright(
            method.find(form if method.factor is None else method.factor(form), tolerance)
        )
        biggest = biggest_points(position, vector.reshape(matrix.diagonal.shape))[0]
        residual = float(f"{matrix.residual(vector):.1e}")
        checks[board] = {"residual": residual, "biggest move": position.vertex(biggest)}
    return dict(checks)
