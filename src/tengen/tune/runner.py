"""Running a tuner: keep the workers busy with its duels, log every result."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.match.crew import Crew
from tengen.match.workers import Workers
from tengen.tune.duel import Duel, DuelResult, Tuner
from tengen.tune.log import TuneLog
from tengen.tune.objective import Objective, Task, run_task
from tengen.tune.population import Population
from tengen.tune.report import write_tune_report

Watcher = Callable[[Tuner], None]
MOST_PROBLEMS = 8
"""Duels in a row that have a problem before the tuning is given up."""

_Crew = Crew[Duel, Task, DuelResult]


def tune_in_folder(
    folder: Path,
    tuner: Tuner,
    objective: Objective,
    identity: Mapping[str, object],
    workers: Workers,
    show: AbstractContextManager[Watcher],
    ends_era: bool = False,
    tell: Callable[[Path], object] = lambda path: None,
) -> None:
    """Run a tuner from where the folder's log ends; after Ctrl-C too, write its report there.

    `identity` is what must be the same to go on with the log; `ends_era` has a population's
    present era end. `tell` is told each file of the report. Workers are had before the log is
    opened: where there are none, the report of an earlier run stays as it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = TuneLog(folder / "log.jsonl", dict(identity))
    try:
        if ends_era:
            log.end_era()
        with show as watch:
            run_tuner(tuner, objective, log, workers, watch)
    finally:
        log.close()
        for path in write_tune_report(tuner, folder):
            tell(path)


def run_tuner(
    tuner: Tuner, objective: Objective, log: TuneLog, workers: Workers, watch: Watcher
) -> None:
    """Go on from what is logged until the tuner is done.

    `watch` is called after every result. On any exception, Ctrl-C among them, duels under way
    are dropped; what is logged stays. Raise TengenError if many duels in a row have a problem.
    """
    _replay(tuner, log)
    again: list[Duel] = []
    problems = 0
    with _Crew(workers, run_task) as crew:
        watch(tuner)
        while _fill(tuner, objective, crew, again):
            for duel, result in crew.results():
                if result is None:
                    again.append(duel)
                    continue
                log.add(duel, result)
                tuner.take(duel.number, result)
                watch(tuner)
                problems = problems + 1 if result.problem else 0
                if problems == MOST_PROBLEMS:
                    raise TengenError(f"{MOST_PROBLEMS} duels in a row: {result.problem}")


def _replay(tuner: Tuner, log: TuneLog) -> None:
    """Bring the tuner to where the log ends."""
    for logged in log.results():
        if logged is not None:
            tuner.take(*logged)
        elif isinstance(tuner, Population):
            tuner.end_era()


def _fill(tuner: Tuner, objective: Objective, crew: _Crew, again: list[Duel]) -> bool:
    """Give the workers duels, those that were lost first; return whether any is under way."""
    while crew.has_room and not tuner.done:
        duel = again.pop() if again else tuner.next_duel()
        if duel is None:
            break
        crew.start(duel, objective.task(duel))
    return bool(crew.running)
