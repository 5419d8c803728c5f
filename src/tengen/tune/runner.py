"""Running a tuner: keep the workers busy with its duels, log every result."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from tengen.core.errors import TengenError
from tengen.match.workers import Workers
from tengen.tune.duel import Duel, DuelResult, Tuner
from tengen.tune.log import TuneLog
from tengen.tune.objective import Objective, run_task
from tengen.tune.population import Population

MOST_BREAKDOWNS = 5
"""So many times in a row the workers may die without a result."""
TICK_S = 0.5

Watcher = Callable[[Tuner], None]
Running = dict[Future[DuelResult], Duel]


def run_tuner(
    tuner: Tuner, objective: Objective, log: TuneLog, workers: Workers, watch: Watcher
) -> None:
    """Go on from what is logged until the tuner is done.

    `watch` is called after every result. On any exception, Ctrl-C among them, duels under way
    are dropped; what is logged stays.
    """
    _replay(tuner, log)
    try:
        _run(tuner, objective, log, workers, watch)
    except BaseException:
        workers.stop()
        raise
    workers.finish()


def _replay(tuner: Tuner, log: TuneLog) -> None:
    """Bring the tuner to where the log ends."""
    for logged in log.results():
        if logged is not None:
            tuner.take(*logged)
        elif isinstance(tuner, Population):
            tuner.end_era()


def _run(
    tuner: Tuner, objective: Objective, log: TuneLog, workers: Workers, watch: Watcher
) -> None:
    running: Running = {}
    again: list[Duel] = []
    breakdowns = 0
    watch(tuner)
    while _fill(tuner, objective, workers, running, again):
        done, _ = wait(running, TICK_S, FIRST_COMPLETED)
        lost = [running.pop(future) for future in done if _failed(future, workers)]
        for future in done & running.keys():
            duel = running.pop(future)
            log.add(duel, future.result())
            tuner.take(duel.number, future.result())
            breakdowns = 0
            watch(tuner)
        if lost:
            breakdowns += 1
            if breakdowns > MOST_BREAKDOWNS:
                raise TengenError(f"the workers died {breakdowns} times without a result")
            again += [*lost, *running.values()]
            running.clear()
            workers.restart()


def _fill(
    tuner: Tuner, objective: Objective, workers: Workers, running: Running, again: list[Duel]
) -> bool:
    """Give the workers duels, those that were lost first; return whether any is under way."""
    while len(running) < workers.count and not tuner.done:
        duel = again.pop() if again else tuner.next_duel()
        if duel is None:
            break
        try:
            running[workers.executor.submit(run_task, objective.task(duel))] = duel
        except workers.breakdowns:
            again.append(duel)
            workers.restart()
    return bool(running)


def _failed(future: Future[DuelResult], workers: Workers) -> bool:
    return isinstance(future.exception(), workers.breakdowns)
