"""A tuner as a part of an experiment: run to its end, with its log and report in a folder."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

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
    folder.mkdir(parents=True, exist_ok=True)
    log = TuneLog(folder / "log.jsonl", dict(identity))
    try:
        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task(f"tuning {folder.name}", total=tuner.progress[1])
            run_tuner(
                tuner,
                objective,
                log,
                open_workers(workers, cluster),
                lambda now: progress.update(task, completed=now.progress[0]),
            )
    finally:
        log.close()
        write_tune_report(tuner, folder)
