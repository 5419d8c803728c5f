"""A tuner as a part of an experiment: run to its end, with its log and report in a folder."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tengen.lab.progress import progress
from tengen.match.workers import open_workers
from tengen.tune.objective import Objective
from tengen.tune.runner import Watcher, tune_in_folder
from tengen.tune.spsa import Spsa


def tune_to_end(
    tuner: Spsa,
    objective: Objective,
    identity: Mapping[str, object],
    folder: Path,
    workers: int,
    cluster: str | None,
) -> None:
    """Run the tuner from where its log ends; the report is written even when it is stopped.

    `identity` is what must be the same to go on with the log.
    """
    opened, show = open_workers(workers, cluster), _bar(f"tuning {folder.name}", tuner.progress[1])
    tune_in_folder(folder, tuner, objective, identity, opened, show)


@contextmanager
def _bar(what: str, duels: int) -> Iterator[Watcher]:
    """Yield what shows how many of the duels are done."""
    with progress() as shown:
        task = shown.add_task(what, total=duels)
        yield lambda now: shown.update(task, completed=now.progress[0])
