"""A tuner as a part of an experiment: run to its end, with its log and report in a folder."""

from collections.abc import Mapping
from pathlib import Path

from tengen.lab.progress import progress
from tengen.match.workers import open_workers
from tengen.tune.log import TuneLog
from tengen.tune.objective import Objective
from tengen.tune.report import write_tune_report
from tengen.tune.runner import run_tuner
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
    # Before the log: where it fails, the report of an earlier run stays as it is.
    opened = open_workers(workers, cluster)
    folder.mkdir(parents=True, exist_ok=True)
    log = TuneLog(folder / "log.jsonl", dict(identity))
    try:
        with progress() as shown:
            task = shown.add_task(f"tuning {folder.name}", total=tuner.progress[1])
            run_tuner(
                tuner,
                objective,
                log,
                opened,
                lambda now: shown.update(task, completed=now.progress[0]),
            )
    finally:
        log.close()
        write_tune_report(tuner, folder)
