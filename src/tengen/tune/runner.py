"""Running a tuner: keep the workers busy with its duels, log every result."""

from collections.abc import Callable

from tengen.match.crew import Crew
from tengen.match.workers import Workers
from tengen.tune.duel import Duel, DuelResult, Tuner
from tengen.tune.log import TuneLog
from tengen.tune.objective import Objective, Task, run_task
from tengen.tune.population import Population

Watcher = Callable[[Tuner], None]
_Crew = Crew[Duel, Task, DuelResult]


def run_tuner(
    tuner: Tuner, objective: Objective, log: TuneLog, workers: Workers, watch: Watcher
) -> None:
    """Go on from what is logged until the tuner is done.

    `watch` is called after every result. On any exception, Ctrl-C among them, duels under way
    are dropped; what is logged stays.
    """
    _replay(tuner, log)
    again: list[Duel] = []
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
